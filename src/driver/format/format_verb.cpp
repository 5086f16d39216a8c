#include "driver/format/format_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/file_text.h"
#include "base/source.h"
#include "driver/cli/command.h"
#include "driver/format/replace_file.h"
#include "driver/format/text_diff.h"
#include "parser/format/format.h"
#include "stdlib/settings.h"

namespace lt {
namespace {

struct Formatting {
    std::vector<std::string> files;
    bool only_checks = false;
    bool shows_diff = false;
};

void draw_mistakes(const Source& source, const Diags& diags) {
    const bool colored = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    for (const Diag& d : diags.all())
        if (d.severity == Severity::error) fmt::print(stderr, "{}", draw(source, d, colored));
}

bool refuse_file(const Error& e) {
    Diags diags;
    diags.error({}, e.what).hint = e.hint;
    draw_mistakes({}, diags);
    return false;
}

// bpftrace's -d is refused elsewhere, so the option has only its long name.
Result<Formatting> read_formatting(int argc, const char* const* argv) {
    std::vector<const char*> words(argv, argv + argc);
    std::ranges::replace_if(words, [](std::string_view word) { return word == "-d"; }, "--diff");
    const Result<Command> command = read_command(argc, words.data());
    if (!command) return command.error();
    const std::string usual = "its options are --check and --diff; for example `lt fmt --check tools/*.lt`";
    for (const auto& [option, value] : command->options)
        if (option != Option::format_check && option != Option::format_diff)
            return Error{"fmt takes files, --check and --diff, and no other option of lt", usual, 0};
    if (!command->params.empty())
        return Error{fmt::format("fmt has no option --{}", command->params.front().name), usual, 0};
    if (command->file.empty())
        return Error{"fmt takes files", "for example `lt fmt slow.lt`, or `lt fmt -` for standard input", 0};
    Formatting out{{command->file}, command->has(Option::format_check), command->has(Option::format_diff)};
    out.files.insert(out.files.end(), command->positional.begin(), command->positional.end());
    return out;
}

Status speaks_lt(const std::string& file) {
    if (grammar_of(file) == Grammar::stp)
        return Error{fmt::format("{} is a SystemTap script; lt formats its own language", file),
                     fmt::format("translate it, `lt port {} > new.lt`, and format that", file), 0};
    if (file.ends_with(".bt"))
        return Error{fmt::format("{} is a bpftrace script; lt formats its own language", file),
                     "`lt port` does not translate it: copy it to a .lt file, and format that", 0};
    return Done{};
}

Result<Source> read_script(const std::string& file) {
    if (const Status fine = speaks_lt(file); !fine) return fine.error();
    if (file == "-") {
        Result<std::string> text = whole_text(stdin, "standard input");
        if (!text) return text.error();
        return Source{"standard input", *std::move(text)};
    }
    const std::unique_ptr<FILE, int (*)(FILE*)> opened(std::fopen(file.c_str(), "rbe"), &std::fclose);
    if (!opened) return system_error("cannot read " + file, errno);
    Result<std::string> text = whole_text(opened.get(), file);
    if (!text) return text.error();
    return Source{file, *std::move(text)};
}

// Returns false if the file is refused, or would change and is only to be checked.
bool format_file(const Formatting& how, const std::string& file) {
    const Result<Source> source = read_script(file);
    if (!source) return refuse_file(source.error());
    Diags diags;
    const std::string out = formatted(*source, diags);
    if (diags.has_errors()) {
        draw_mistakes(*source, diags);
        return false;
    }
    const bool changes = out != source->text;
    if (how.shows_diff)
        if (const Status shown = print_diff(source->name, source->text, out); !shown) return refuse_file(shown.error());
    if (how.only_checks && !how.shows_diff && changes) fmt::print("{}\n", source->name);
    if (how.only_checks) return !changes;
    if (how.shows_diff) return true;
    if (file == "-") fmt::print("{}", out);
    if (file == "-" || !changes) return true;
    const Status written = replace_file(file, out);
    return written ? true : refuse_file(written.error());
}

}  // namespace

int format_files(int argc, const char* const* argv) {
    const Result<Formatting> how = read_formatting(argc, argv);
    if (!how) {
        refuse_file(how.error());
        return 2;
    }
    int status = 0;
    for (const std::string& file : how->files)
        if (!format_file(*how, file)) status = 1;
    return status;
}

}  // namespace lt
