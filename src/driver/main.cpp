// lt: reads the command line and does the one thing it asks for.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "command.h"
#include "control.h"
#include "list.h"
#include "pipeline.h"

namespace lt {
namespace {

int fail(const Error& e) {
    Diags diags;
    diags.error({}, e.what).hint = e.hint;
    fmt::print(stderr, "{}", draw({}, diags.all().front(), false));
    return 1;
}

Result<Source> read_all(FILE* file, const std::string& name) {
    Source source{name, {}};
    char part[65536];
    for (size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;) source.text.append(part, n);
    if (std::ferror(file) != 0) return system_error("cannot read " + name, errno);
    return source;
}

Result<Source> read_source(const Command& command) {
    if (command.has(Option::program)) return Source{"-e", command.text(Option::program)};
    if (command.file.empty())
        return Error{"no program given", "lt -e 'k:vfs_read < @ns = hist(...) >', or lt FILE; lt --help for more", 0};
    if (command.file == "-") return read_all(stdin, "-");
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(command.file.c_str(), "rb"), &std::fclose);
    if (!file) return system_error("cannot read " + command.file, errno);
    return read_all(file.get(), command.file);
}

// Is it a script instead of a pattern?
bool lists_script(const Command& command) {
    if (!command.has(Option::list)) return false;
    const std::string text = command.text(Option::list);
    return (text.ends_with(".lt") || text.ends_with(".bt")) && access(text.c_str(), R_OK) == 0;
}

int list_script(Command command) {
    command.file = command.text(Option::list);
    command.options.erase(Option::program);
    Result<Source> source = read_source(command);
    if (!source) return fail(source.error());
    return Pipeline(command, std::move(*source)).list();
}

int ask_kernel(const Command& command) {
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({command.text(Option::kernel)});
    if (!kernel) return fail(kernel.error());
    if (command.has(Option::info)) {
        tell_features(**kernel);
        return 0;
    }
    const Status listed = list_probes(**kernel, command.text(Option::list), command.has(Option::verbose));
    return listed ? 0 : fail(listed.error());
}

// Of lt, and of the script where one is given.
int help(const Command& command) {
    fmt::print("{}", command.help);
    if (command.file.empty() && !command.has(Option::program)) return 0;
    Result<Source> source = read_source(command);
    if (!source) return fail(source.error());
    return Pipeline(command, std::move(*source)).help();
}

// lt set NAME=VALUE [PID]
int set(int argc, const char* const* argv) {
    const bool fits = argc == 3 || argc == 4;
    const pid_t pid = argc == 4 ? static_cast<pid_t>(std::strtol(argv[3], nullptr, 10)) : 0;
    if (!fits || pid < 0 || (argc == 4 && pid == 0))
        return fail({"set takes NAME=VALUE and perhaps a pid", "for example lt set slow=50ms", 0});
    const Status told = tell_running(pid, argv[2]);
    return told ? 0 : fail(told.error());
}

// lt check FILE...: 1 if one of them does not compile.
int check(int argc, const char* const* argv) {
    if (argc < 3) return fail({"check takes files", "for example lt check slow.lt", 0});
    int status = 0;
    for (int i = 2; i < argc; i++) {
        Command command;
        command.file = argv[i];
        Result<Source> source = read_source(command);
        if ((source ? Pipeline(command, std::move(*source)).tell() : fail(source.error())) != 0) status = 1;
    }
    return status;
}

int run(int argc, const char* const* argv) {
    if (argc > 1 && argv[1] == std::string_view("check")) return check(argc, argv);
    if (argc > 1 && argv[1] == std::string_view("set")) return set(argc, argv);
    const Result<Command> command = read_command(argc, argv);
    if (!command) return fail(command.error());
    const Command& c = *command;
    if (c.has(Option::help)) return help(c);
    if (c.has(Option::version)) {
        fmt::print("lt {}\n", LT_VERSION);
        return 0;
    }
    if (lists_script(c)) return list_script(c);
    if (c.has(Option::info) || c.has(Option::list)) return ask_kernel(c);
    Result<Source> source = read_source(c);
    if (!source) return fail(source.error());
    return Pipeline(c, std::move(*source)).run();
}

}  // namespace
}  // namespace lt

int main(int argc, char** argv) { return lt::run(argc, argv); }
