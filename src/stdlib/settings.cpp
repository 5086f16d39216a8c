#include "stdlib/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace lt {
namespace {

std::optional<uint32_t> number(std::string_view text, uint32_t least, uint32_t most) {
    uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || at != end || value < least || value > most) return std::nullopt;
    return value;
}

template <uint32_t Settings::* member, uint32_t least, uint32_t most>
bool set_number(Settings& settings, std::string_view text) {
    const auto value = number(text, least, most);
    if (value) settings.*member = *value;
    return value.has_value();
}

bool set_print_maps(Settings& settings, std::string_view text) {
    settings.print_maps_on_exit = text == "1" || text == "true";
    return settings.print_maps_on_exit || text == "0" || text == "false";
}

bool set_errors(Settings& settings, std::string_view text) {
    settings.runtime_errors = text == "1" || text == "true";
    return settings.runtime_errors || text == "0" || text == "false";
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

// Of what lt does in another way, or needs no limit for.
bool accept(Settings&, std::string_view) { return true; }
bool accept_number(Settings&, std::string_view text) { return number(text, 0, UINT32_MAX).has_value(); }

constexpr std::string_view no_effect = "Accepted; lt has no need of it.";
constexpr std::array rows{
    SettingRow{"max_map_keys", "a number from 1 to 16777216", set_number<&Settings::max_map_keys, 1, 1U << 24>,
               "How many keys a map holds."},
    SettingRow{"max_strlen", "a number from 1 to 1024", set_number<&Settings::max_strlen, 1, 1024>,
               "The bytes that str() reads."},
    SettingRow{"max_probes", "a number from 1 to 65536", set_number<&Settings::max_probes, 1, 65536>,
               "The places that one wildcard may stand for."},
    SettingRow{"missing_probes", "error, warn or ignore", set_missing,
               "What to do where a probe's place is not there."},
    SettingRow{"print_maps_on_exit", "true or false", set_print_maps, "Are maps printed at the end?"},
    SettingRow{"runtime_errors", "true or false", set_errors,
               "Do a division by zero, memory that cannot be read and a map that is full end the block with an error?"},
    SettingRow{"max_errors", "a number", set_number<&Settings::max_errors, 0, UINT32_MAX>,
               "How many such errors do not end the run."},
    SettingRow{"stack_mode", "bpftrace, perf or raw", set_stack_form, "How stacks are printed."},
    SettingRow{"on_stack_limit", "a number", accept_number, no_effect},
    SettingRow{"cache_user_symbols", "a word", accept, no_effect},
    SettingRow{"cpp_demangle", "true or false", accept, no_effect},
    SettingRow{"lazy_symbolication", "true or false", accept, no_effect},
    SettingRow{"license", "a string", accept, "Accepted; programs of lt are under the GPL."},
    SettingRow{"log_size", "a number", accept_number, no_effect},
    SettingRow{"max_bpf_progs", "a number", accept_number, no_effect},
    SettingRow{"max_cat_bytes", "a number", accept_number, no_effect},
    SettingRow{"perf_rb_pages", "a number", accept_number, no_effect},
    SettingRow{"show_debug_info", "true or false", accept, no_effect},
    SettingRow{"str_trunc_trailer", "a string", accept, no_effect},
    SettingRow{"use_blazesym", "true or false", accept, no_effect},
    SettingRow{"unstable_import", "a word", accept, no_effect},
    SettingRow{"unstable_import_statement", "a word", accept, no_effect},
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
    s.plain_integers = true;
    s.announces_probes = true;
    s.uses_environment = true;
    s.maps_apart = true;
    s.binds_command = true;
    s.missing_probes = MissingProbes::warn;
    return s;
}

Settings stp_settings() {
    Settings s;
    s.plain_integers = true;
    s.print_maps_on_exit = false;
    s.reports_on_host = true;
    s.numbers_by_default = true;
    s.bounded_strings = true;
    s.runtime_errors = true;
    s.runs_commands = true;
    s.max_map_keys = 2048;
    s.max_strlen = 512;
    s.max_probes = 4096;
    return s;
}

struct Dialect {
    std::string_view ending;
    Grammar grammar;
    Settings (*settings)();
};
constexpr std::array dialects{Dialect{".bt", Grammar::lt, bt_settings}, Dialect{".stp", Grammar::stp, stp_settings}};

}  // namespace

std::span<const SettingRow> setting_rows() { return rows; }

const SettingRow* find_setting(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower.starts_with(prefix)) lower.erase(0, prefix.size());
    const auto* found = std::find_if(rows.begin(), rows.end(), [&](const SettingRow& r) { return r.name == lower; });
    return found == rows.end() ? nullptr : &*found;
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

std::string take_environment(Settings& settings) {
    for (const SettingRow& row : rows) {
        std::string name(prefix);
        name += row.name;
        for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        const char* value = std::getenv(name.c_str());
        if (value != nullptr && !row.set(settings, value)) return name;
    }
    return "";
}

}  // namespace lt
