#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/file_text.h"
#include "base/text.h"
#include "driver/cli/failure.h"
#include "driver/recording/recording_file.h"
#include "recording/view/html.h"
#include "recording/view/trace_events.h"
#include "recording/view/waterfall.h"

namespace lt {
namespace {

struct Request {
    std::string file, html, perfetto;
    size_t call = 1;
};

Result<Request> read_request(int argc, const char* const* argv) {
    Request out;
    const Error usual{"view takes a recording", "for example `lt view lt-20261125-192051.ltr`", 0};
    for (int i = 1; i < argc; i++) {
        const std::string_view word = argv[i];
        if (!word.starts_with("-")) {
            if (!out.file.empty()) return usual;
            out.file = word;
            continue;
        }
        const size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        if (name != "--html" && name != "--perfetto" && name != "--call")
            return Error{fmt::format("view has no option `{}`", name), "its options are --call, --html, --perfetto", 0};
        if (equals == word.npos && i + 1 == argc) return Error{fmt::format("{} needs a value", name), "", 0};
        const std::string value(equals == word.npos ? std::string_view(argv[++i]) : word.substr(equals + 1));
        if (name == "--html") out.html = value;
        if (name == "--perfetto") out.perfetto = value;
        if (name != "--call") continue;
        out.call = parse_number<size_t>(value).value_or(0);
        if (out.call == 0)
            return Error{fmt::format("`{}` is not the number of a call", value), "calls count from 1", 0};
    }
    if (out.file.empty()) return usual;
    return out;
}

// Of the terminal; elsewhere COLUMNS and LINES say it.
PictureSize picture_size() {
    const auto variable = [](const char* name, size_t otherwise) {
        const char* text = std::getenv(name);
        const auto number = text ? parse_number<uint16_t>(text) : std::nullopt;
        return number && *number > 0 ? *number : otherwise;
    };
    PictureSize size{variable("COLUMNS", 80), variable("LINES", 1000), false};
    winsize window{};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) return size;
    const char* no_color = std::getenv("NO_COLOR");
    size.colored = !no_color || *no_color == '\0';
    if (window.ws_col > 0) size.columns = window.ws_col;
    if (window.ws_row > 0) size.rows = window.ws_row;
    return size;
}

Status show(const Request& request) {
    const Result<Recording> recording = read_recording_file(request.file);
    if (!recording) return recording.error();
    const std::vector<Trigger> calls = recording->triggers();
    if (request.call > calls.size())
        return Error{fmt::format("there is no call {}: {} has {}", request.call, request.file,
                                 plural(calls.size(), "late call")),
                     calls.empty() ? "" : "calls count from 1; `lt why FILE.ltr` prints them", 0};
    const Explainer explainer(*recording);
    const Explanation explanation = explainer.explain(calls[request.call - 1]);
    if (!request.perfetto.empty()) {
        if (Status written = write_file(request.perfetto, trace_events(*recording, explainer)); !written)
            return written;
    }
    if (!request.html.empty()) {
        const std::string page = html_page(*recording, explainer, explanation);
        if (Status written = write_file(request.html, page); !written) return written;
    }
    if (request.html.empty() && request.perfetto.empty())
        fmt::print("{}", waterfall(*recording, explainer, explanation, picture_size()));
    return Done{};
}

}  // namespace

int view(int argc, const char* const* argv) {
    const Result<Request> request = read_request(argc, argv);
    if (!request) return misuse(request.error());
    const Status shown = show(*request);
    return shown ? 0 : failure(shown.error());
}

}  // namespace lt
