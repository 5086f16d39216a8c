// Builds the text that clang gets: constants by name, the kernel types that the script's words lead to, helpers,
// definitions of kernel headers other than types, then the script's C with line markers. Each function becomes a
// function with the script's body, and a wrapper with a plain signature that calls it.
#include "declarations/c_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>

#include "base/text.h"
#include "declarations/arguments.h"
#include "declarations/c_headers.h"
#include "declarations/c_scan.h"
#include "declarations/clang_process.h"
#include "stdlib/header_constants.h"
#include "systemtap/tables/c_words.h"

namespace lt {
namespace {

using Words = std::set<std::string, std::less<>>;

// The meaning of the words in kernel.h.
struct Implied {
    std::string_view word;
    std::array<std::string_view, 5> means;
};
constexpr std::array implied{
    Implied{"current", {"task_struct"}},
    Implied{"get_current", {"task_struct"}},
    Implied{"inet_sk", {"inet_sock"}},
    Implied{"inet_csk", {"inet_connection_sock"}},
    Implied{"tcp_sk", {"tcp_sock"}},
    Implied{"udp_sk", {"udp_sock"}},
    Implied{"sk_prot", {"skc_prot"}},
    Implied{"file_inode", {"file", "f_inode"}},
    Implied{"blk_rq_sectors", {"request"}},
    Implied{"skb_mac_header", {"sk_buff", "head", "mac_header"}},
    Implied{"skb_network_header", {"sk_buff", "head", "network_header"}},
    Implied{"skb_transport_header", {"sk_buff", "head", "transport_header"}},
    Implied{"skb_headlen", {"sk_buff", "len", "data_len"}},
    Implied{"eth_hdr", {"sk_buff", "head", "mac_header", "ethhdr"}},
    Implied{"ip_hdr", {"sk_buff", "head", "network_header", "iphdr"}},
    Implied{"ipv6_hdr", {"sk_buff", "head", "network_header", "ipv6hdr"}},
    Implied{"icmp_hdr", {"sk_buff", "head", "transport_header", "icmphdr"}},
    Implied{"tcp_hdr", {"sk_buff", "head", "transport_header", "tcphdr"}},
    Implied{"tcp_hdrlen", {"sk_buff", "head", "transport_header", "tcphdr", "doff"}},
    Implied{"udp_hdr", {"sk_buff", "head", "transport_header", "udphdr"}},
    Implied{"fcheck_files", {"files_struct", "fdt", "fdtable", "fd", "file"}},
    Implied{"SOCKET_I", {"socket_alloc"}},
    Implied{"files_lookup_fd_raw", {"files_struct", "fdt", "fdtable", "fd", "file"}},
};

// Named at their place in the script, whether or not they are called.
constexpr std::array<std::string_view, 3> never{"CONTEXT", "tcp_hashinfo", "init_task"};

constexpr std::string_view no_function =
    "it can follow structures of the kernel and call helpers (bpf-helpers(7)), but no functions of the kernel";
constexpr std::string_view no_macro =
    "types and enumerators are those that this kernel describes (BTF); write the value of a macro itself";

// The kernel's type information replaces kernel headers, so their #include lines become empty.
std::string without_headers(std::string text) {
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trim(std::string_view(text).substr(begin, end - begin));
        const size_t open = line.find_first_of("<\"");
        const bool includes = line.starts_with('#') && line.find("include") != line.npos && open != line.npos;
        if (includes && is_kernel_header(line.substr(open + 1))) text.replace(begin, end - begin, end - begin, ' ');
        begin = end + 1;
    }
    return text;
}

class Unit {
  public:
    Unit(const Source& source, const ast::Program& program, Kernel& kernel, Diags& diags)
        : source_(source), program_(program), kernel_(kernel), diags_(diags) {}

    std::vector<uint8_t> compile() {
        read_words();
        if (diags_.has_errors()) return {};
        const Result<ClangResult> made = run_clang(text());
        if (!made) {
            diags_.error(program_.c_functions.front().span, made.error().what).hint = made.error().hint;
            return {};
        }
        if (made->fine) return made->output;
        for (std::string_view line : split(made->messages, '\n')) complain(line);
        if (!diags_.has_errors())
            diags_.error(program_.c_functions.front().span, fmt::format("clang reports: {}", made->messages));
        return {};
    }

  private:
    void read_words() {
        for (const ast::CPiece& piece : program_.c_pieces) read_words(without_headers(piece.text), piece.span);
        for (const ast::CFunction& f : program_.c_functions) read_words(f.text, f.text_span);
        for (const Implied& row : implied) {
            if (words_.contains(row.word)) words_.insert(row.means.begin(), row.means.end());
        }
        for (const char* own : {"", "true", "false", "NULL"}) words_.erase(own);
    }

