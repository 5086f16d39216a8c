#include "stdlib/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "stdlib/limits.h"

namespace lt {
namespace {

std::optional<uint32_t> number_between(std::string_view text, uint32_t least, uint32_t most) {
    uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || at != end || value < least || value > most) return std::nullopt;
    return value;
}

template <uint32_t Settings::* member, uint32_t least, uint32_t most>
bool set_number(Settings& settings, std::string_view text) {
    const auto value = number_between(text, least, most);
    if (value) settings.*member = *value;
    return value.has_value();
}

template <bool Settings::* member>
bool set_truth(Settings& settings, std::string_view text) {
    settings.*member = text == "1" || text == "true";
    return settings.*member || text == "0" || text == "false";
}

bool set_cut_mark(Settings& settings, std::string_view text) {
    settings.cut_mark = text;
    return true;
}

// The licenses that the kernel treats as GPL (include/linux/license.h); only to those it offers the helpers that read
// memory.
constexpr std::array<std::string_view, 6> licenses{"GPL",          "GPL v2",       "GPL and additional rights",
                                                   "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"};

bool set_license(Settings& settings, std::string_view text) {
    settings.license = text;
    return std::find(licenses.begin(), licenses.end(), text) != licenses.end();
}

bool set_missing(Settings& settings, std::string_view text) {
    constexpr std::array<std::string_view, 3> names{"error", "warn", "ignore"};
    const auto* found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return false;
    settings.missing_probes = static_cast<MissingProbes>(found - names.begin());
    return true;
}

bool set_stack_form(Settings& settings, std::string_view text) {
    for (const StackForm form : {StackForm::names, StackForm::perf, StackForm::raw}) {
        if (text != stack_form_name(form)) continue;
        settings.stack_form = form;
        return true;
    }
    return false;
}

// bpftrace finds inlined copies of functions in the debug information only.
bool set_symbol_source(Settings& settings, std::string_view text) {
    settings.wants_copies = text == "dwarf";
    return settings.wants_copies || text == "symbol_table";
}

// For settings that lt does not need.
bool accept(Settings&, std::string_view) { return true; }
bool accept_number(Settings&, std::string_view text) { return number_between(text, 0, UINT32_MAX).has_value(); }
bool accept_truth(Settings&, std::string_view text) {
    return text == "0" || text == "1" || text == "true" || text == "false";
}
bool accept_import(Settings&, std::string_view text) { return text == "enable" || text == "warn" || text == "error"; }
bool accept_cache(Settings&, std::string_view text) {
    constexpr std::array<std::string_view, 5> names{"PER_PID", "PER_PROGRAM", "NONE", "0", "1"};
    return std::find(names.begin(), names.end(), text) != names.end();
}

constexpr std::string_view no_effect = "Accepted, without an effect in lt.";
constexpr std::string_view no_copies = "Accepted; lt warns that it does not add the inlined copies of a function.";
constexpr std::array all_settings{
    SettingRow{"max_map_keys", "a number from 1 to 16777216", set_number<&Settings::max_map_keys, 1, 1U << 24>,
               "The most keys a map can hold."},
    SettingRow{"max_strlen", "a number from 1 to 65536", set_number<&Settings::max_strlen, 1, most_string_bytes>,
               "The bytes that str() reads."},
    SettingRow{"max_probes", "a number from 1 to 65536", set_number<&Settings::max_probes, 1, 65536>,
               "The most locations one wildcard can match."},
    SettingRow{"missing_probes", "error, warn or ignore", set_missing,
               "What to do if a probe's location does not exist."},
    SettingRow{"print_maps_on_exit", "true or false", set_truth<&Settings::print_maps_on_exit>,
               "Are maps printed at the end?"},
    SettingRow{"runtime_errors", "true or false", set_truth<&Settings::runtime_errors>,
               "Do a division by zero, unreadable memory and a full map end the block with an error?"},
    SettingRow{"max_errors", "a number", set_number<&Settings::max_errors, 0, UINT32_MAX>,
               "The number of such errors that do not end the run."},
    SettingRow{"stops_at_exit", "true or false", set_truth<&Settings::stops_at_exit>,
               "After exit(), does no other block begin, and does its own continue?"},
    SettingRow{"keeps_order", "true or false", set_truth<&Settings::keeps_order>,
               "Do loops over maps without an order go by the age of the keys, in blocks that lt runs?"},
    SettingRow{"keeps_newlines", "true or false", set_truth<&Settings::keeps_newlines>,
               "Are newlines and tabs in strings from outside the script printed unchanged?"},
    SettingRow{"stack_mode", "bpftrace, perf or raw", set_stack_form, "How stacks are printed."},
    SettingRow{"on_stack_limit", "a number", accept_number, no_effect},
    SettingRow{"max_cat_bytes", "a number from 1 to 16777216", set_number<&Settings::max_cat_bytes, 1, 1U << 24>,
               "The bytes that cat() prints of a file."},
    SettingRow{"perf_rb_pages", "a number from 1 to 65536", set_number<&Settings::ring_pages, 1, 65536>,
               "The pages of 4 KiB for records that wait to be printed."},
    SettingRow{"str_trunc_trailer", "a string", set_cut_mark, "The text printed after a truncated string."},
    SettingRow{"license", "GPL, GPL v2, GPL and additional rights, Dual BSD/GPL, Dual MIT/GPL or Dual MPL/GPL",
               set_license, "The license of the programs, as passed to the kernel."},
    SettingRow{"cpp_demangle", "true or false", set_truth<&Settings::demangles>,
               "Are functions of programs printed as their language writes them?"},
    SettingRow{"show_debug_info", "true or false", set_truth<&Settings::shows_lines>,
               "Do stacks of programs show source lines?"},
    SettingRow{"cache_user_symbols", "PER_PID, PER_PROGRAM or NONE", accept_cache, no_effect},
    SettingRow{"lazy_symbolication", "true or false", accept_truth, no_effect},
    SettingRow{"log_size", "a number", accept_number, no_effect},
    SettingRow{"max_bpf_progs", "a number", accept_number, no_effect},
    SettingRow{"max_type_res_iterations", "a number", accept_number, no_effect},
    SettingRow{"probe_inline", "true or false", set_truth<&Settings::wants_copies>, no_copies},
    SettingRow{"symbol_source", "dwarf or symbol_table", set_symbol_source, no_copies},
    SettingRow{"use_blazesym", "true or false", accept_truth, no_effect},
    SettingRow{"unstable_import", "a word", accept, no_effect},
    SettingRow{"unstable_import_statement", "enable, warn or error", accept_import, "May `import` stand in a block?"},
    SettingRow{"unstable_map_decl", "a word", accept, no_effect},
    SettingRow{"unstable_macro", "a word", accept, no_effect},
    SettingRow{"unstable_tseries", "a word", accept, no_effect},
    SettingRow{"unstable_typeinfo", "a word", accept, no_effect},
    SettingRow{"unstable_dw_ustack", "a word", accept, no_effect},
    SettingRow{"unstable_addr", "a word", accept, no_effect},
};

constexpr std::string_view prefix = "bpftrace_";

Settings bt_settings() {
    Settings s;
    s.conventions = {.plain_integers = true,
                     .c_integers = true,
                     .announces_attached = true,
                     .positions = true,
                     .parts_maps = true,
                     .orders_maps = true,
                     .empty_maps = true,
                     .whole_iterators = true,
                     .binds_command = true};
    s.shows_truths = true;
    s.least_sizes = true;
    s.allows_idle_values = true;
    s.plain_stacks = true;
    s.uses_environment = true;
    s.cut_mark = "..";
    s.max_strlen = 1024;
    s.max_probes = 1024;
    s.shows_lines = true;
    s.quotes_stand = true;
    s.one_for_zero = true;
    s.value_first = true;
    s.unsigned_if_mixed = true;
    s.plain_strncmp = true;
    s.describes_signals = true;
    s.names_hierarchies = true;
    s.reads_registers = true;
    s.plain_results = true;
    s.signed_variables = true;
    s.warns_of_own_task = true;
    s.ctx_is_registers = true;
    s.signed_buckets = true;
    s.special_probes = true;
    s.skips_own = false;
    s.ring_pages = 1024;  // print() of values, join() and others may be as frequent as printf()
    return s;
}

Settings stp_settings() {
    Settings s;
    s.conventions = {.plain_integers = true, .marks_zero = true};
    s.print_maps_on_exit = false;
    s.reports_on_host = true;
    s.numbers_by_default = true;
    s.systemtap_hints = true;
    s.bounded_strings = true;
    s.runtime_errors = true;
    s.stops_at_exit = true;
    s.keeps_order = true;
    s.keeps_newlines = true;
    s.runs_commands = true;
    s.max_map_keys = 2048;
    s.max_strlen = 512;
    s.max_probes = 4096;
    s.skips_own = false;
    return s;
}

struct Dialect {
    std::string_view ending;
    Grammar grammar;
    Settings (*settings)();
};
constexpr std::array dialects{Dialect{".bt", Grammar::lt, bt_settings}, Dialect{".stp", Grammar::stp, stp_settings}};

}  // namespace

