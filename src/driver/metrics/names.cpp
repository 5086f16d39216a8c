#include "driver/metrics/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "base/text.h"

namespace lt::agent {
namespace {

struct UnitWord {
    std::string_view word;
    std::string_view unit;
    int64_t divisor;
};
constexpr std::array unit_words{
    UnitWord{"ns", "seconds", 1'000'000'000},
    UnitWord{"nsec", "seconds", 1'000'000'000},
    UnitWord{"nsecs", "seconds", 1'000'000'000},
    UnitWord{"nanoseconds", "seconds", 1'000'000'000},
    UnitWord{"us", "seconds", 1'000'000},
    UnitWord{"usec", "seconds", 1'000'000},
    UnitWord{"usecs", "seconds", 1'000'000},
    UnitWord{"microseconds", "seconds", 1'000'000},
    UnitWord{"ms", "seconds", 1'000},
    UnitWord{"msec", "seconds", 1'000},
    UnitWord{"msecs", "seconds", 1'000},
    UnitWord{"milliseconds", "seconds", 1'000},
    UnitWord{"secs", "seconds", 1},
    UnitWord{"seconds", "seconds", 1},
    UnitWord{"bytes", "bytes", 1},
};

// "queue_us" is {"queue", the row of us}.
const UnitWord* take_unit(std::string& word) {
    const size_t at = word.rfind('_');
    const std::string last = at == word.npos ? word : word.substr(at + 1);
    const auto* const row = std::ranges::find(unit_words, last, &UnitWord::word);
    if (row == unit_words.end()) return nullptr;
    word.erase(at == word.npos ? 0 : at);
    return row;
}

std::string_view without_at(std::string_view map) {
    if (map.starts_with('@')) map.remove_prefix(1);
    return map;
}

}  // namespace

std::string metric_word(std::string_view text) {
    std::string out;
    for (const char c : text) out += is_word_character(c) ? c : '_';
    return !out.empty() && std::isdigit(static_cast<unsigned char>(out[0])) != 0 ? "_" + out : out;
}

std::string script_word(std::string_view path) {
    std::string word = metric_word(std::filesystem::path(path).stem().string());
    word.erase(0, std::min(word.find_first_not_of('_'), word.size()));
    return word.empty() ? "script" : word;
}

bool is_private(std::string_view map) { return without_at(map).starts_with('_'); }

MetricName metric_name(std::string_view script, std::string_view map, const Type& value) {
    std::string word = metric_word(without_at(map));
    MetricName out;
    const bool counts = value.aggregation == Aggregation::count;
    if (const UnitWord* row = counts ? nullptr : take_unit(word)) {
        out.unit = row->unit;
        out.divisor = row->divisor;
    }
    if (!counts && value.view == View::duration) {
        out.unit = "seconds";
        out.divisor = 1'000'000'000;
    }
    for (const std::string_view end : {"_total", "total"})
        if (word.ends_with(end) && (end[0] == '_' || word == end)) word.erase(word.size() - end.size());
    out.name = fmt::format("lt_{}", script);
    for (const std::string_view part : {std::string_view(word), out.unit})
        if (!part.empty()) out.name += fmt::format("_{}", part);
    return out;
}

// ---- labels

namespace {

// Does the result mean the same as the left operand? A bucket of it does, a comparison does not.
bool is_scaled(ast::BinaryOp op) {
    return op == ast::BinaryOp::divide || op == ast::BinaryOp::multiply || op == ast::BinaryOp::shift_right ||
           op == ast::BinaryOp::shift_left || op == ast::BinaryOp::bit_and;
}

// A name for an expression; empty if it has none.
std::string name_of(const ast::Program& program, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* name = std::get_if<ast::Name>(&node)) return name->name;
    if (const auto* local = std::get_if<ast::Local>(&node)) return local->name;
    if (const auto* member = std::get_if<ast::Member>(&node)) {
        const bool is_part = member->field.find_first_not_of("0123456789") == std::string::npos;
        return is_part ? name_of(program, member->base) : member->field;
    }
    if (const auto* cast = std::get_if<ast::Cast>(&node)) return name_of(program, cast->value);
    if (const auto* unary = std::get_if<ast::Unary>(&node)) return name_of(program, unary->operand);
    if (const auto* index = std::get_if<ast::Index>(&node)) return name_of(program, index->base);
    if (const auto* map = std::get_if<ast::Map>(&node)) return map->name;
    if (const auto* binary = std::get_if<ast::Binary>(&node))
        return is_scaled(binary->op) ? name_of(program, binary->left) : "";
    if (const auto* call = std::get_if<ast::Call>(&node)) {
        const std::string inner = call->arguments.empty() ? "" : name_of(program, call->arguments[0]);
        return inner.empty() ? call->name : inner;
    }
    return "";
}

// Prometheus keeps names that begin with two underscores for itself, and the formats give these two a meaning; `own` is
// a label that the metric adds by itself.
std::string label_word(std::string_view text, std::string_view own) {
    while (!text.empty() && !is_word_character(text.front())) text.remove_prefix(1);
    while (text.starts_with('_')) text.remove_prefix(1);
    const std::string word = metric_word(text);
    return word == "le" || word == "quantile" || (!word.empty() && word == own) ? word + "_" : word;
}

// The parts of the first key that the program writes for this map.
std::vector<std::string> written_parts(const ast::Program& program, std::string_view map) {
    for (const ast::Expr& expr : program.exprs) {
        const auto* found = std::get_if<ast::Map>(&expr.node);
        if (!found || found->name != map || found->key.empty()) continue;
        std::vector<ast::ExprId> key = found->key;
        std::vector<std::string> names;
        if (const auto* tuple = key.size() == 1 ? program.get<ast::Tuple>(key[0]) : nullptr) {
            names = tuple->names;
            key = tuple->parts;
        }
        for (size_t i = names.size(); i < key.size(); i++) names.push_back(name_of(program, key[i]));
        return names;
    }
    return {};
}

}  // namespace

std::vector<std::string> label_names(const ast::Program& program, std::string_view map, size_t count,
                                     std::span<const std::string> names, std::string_view own) {
    std::vector<std::string> out = written_parts(program, without_at(map));
    if (!names.empty()) out.assign(names.begin(), names.end());
    out.resize(count);
    std::set<std::string> seen;
    for (size_t i = 0; i < count; i++) {
        const std::string fallback = count == 1 ? std::string("key") : fmt::format("key{}", i + 1);
        out[i] = label_word(out[i], own);
        if (out[i].empty()) out[i] = fallback;
        if (!seen.insert(out[i]).second) seen.insert(out[i] = fmt::format("{}_{}", out[i], i + 1));
    }
    return out;
}

// ---- help

namespace {

struct CommentedLine {
    std::string_view code;
    std::optional<std::string> comment = {};
};

// Splits at the first // or, for a whole line, #, outside of strings; a comment between /* and */ counts if it ends
// there.
CommentedLine commented_line(std::string_view line) {
    bool quoted = false;
    for (size_t i = 0; i < line.size(); i++) {
        if (quoted && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            quoted = !quoted;
        if (quoted || i + 1 >= line.size()) continue;
        const std::string_view mark = line.substr(i, 2);
        if (mark == "//") return {line.substr(0, i), std::string(trim(line.substr(i + 2)))};
        const size_t end = mark == "/*" ? line.find("*/", i + 2) : line.npos;
        if (end != line.npos) return {line.substr(0, i), std::string(trim(line.substr(i + 2, end - i - 2)))};
    }
    const std::string_view whole = trim(line);
    if (whole.starts_with("# ") || whole == "#") return {"", std::string(trim(whole.substr(1)))};
    return {line};
}

bool has_map(std::string_view code, std::string_view map) {
    for (size_t at = code.find(map); at != code.npos; at = code.find(map, at + 1)) {
        const size_t end = at + map.size();
        const bool begins = map.starts_with('@') || at == 0 || !is_word_character(code[at - 1]);
        if (begins && (end >= code.size() || !is_word_character(code[end]))) return true;
    }
    return false;
}

// "// NAME (LAYER): what it shows" is what it shows.
std::string first_sentence(const std::vector<CommentedLine>& lines) {
    for (const CommentedLine& line : lines) {
        if (line.code.starts_with("#!")) continue;
        if (!line.comment || !trim(line.code).empty()) return "";
        if (line.comment->empty()) continue;
        const size_t layer = line.comment->find("): ");
        return layer == std::string::npos ? *line.comment : line.comment->substr(layer + 3);
    }
    return "";
}

}  // namespace

std::string help_of(const Source& source, std::string_view map) {
    const uint32_t own = source.parts.empty() ? static_cast<uint32_t>(source.text.size()) : source.parts.front().begin;
    std::vector<CommentedLine> lines;
    for (const std::string_view line : split(std::string_view(source.text).substr(0, own), '\n'))
        lines.push_back(commented_line(line));
    const auto has_it = [&](const CommentedLine& line) { return has_map(line.code, map); };
    const auto first = std::ranges::find_if(lines, has_it);
    if (first != lines.end() && first->comment) return *first->comment;
    std::string above;
    const auto is_comment = [](const CommentedLine& line) { return line.comment && trim(line.code).empty(); };
    auto begin = first;
    while (first != lines.end() && begin != lines.begin() && is_comment(*std::prev(begin))) begin--;
    for (auto line = begin; line != first; line++) above += (above.empty() ? "" : " ") + *line->comment;
    return above.empty() || begin == lines.begin() ? first_sentence(lines) : above;
}

}  // namespace lt::agent