    void read_words(std::string_view text, Span where) {
        for (const CWord& word : c_words(text)) {
            words_.emplace(word.text);
            const bool counts = word.is_called || std::ranges::find(never, word.text) != never.end();
            if (!counts || word.is_member || instead_of(word.text).empty() || is_own(word.text)) continue;
            const uint32_t at = where.begin + word.offset;
            refuse({at, at + static_cast<uint32_t>(word.text.size())}, word.text, "");
        }
    }

    // Does the script define it itself?
    bool is_own(std::string_view name) const {
        const std::string macro = fmt::format("#define {}", name), function = fmt::format(" {}(", name);
        return std::ranges::any_of(program_.c_pieces, [&](const ast::CPiece& piece) {
            const size_t at = piece.text.find(macro);
            return (at != piece.text.npos && !is_word_character(piece.text[at + macro.size()])) ||
                   piece.text.find("static" + function) != piece.text.npos ||
                   piece.text.find("int" + function) != piece.text.npos;
        });
    }

    // If the language itself can express this part of C, it is not the reason why the function is refused.
    bool refuse_what_kept(Span where, std::string_view word) {
        if (!can_be_spelled(word)) return false;
        const auto function = std::ranges::find_if(program_.c_functions, [&](const ast::CFunction& f) {
            return !f.kept_as_c.empty() && f.text_span.begin <= where.begin && where.end <= f.text_span.end;
        });
        if (function == program_.c_functions.end()) return false;
        const std::string_view kept = source_.at(function->kept_as_c);
        if (refused_.emplace(fmt::format("{} {}", function->kept_as_c.begin, kept)).second) {
            Diag& d = diags_.error(function->kept_as_c,
                                   fmt::format("lt does not support `{}` in C that uses {}()", kept, word));
            if (word == "tcp_hashinfo")
                d.message = fmt::format("lt does not support `{}` in C that uses {}", kept, word);
            d.hint = "lt translates such C into statements of the script, which only covers a part of C: see lt-stp(7)";
        }
        return true;
    }

    // Once each.
    void refuse(Span where, std::string_view word, std::string_view otherwise) {
        if (refuse_what_kept(where, word) || !refused_.emplace(word).second) return;
        const std::string_view instead = instead_of(word);
        diags_.error(where, fmt::format("a BPF program cannot use `{}`", word)).hint =
            std::string(instead.empty() ? otherwise : instead);
    }

    std::string text() {
        std::string out(c_types_header());
        out += "#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)\n";
        out += kernel_.c_types(words_);
        out += "#pragma clang attribute pop\n";
        out += c_helpers_header();
        out += fmt::format("#define MAXSTRINGLEN {}\n#define LINUX_VERSION_CODE {}\n", program_.settings.max_strlen,
                           version());
        out += c_kernel_header();
        out += constants();
        out += "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)\n";
        for (const ast::CPiece& piece : program_.c_pieces) place(out, without_headers(piece.text), piece.span);
        out += "\n#pragma clang attribute pop\n";
        for (size_t i = 0; i < program_.c_functions.size(); i++) function(out, i);
        return out;
    }

    // 6.12.3: 0x060c03
    uint32_t version() const {
        constexpr uint32_t most = 255;
        const std::string release = kernel_.release();
        uint32_t out = 0;
        const char* at = release.data();
        const char* const last = at + release.size();
        for (int i = 0; i < 3; i++) {
            uint32_t part = 0;
            at = std::from_chars(at, last, part).ptr;
            out = (out << 8) + std::min(part, most);
            if (at != last) at++;
        }
        return out;
    }

    std::string constants() const {
        constexpr int last_error = 133;
        std::string out;
        for (int n = 1; n <= last_error; n++) {
            const char* name = ::strerrorname_np(n);
            if (name != nullptr && words_.contains(name)) out += fmt::format("#define {} {}\n", name, n);
        }
        for (const std::string& word : words_) {
            if (const auto value = header_constant(word)) out += fmt::format("#define {} {}\n", word, *value);
        }
        return out;
    }

    // Marks the text's own line and column. Lines count in the whole text, whatever files it was put together from.
    void place(std::string& out, std::string_view text, Span where) const {
        const std::string_view before = std::string_view(source_.text).substr(0, where.begin);
        const size_t line_begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
        out += fmt::format("\n#line {} \"{}\"\n{:{}}{}\n#line 1 \"lt\"\n", 1 + std::ranges::count(before, '\n'),
                           ast::c_file, "", where.begin - line_begin, text);
    }

    // THIS->x is also THIS->l_x.
    static std::string member(const ast::CFunction& f, const ast::CFunction::Parameter& p, std::string_view type) {
        const std::string other = "l_" + p.name;
        if (std::ranges::find(f.parameters, other, &ast::CFunction::Parameter::name) != f.parameters.end())
            return fmt::format("{}{}; ", type, p.name);
        return fmt::format("union {{ {0}{1}; {0}{2}; }}; ", type, p.name, other);
    }

