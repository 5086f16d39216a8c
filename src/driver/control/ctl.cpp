#include "driver/control/ctl.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "base/text.h"
#include "base/visible.h"
#include "driver/control/commands.h"
#include "driver/control/control_address.h"
#include "driver/control/protocol.h"

namespace lt {
namespace {

constexpr int patience_seconds = 10;
constexpr size_t longest_foreign_line = 64 << 20;

int fail(const Error& e) {
    Diags diags;
    diags.error({}, e.what).hint = e.hint;
    std::fflush(stdout);
    fmt::print(stderr, "{}", draw({}, diags.all().front(), false));
    return 1;
}

// The command line is wrong, not what it names.
int refuse_words(const Error& e) {
    fail(e);
    return 2;
}

// A connection to a running lt.
class Connection {
  public:
    Connection() = default;
    ~Connection() {
        if (socket_ >= 0) close(socket_);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    Status open(pid_t pid);
    Status send(std::string_view text) const;
    Result<std::string> line();
    // Is it another user's? Then its text must not control root's terminal.
    bool is_foreign() const { return is_foreign_; }

  private:
    int socket_ = -1;
    bool is_foreign_ = false;
    std::string read_;
};

// The hint for a process that has a socket of another name, because that is the process's number in its namespace.
std::string enter_namespace(pid_t pid, pid_t number) {
    return fmt::format(
        "process {} has the number {} in its PID namespace; if it is an lt: `nsenter -t {} -p -m lt ctl {} ...`", pid,
        number, pid, number);
}

Error not_running(pid_t pid) {
    const std::optional<pid_t> number = pid_in_own_namespace(pid);
    return {fmt::format("no lt is running as process {}", pid),
            number && *number != pid ? enter_namespace(pid, *number) : "", 0};
}

// The peer's number is 0 if this namespace does not have the process.
Error other_peer(pid_t peer, pid_t pid) {
    if (peer == 0)
        return {fmt::format("the lt that answers as process {} is in another PID namespace", pid),
                "run `lt ctl` in that namespace", 0};
    return {fmt::format("process {} answers on the socket of process {}", peer, pid),
            pid_in_own_namespace(peer) == pid ? enter_namespace(peer, pid) : "", 0};
}

// The peer is checked even so: a socket can be left behind, and its process number reused.
Status Connection::open(pid_t pid) {
    const uid_t user = user_to_trust(pid);
    is_foreign_ = user != geteuid();
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return system_error("control: socket", errno);
    const timeval patience{patience_seconds, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const std::string path = control_socket(pid, user);
    const Result<ControlAddress> a = control_address(path);
    if (!a) return a.error();
    if (path.empty() || connect(socket_, a->get(), a->size) != 0) return not_running(pid);
    const std::optional<pid_t> peer = trusted_peer(socket_, user);
    if (!peer) return Error{fmt::format("process {} is another user's", pid), "run it as that user, or as root", 0};
    if (*peer != pid) return other_peer(*peer, pid);
    return Done{};
}

Status Connection::send(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t n = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EPIPE)
            return Done{};  // the peer has closed the connection; what it sent before is still to be read
        if (n < 0) return system_error("control: send", errno);
        text.remove_prefix(static_cast<size_t>(n));
    }
    return Done{};
}

Result<std::string> Connection::line() {
    for (;;) {
        const size_t end = read_.find('\n');
        if (end != read_.npos) {
            std::string line = read_.substr(0, end);
            read_.erase(0, end + 1);
            return line;
        }
        if (is_foreign_ && read_.size() > longest_foreign_line) return Error{"the answer is too long", "", 0};
        std::array<char, 65536> part;
        const ssize_t n = recv(socket_, part.data(), part.size(), 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return Error{"lt does not answer", "", 0};
        read_.append(part.data(), static_cast<size_t>(n));
    }
}

// Prints the results. An Error is the machine's, or the peer's answer.
Status ask(pid_t pid, const std::string& command, bool json) {
    Connection connection;
    if (Status opened = connection.open(pid); !opened) return opened;
    if (Status sent = connection.send(request_line(command, json)); !sent) return sent;
    for (;;) {
        Result<std::string> line = connection.line();
        if (!line) return line.error();
        const Result<ReplyLine> said = read_reply(*line);
        if (!said) return said.error();
        switch (said->kind) {
            case ReplyLine::Kind::result:
                fmt::print("{}", connection.is_foreign() ? visible(said->text, Keep::lines) : said->text);
                break;
            case ReplyLine::Kind::done:
                return Done{};
            case ReplyLine::Kind::error:
                return said->error;
        }
    }
}

Result<pid_t> only_one() {
    const std::vector<pid_t> pids = control_processes();
    if (pids.size() == 1) return pids.front();
    if (pids.empty()) return Error{"no lt is running", "", 0};
    std::vector<std::string> numbers;
    for (const pid_t pid : pids) numbers.push_back(std::to_string(pid));
    return Error{"several lt processes are running", fmt::format("give one of these pids: {}", join(numbers, ", ")), 0};
}

// Lists the traces of each process.
int list_all(bool json) {
    const std::vector<pid_t> pids = control_processes();
    if (pids.empty()) return fail({"no lt is running", "", 0});
    int status = 0;
    for (const pid_t pid : pids) {
        if (json)
            fmt::print("{{\"type\": \"process\", \"data\": {{\"pid\": {}}}}}\n", pid);
        else
            fmt::print("lt, process {}:\n", pid);
        if (const Status done = ask(pid, "list", json); !done) status = fail(done.error());
    }
    return status;
}

bool is_number(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

Result<pid_t> process_numbered(const std::string& word) {
    const auto pid = parse_number<pid_t>(word);
    if (pid && *pid > 0) return *pid;
    return Error{fmt::format("{} is not the number of a process", word), "", 0};
}

// Takes `-f json`, `-fjson` or `--format=json` from the front.
std::optional<std::string> take_format(std::vector<std::string>& words) {
    if (words.empty()) return {};
    const std::string first = words[0];
    if (first == "-f" || first == "--format") {
        words.resize(std::max(words.size(), size_t{2}));
        const std::string format = words[1];
        words.erase(words.begin(), words.begin() + 2);
        return format;
    }
    const std::string_view name = first.starts_with("-f") ? "-f" : "--format=";
    if (!first.starts_with(name)) return {};
    words.erase(words.begin());
    return first.substr(name.size());
}

// A request is JSON, which has no other bytes: lt would get another text than was typed.
Status are_utf8(const std::vector<std::string>& words) {
    for (const std::string& word : words)
        if (const std::string shown = utf8_text(word); shown != word)
            return Error{fmt::format("`{}` is not UTF-8, and a running lt accepts nothing else", shown),
                         "write it in UTF-8; other bytes can only be given when lt starts, as in `--NAME VALUE`", 0};
    return Done{};
}

std::string usage() {
    std::string out = "lt ctl [-f json] [PID] COMMAND: sends a command to a running lt\n";
    for (const CommandRow& row : command_rows())
        out += fmt::format("  {:<28} {}\n", fmt::format("{} {}", row.text.name, row.text.arguments), row.text.sentence);
    return out + "N is the number of a trace, as list prints it. See lt-ctl(1).\n";
}

}  // namespace

int ctl(int argc, const char* const* argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    bool json = false;
    if (!words.empty() && (words[0] == "-h" || words[0] == "--help")) {
        fmt::print("{}", usage());
        return 0;
    }
    if (const auto format = take_format(words)) {
        if (*format != "json" && *format != "text")
            return refuse_words(
                {format->empty() ? "-f needs a value" : fmt::format("`{}` is not an output format", *format),
                 "the formats are `text` and `json`", 0});
        json = *format == "json";
    }
    std::optional<pid_t> pid;
    if (!words.empty() && is_number(words[0])) {
        const Result<pid_t> given = process_numbered(words[0]);
        if (!given) return refuse_words(given.error());
        pid = *given;
        words.erase(words.begin());
    }
    if (words.empty()) return refuse_words({"ctl takes a command", "`lt ctl --help` lists them", 0});
    if (!find_command(words[0])) return refuse_words(no_command(words[0]));
    if (const Status utf8 = are_utf8(words); !utf8) return refuse_words(utf8.error());
    if (!pid && words.size() == 1 && words[0] == "list") return list_all(json);
    const Result<pid_t> to = pid ? Result<pid_t>(*pid) : only_one();
    if (!to) return fail(to.error());
    std::string line;
    for (const std::string& word : words) line += as_word(word) + ' ';
    const Status done = ask(*to, line, json);
    return done ? 0 : fail(done.error());
}

int set(int argc, const char* const* argv) {
    const bool fits = argc == 2 || argc == 3;
    const bool named = argc == 3;
    if (!fits || (named && !is_number(argv[2])))
        return refuse_words({"set takes `NAME=VALUE` and optionally a pid", "for example `lt set slow=50ms`", 0});
    if (const Status utf8 = are_utf8({argv[1]}); !utf8) return refuse_words(utf8.error());
    const Result<pid_t> to = named ? process_numbered(argv[2]) : only_one();
    if (!to) return named ? refuse_words(to.error()) : fail(to.error());
    const Status done = ask(*to, "set " + as_word(argv[1]), false);
    return done ? 0 : fail(done.error());
}

}  // namespace lt
