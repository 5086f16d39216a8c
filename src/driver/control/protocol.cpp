#include "driver/control/protocol.h"

#include <nlohmann/json.hpp>

#include "driver/control/commands.h"
#include "json/json.h"

namespace lt {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) { return json_text(json) + "\n"; }

Json object(const char* type, Json data) { return Json{{"type", type}, {"data", std::move(data)}}; }

template <typename AnyJson>
const std::string* text_member(const AnyJson& json, const char* name) {
    const auto member = json.find(name);
    return member == json.end() ? nullptr : member->template get_ptr<const std::string*>();
}

struct Request {
    std::string command;
    bool json = true;
};

constexpr const char* form_hint = R"(for example `{"command": "show @ns"}`)";

Result<Request> read_request(std::string_view line) {
    const Json json = parse_ordered_json(line);
    if (!json.is_object()) return Error{"a request must be a line with one JSON object", form_hint, 0};
    const std::string* command = text_member(json, "command");
    if (!command) return Error{"a request must have a member `command`, a string", form_hint, 0};
    const std::string* format = text_member(json, "format");
    const bool known = format ? *format == "text" || *format == "json" : !json.contains("format");
    if (!known) return Error{"the member `format` must be `text` or `json`", form_hint, 0};
    return Request{*command, !format || *format == "json"};
}

}  // namespace

std::string request_line(const std::string& command, bool json) {
    return line_of({{"command", command}, {"format", json ? "json" : "text"}});
}

std::string error_line(const Error& error) {
    return line_of(object("error", {{"message", error.what}, {"hint", error.hint}}));
}

std::string reply(Traces& traces, std::string_view line) {
    const Result<Request> request = read_request(line);
    if (!request) return error_line(request.error());
    TextSink sink;
    const std::unique_ptr<Printer> printer = request->json ? json_printer(sink) : text_printer(sink);
    const Status done = run_command(traces, request->command, *printer);
    std::string out = std::move(sink.text);
    if (!request->json && !out.empty()) out = line_of(object("text", out));
    return out + (done ? line_of(object("done", Json::object())) : error_line(done.error()));
}

Result<ReplyLine> read_reply(const std::string& line) {
    const nlohmann::json json = parse_json(line);  // an ordered one would look through all keys of a map for each
    const std::string* type = json.is_object() ? text_member(json, "type") : nullptr;
    const auto data = type ? json.find("data") : json.end();
    if (!type || data == json.end()) return Error{"the answer is not from lt", "", 0};
    const auto text = [&](const char* name) {
        const std::string* found = data->is_object() ? text_member(*data, name) : nullptr;
        return found ? *found : std::string();
    };
    if (*type == "done") return ReplyLine{ReplyLine::Kind::done, line, {}};
    if (*type == "error") return ReplyLine{ReplyLine::Kind::error, line, {text("message"), text("hint"), 0}};
    const std::string* said = *type == "text" ? data->get_ptr<const std::string*>() : nullptr;
    return ReplyLine{ReplyLine::Kind::result, said ? *said : line + "\n", {}};
}

}  // namespace lt
