#include "driver/cache/kept_plan.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "json/json.h"

namespace lt {
namespace {

using Json = nlohmann::json;

Json written(Span span) { return {span.begin, span.end}; }

Json written(const Diag& diag) {
    Json notes = Json::array();
    for (const Note& note : diag.notes) notes.push_back({written(note.span), note.text});
    return {static_cast<int>(diag.severity), written(diag.span), diag.message, notes, diag.hint};
}

Span span_of(const Json& json) { return {json.at(0).get<uint32_t>(), json.at(1).get<uint32_t>()}; }

void read(const Json& json, Diags& diags) {
    const bool is_warning = json.at(0).get<int>() == static_cast<int>(Severity::warning);
    const Span span = span_of(json.at(1));
    const auto message = json.at(2).get<std::string>();
    Diag& diag = is_warning ? diags.warning(span, message) : diags.note(span, message);
    for (const Json& note : json.at(3)) diag.notes.push_back({span_of(note.at(0)), note.at(1).get<std::string>()});
    diag.hint = json.at(4).get<std::string>();
}

}  // namespace

// A line of JSON, and the plan.
std::optional<std::string> to_bytes(const KeptPlan& kept) {
    Json diags = Json::array();
    for (const Diag& diag : kept.diags.all()) diags.push_back(written(diag));
    const Json facts = {{"names", kept.names}, {"files", kept.files}, {"diags", diags}};
    const std::string line = json_text(facts);
    if (parse_json(line) != facts) return {};
    return line + '\n' + to_bytes(kept.saved);
}

std::optional<KeptPlan> kept_plan(std::string_view bytes, std::string_view version) {
    const size_t end = bytes.find('\n');
    if (end == bytes.npos) return {};
    Result<SavedPlan> saved = saved_plan(bytes.substr(end + 1), version);
    if (!saved) return {};
    KeptPlan kept;
    kept.saved = *std::move(saved);
    try {
        const Json facts = parse_json(bytes.substr(0, end));
        facts.at("names").get_to(kept.names);
        facts.at("files").get_to(kept.files);
        for (const Json& diag : facts.at("diags")) read(diag, kept.diags);
    } catch (const Json::exception&) {
        return {};
    }
    return kept;
}

}  // namespace lt
