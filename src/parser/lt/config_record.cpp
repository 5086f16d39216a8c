// `config` as a value: a record of the current settings by name. Settings that lt does not use have the program's
// value, or else bpftrace's default.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "parser/lt/expand.h"

namespace lt {
namespace {

enum class Sort : uint8_t { truth, number, text };

struct SettingValue {
    std::string_view name;
    Sort sort;
    std::string_view usual;                         // default if neither the program nor lt sets it
    std::string (*now)(const Settings&) = nullptr;  // the value of a setting that lt has
};

std::string truth(bool is_so) { return is_so ? "true" : "false"; }

constexpr std::array values{
    SettingValue{"cpp_demangle", Sort::truth, "", [](const Settings& s) { return truth(s.demangles); }},
    SettingValue{"lazy_symbolication", Sort::truth, "false"},
    SettingValue{"print_maps_on_exit", Sort::truth, "", [](const Settings& s) { return truth(s.print_maps_on_exit); }},
    SettingValue{"use_blazesym", Sort::truth, "false"},
    SettingValue{"show_debug_info", Sort::truth, "", [](const Settings& s) { return truth(s.shows_lines); }},
    SettingValue{"log_size", Sort::number, "1000000"},
    SettingValue{"max_bpf_progs", Sort::number, "1024"},
    SettingValue{"max_cat_bytes", Sort::number, "", [](const Settings& s) { return std::to_string(s.max_cat_bytes); }},
    SettingValue{"max_map_keys", Sort::number, "", [](const Settings& s) { return std::to_string(s.max_map_keys); }},
    SettingValue{"max_probes", Sort::number, "", [](const Settings& s) { return std::to_string(s.max_probes); }},
    SettingValue{"max_strlen", Sort::number, "", [](const Settings& s) { return std::to_string(s.max_strlen); }},
    SettingValue{"on_stack_limit", Sort::number, "32"},
    SettingValue{"perf_rb_pages", Sort::number, "", [](const Settings& s) { return std::to_string(s.ring_pages); }},
    SettingValue{"str_trunc_trailer", Sort::text, "", [](const Settings& s) { return s.cut_mark; }},
    SettingValue{"unstable_import_statement", Sort::text, "error"},
    SettingValue{"unstable_tseries", Sort::text, "warn"},
    SettingValue{"unstable_typeinfo", Sort::text, "warn"},
    SettingValue{"unstable_dw_ustack", Sort::text, "warn"},
    SettingValue{"missing_probes", Sort::text, "",
                 [](const Settings& s) {
                     constexpr std::array<std::string_view, 4> words{"error", "warn", "ignore", "warn"};
                     return std::string(words[static_cast<size_t>(s.missing_probes)]);
                 }},
    SettingValue{"stack_mode", Sort::text, "",
                 [](const Settings& s) { return std::string(stack_form_name(s.stack_form)); }},
    SettingValue{"license", Sort::text, "", [](const Settings& s) { return s.license; }},
};

// The value that the program sets, if it does.
std::optional<std::string> written(const ast::Program& program, std::string_view name) {
    std::optional<std::string> out;
    for (const ast::Item& item : program.items) {
        const auto* config = std::get_if<ast::Config>(&item.node);
        if (config == nullptr) continue;
        for (const ast::Config::Setting& s : config->settings) {
            const SettingRow* row = find_setting(s.name);
            if (row != nullptr && row->name == name) out = s.value;
        }
    }
    return out;
}

ast::ExprNode literal(const ast::Program& program, const SettingValue& value) {
    const std::string text = value.now != nullptr ? value.now(program.settings)
                                                  : written(program, value.name).value_or(std::string(value.usual));
    if (value.sort == Sort::text) return ast::String{text};
    if (value.sort == Sort::truth) return ast::Boolean{text == "true" || text == "1"};
    const bool is_number = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    return ast::Integer{is_number ? std::stoull(text) : 0};
}

bool is_config(const ast::Program& program, ast::ExprId id) {
    const auto* name = program.get<ast::Name>(id);
    return name != nullptr && name->name == "config";
}

ast::Tuple record(ast::Program& program, Span span) {
    ast::Tuple out;
    for (const SettingValue& value : values) {
        out.names.emplace_back(value.name);
        out.parts.push_back(static_cast<ast::ExprId>(program.exprs.size()));
        program.exprs.push_back({span, literal(program, value)});
    }
    return out;
}

}  // namespace

void put_settings(ast::Program& program) {
    const size_t written_exprs = program.exprs.size();
    // config.NAME is a constant
    for (ast::Expr& e : program.exprs) {
        const auto* member = std::get_if<ast::Member>(&e.node);
        if (member == nullptr || !is_config(program, member->base)) continue;
        const auto* value = std::ranges::find(values, member->field, &SettingValue::name);
        if (value != values.end()) e.node = literal(program, *value);
    }
    for (size_t i = 0; i < written_exprs; i++) {
        if (is_config(program, static_cast<ast::ExprId>(i)))
            program.exprs[i].node = record(program, Span(program.exprs[i].span));
    }
}

}  // namespace lt
