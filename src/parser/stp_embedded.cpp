#include "stp_embedded.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace lt::stp {
namespace {

// A word of the kernel's source that tells what a body is for.
struct Construct {
    std::string_view word;
    std::string_view instead;
};
constexpr std::array constructs{
    Construct{"mdelay", "mdelay() and udelay() are functions here, with -g"},
    Construct{"udelay", "mdelay() and udelay() are functions here, with -g"},
    Construct{"ndelay", "udelay() is a function here, with -g"},
    Construct{"msleep", "a program of BPF cannot sleep; mdelay() keeps the CPU busy, with -g"},
    Construct{"schedule_timeout", "a program of BPF cannot sleep; mdelay() keeps the CPU busy, with -g"},
    Construct{"inet_bind_hashbucket", "`iter:tcp` in a .lt program walks all sockets of TCP, ports in use among them"},
    Construct{"tcp_hashinfo", "`iter:tcp` in a .lt program walks all sockets of TCP, ports in use among them"},
    Construct{"for_each_process", "`iter:task` in a .lt program walks all tasks"},
    Construct{"do_each_thread", "`iter:task` in a .lt program walks all tasks"},
    Construct{"for_each_thread", "`iter:task` in a .lt program walks all tasks"},
    Construct{"sock_setsockopt", "lt sets no options of sockets"},
    Construct{"kernel_setsockopt", "lt sets no options of sockets"},
    Construct{"sock_set_keepalive", "lt sets no options of sockets"},
    Construct{"tcp_set_keepalive", "lt sets no options of sockets"},
    Construct{"setsockopt", "lt sets no options of sockets"},
    Construct{"send_sig", "raise() sends a signal to the thread that runs, with -g"},
    Construct{"send_sig_info", "raise() sends a signal to the thread that runs, with -g"},
    Construct{"force_sig", "raise() sends a signal to the thread that runs, with -g"},
    Construct{"kill_pid", "raise() sends a signal to the thread that runs, with -g"},
    Construct{"call_usermodehelper", "system() runs a command, with -g"},
    Construct{"printk", "printf() prints"},
    Construct{"STAP_PRINTF", "printf() prints"},
    Construct{"_stp_printf", "printf() prints"},
    Construct{"copy_from_user", "user_string(), user_int() and their like read memory of the program"},
    Construct{"get_user", "user_string(), user_int() and their like read memory of the program"},
    Construct{"copy_to_user", "lt does not write to what it traces"},
    Construct{"put_user", "lt does not write to what it traces"},
    Construct{"sprint_symbol", "symname() names an address of the kernel"},
    Construct{"kallsyms_lookup", "symname() names an address of the kernel"},
    Construct{"ktime_get", "gettimeofday_ns() and local_clock_ns() are the clocks"},
    Construct{"do_gettimeofday", "gettimeofday_us() is that clock"},
    Construct{"d_path", "lt's .lt programs have path()"},
    Construct{"container_of",
              "@cast(address, \"struct NAME\") follows structures; offsets are subtracted from the address"},
    Construct{"current", "task_current() is that task: @cast(task_current(), \"struct task_struct\")->MEMBER"},
};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !is_letter(text[at - 1]);
        const size_t end = at + word.size();
        if (begins && (end == text.size() || !is_letter(text[end]))) return true;
    }
    return false;
}

}  // namespace

void refuse_embedded(Diags& diags, Span where, std::string_view what, std::string_view text) {
    for (const Construct& row : constructs) {
        if (!has_word(text, row.word)) continue;
        diags.error(where, fmt::format("{} is written in C, which lt does not compile, and uses {}", what, row.word))
            .hint = row.instead;
        return;
    }
    diags.error(where, fmt::format("{} is written in C, which lt does not compile", what)).hint =
        "write what it does in the language: $x->y and @cast follow the kernel's structures";
}

}  // namespace lt::stp
