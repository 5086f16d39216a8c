#include "driver/otlp/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>

#include "base/text.h"

namespace lt {
namespace {

constexpr std::string_view url_hint = "write it like `--otlp http://collector:4318`";

// The part of a URL; empty if it has none.
std::string url_part(const Curl& curl, CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl.url_get(url, part, &text, 0) != CURLUE_OK) return {};
    std::string out = text;
    curl.free(text);
    return out;
}

bool is_http(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

// "%41" is "A"; empty if it is damaged.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); i++) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned code = 0;
        const std::string_view digits = text.substr(i + 1, 2);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (error != std::errc{} || end != digits.data() + 2) return {};
        out += static_cast<char>(code);
        i += 2;
    }
    return out;
}

}  // namespace

Result<OtlpEndpoint> otlp_endpoint(const Curl& curl, const std::string& text) {
    const auto wrong = [&](std::string_view why) {
        return Error{fmt::format("`{}` is not the URL of a collector{}", text, why), std::string(url_hint), 0};
    };
    if (!is_http(text)) return wrong(": it does not begin with http:// or https://");
    const std::unique_ptr<CURLU, void (*)(CURLU*)> url(curl.url(), curl.url_cleanup);
    if (!url || curl.url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return wrong("");
    const bool has_host = text[text.find("//") + 2] != '/';  // libcurl skips a third slash
    if (!has_host || url_part(curl, url.get(), CURLUPART_HOST).empty()) return wrong(": it has no host");
    if (url_part(curl, url.get(), CURLUPART_PORT) == "0") return wrong(": there is no port 0");
    if (text.find_first_of("?#") != std::string::npos) return wrong(": it has a query or a fragment");
    OtlpEndpoint out{text, text};
    while (out.url.ends_with('/')) out.url.pop_back();
    for (const std::string_view path : {"/v1/metrics", "/v1/traces"})
        if (out.url.ends_with(path)) return wrong(fmt::format(": leave out {}, which lt adds itself", path));
    const std::string user = url_part(curl, url.get(), CURLUPART_USER);
    out.shown = out.url;
    if (const size_t at = out.url.rfind('@'); !user.empty() && at != std::string::npos)
        out.shown = out.url.substr(0, out.url.find("//") + 2) + "..." + out.url.substr(at);
    return out;
}

Result<OtlpPairs> otlp_pairs(std::string_view name, std::string_view text) {
    OtlpPairs out;
    for (const std::string_view part : split(text, ',')) {
        const std::string_view pair = trim(part);
        if (pair.empty()) continue;
        const size_t equals = pair.find('=');
        const std::optional<std::string> key = percent_decoded(trim(pair.substr(0, equals)));
        const std::optional<std::string> value =
            equals == pair.npos ? std::nullopt : percent_decoded(trim(pair.substr(equals + 1)));
        const auto is_control = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; };
        if (!key || key->empty() || !value || std::ranges::any_of(*key + *value, is_control))
            return Error{fmt::format("{} is not a list of names and values", name),
                         fmt::format("write it like {}=name=value,other=value", name), 0};
        out.emplace_back(*key, *value);
    }
    return out;
}

}  // namespace lt
