// lt: reads the command line and does the one thing it asks for.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "command.h"
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

Result<Source> read_source(const Command& command) {
    if (command.has(Option::program)) return Source{"-e", command.text(Option::program)};
    if (command.file.empty()) return Error{"no program given", "lt -e 'k:vfs_read < @ns = hist(...) >', or lt FILE; lt --help for more", 0};
    if (command.file == "-") return Source{"-", {std::istreambuf_iterator<char>(std::cin), {}}};
    std::ifstream file(command.file, std::ios::binary);
    if (!file) return system_error("cannot read " + command.file, errno);
    Source source{command.file, {std::istreambuf_iterator<char>(file), {}}};
    if (file.bad() || (source.text.empty() && !file.eof())) return system_error("cannot read " + command.file, errno);
    return source;
}

int ask_kernel(const Command& command) {
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({command.text(Option::kernel)});
    if (!kernel) return fail(kernel.error());
    if (command.has(Option::info)) {
        tell_features(**kernel);
        return 0;
    }
    const Status listed = list_probes(**kernel, command.text(Option::list));
    return listed ? 0 : fail(listed.error());
}

int run(int argc, const char* const* argv) {
    const Result<std::optional<Command>> command = read_command(argc, argv);
    if (!command) return fail(command.error());
    if (!*command) return 0;
    const Command& c = **command;
    if (c.has(Option::version)) {
        fmt::print("lt {}\n", LT_VERSION);
        return 0;
    }
    if (c.has(Option::info) || c.has(Option::list)) return ask_kernel(c);
    Result<Source> source = read_source(c);
    if (!source) return fail(source.error());
    return Pipeline(c, std::move(*source)).run();
}

}  // namespace
}  // namespace lt

int main(int argc, char** argv) { return lt::run(argc, argv); }