std::span<const SettingRow> setting_rows() { return all_settings; }

const SettingRow* find_setting(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower.starts_with(prefix)) lower.erase(0, prefix.size());
    const auto* found =
        std::find_if(all_settings.begin(), all_settings.end(), [&](const SettingRow& r) { return r.name == lower; });
    return found == all_settings.end() ? nullptr : &*found;
}

Grammar grammar_of(std::string_view file) {
    for (const Dialect& d : dialects) {
        if (file.ends_with(d.ending)) return d.grammar;
    }
    return Grammar::lt;
}

Settings settings_of(std::string_view file) {
    for (const Dialect& d : dialects) {
        if (file.ends_with(d.ending)) return d.settings();
    }
    return {};
}

namespace {

// bpftrace's name for the variable before 0.18.
struct OldVariable {
    const char* name;
    bool (*set)(Settings& settings, std::string_view text);
};
constexpr std::array old_variables{
    OldVariable{"BPFTRACE_STRLEN", set_number<&Settings::max_strlen, 1, most_string_bytes>},
    OldVariable{"BPFTRACE_MAP_KEYS_MAX", set_number<&Settings::max_map_keys, 1, 1U << 24>},
    OldVariable{"BPFTRACE_CAT_BYTES_MAX", set_number<&Settings::max_cat_bytes, 1, 1U << 24>},
    OldVariable{"BPFTRACE_NO_CPP_DEMANGLE",
                [](Settings& settings, std::string_view text) {
                    settings.demangles = text == "0";
                    return text == "0" || text == "1";
                }},
};

constexpr std::array ignored{
    IgnoredVariable{"BPFTRACE_BTF", "lt uses the types of the running kernel"},
    IgnoredVariable{"BPFTRACE_VMLINUX", "lt uses the symbols of the running kernel"},
    IgnoredVariable{"BPFTRACE_KERNEL_SOURCE", "use `-I DIR` for the folder of C headers"},
    IgnoredVariable{"BPFTRACE_KERNEL_BUILD", "use `-I DIR` for the folder of C headers"},
    IgnoredVariable{"BPFTRACE_NO_USER_SYMBOLS", "use `config = { stack_mode = \"raw\" }` to show addresses"},
};

}  // namespace

std::vector<IgnoredVariable> ignored_environment() {
    std::vector<IgnoredVariable> out;
    for (const IgnoredVariable& row : ignored)
        if (std::getenv(row.name.data()) != nullptr) out.push_back(row);
    return out;
}

std::string take_environment(Settings& settings) {
    for (const OldVariable& old : old_variables) {
        const char* value = std::getenv(old.name);
        if (value != nullptr && !old.set(settings, value)) return old.name;
    }
    for (const SettingRow& row : all_settings) {
        std::string name(prefix);
        name += row.name;
        for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        const char* value = std::getenv(name.c_str());
        if (value != nullptr && !row.set(settings, value)) return name;
    }
    return "";
}

}  // namespace lt