    void function(std::string& out, size_t index) const {
        const ast::CFunction& f = program_.c_functions[index];
        const bool is_text = f.result == ast::CFunction::Result::text;
        const auto type = [](bool text) { return text ? "char *" : "int64_t "; };
        std::string members, parameters, macros, undefined, values;
        for (const ast::CFunction::Parameter& p : f.parameters) {
            members += member(f, p, type(p.is_text));
            parameters += fmt::format("{}lt_{}, ", type(p.is_text), p.name);
            values += fmt::format("lt_{}, ", p.name);
            macros += fmt::format("#define STAP_ARG_{0} (THIS->{0})\n", p.name);
            undefined += fmt::format("#undef STAP_ARG_{}\n", p.name);
        }
        out += fmt::format("#undef STAP_RETURN\n#define STAP_RETVALUE (THIS->__retvalue)\n{}", macros);
        out += is_text
                   ? "#define STAP_RETURN(v) do { strlcpy(STAP_RETVALUE, (v), MAXSTRINGLEN); goto out; } while (0)\n"
                   : "#define STAP_RETURN(v) do { STAP_RETVALUE = (int64_t)(v); goto out; } while (0)\n";
        out += fmt::format("struct lt_this_{} {{ {}{}__retvalue; }};\n", index, members, type(is_text));
        out += fmt::format("static __always_inline void lt_body_{0}(struct lt_this_{0} *THIS) {{\n", index);
        if (f.is_value) out += is_text ? "strlcpy(STAP_RETVALUE, (\n" : "STAP_RETVALUE = (int64_t)(\n";
        place(out, f.text, f.text_span);
        if (f.is_value) out += is_text ? "), MAXSTRINGLEN);\n" : ");\n";
        out += fmt::format(";\nout: __attribute__((unused));\n}}\nlong {}{}({}{}long lt_loss) {{\n", ast::c_prefix,
                           index, parameters, is_text ? "char *lt_result, " : "");
        out += fmt::format("struct lt_this_{0} lt_this = {{ {1}{2} }};\nlt_body_{0}(&lt_this);\n", index, values,
                           is_text ? "lt_result" : "0");
        out += fmt::format("return {};\n}}\n#undef STAP_RETVALUE\n{}", is_text ? "0" : "lt_this.__retvalue", undefined);
    }

    // "script:12:7: error: message"
    void complain(std::string_view line) {
        constexpr std::string_view error = "error: ";
        const bool is_own = line.starts_with(ast::c_file);
        const size_t at = line.find(error);
        if (at == line.npos) return;
        const std::string_view message = line.substr(at + error.size());
        const Span where = is_own ? span_at(line.substr(ast::c_file.size() + 1)) : Span{};
        if (message.starts_with("too many errors")) return;
        const size_t open = message.find('\'');
        const size_t close = open == message.npos ? open : message.find('\'', open + 1);
        const std::string_view name =
            close == message.npos ? std::string_view() : message.substr(open + 1, close - open - 1);
        if (message.starts_with("call to undeclared")) return refuse(where, name, no_function);
        if (message.find("undeclared") != message.npos && !name.empty()) return refuse(where, name, no_macro);
        Diag& d = diags_.error(where.empty() ? program_.c_functions.front().span : where, std::string(message));
        if (message.find("constraint") != message.npos)
            d.hint = no_assembly;
        else if (message.find("incomplete") != message.npos || message.find("no member") != message.npos)
            d.hint = "types are those that this kernel describes (BTF)";
        else if (message.ends_with("file not found"))
            d.hint = "kernel types need no header";
    }

    // "12:7": the word at that position.
    Span span_at(std::string_view place) const {
        uint32_t line = 0, column = 0;
        const char* const last = place.data() + place.size();
        const auto [colon, first_error] = std::from_chars(place.data(), last, line);
        if (first_error != std::errc{} || colon == last) return {};
        std::from_chars(colon + 1, last, column);
        size_t begin = 0;
        for (uint32_t i = 1; i < line; i++) begin = source_.text.find('\n', begin) + 1;
        begin = std::min(begin + std::max(column, 1u) - 1, source_.text.size() - 1);
        size_t end = begin + 1;
        while (end < source_.text.size() && is_word_character(source_.text[begin]) &&
               is_word_character(source_.text[end]))
            end++;
        return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    }

    const Source& source_;
    const ast::Program& program_;
    Kernel& kernel_;
    Diags& diags_;
    Words words_;
    Words refused_;
};

}  // namespace

std::vector<uint8_t> compile_c_functions(const Source& source, const ast::Program& program, Kernel& kernel,
                                         Diags& diags) {
    return Unit(source, program, kernel, diags).compile();
}

}  // namespace lt
