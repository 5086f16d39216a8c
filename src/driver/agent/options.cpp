#include "driver/agent/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "driver/cli/notify.h"
#include "stdlib/options.h"

namespace lt::agent {
namespace {

constexpr size_t greatest_limit = 1'000'000;

// Those about an agent, and those about compiling and attaching.
constexpr std::array taken{
    Option::listen,          Option::ttl,        Option::max_series,
    Option::max_overhead,    Option::quiet,      Option::ready_fd,
    Option::verbose,         Option::cgroup,     Option::container,
    Option::attach_with,     Option::no_feature, Option::max_map_keys,
    Option::header_folders,  Option::headers,    Option::debug_folders,
    Option::traceable,       Option::warnings,   Option::no_warnings,
    Option::unsafe,          Option::needless,   Option::otlp,
    Option::export_interval, Option::late,
};

Status none_foreign(const Command& command) {
    for (const OptionRow& row : option_rows()) {
        if (!command.has(row.id) || std::ranges::find(taken, row.id) != taken.end()) continue;
        const std::string_view instead =
            row.id == Option::duration ? "--ttl ends an agent after a time" : "leave it out";
        return Error{fmt::format("an agent does not take the option {}", split(row.names, ',').front()),
                     std::string(instead), 0};
    }
    return Done{};
}

Result<double> read_share(const std::string& text) {
    double percent = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, percent);
    if (error == std::errc{} && std::string_view(end, last) == "%" && percent > 0 && percent <= 100)
        return percent / 100;
    return Error{fmt::format("`{}` is not a valid share of CPU time", text), "write a percentage: `--max-overhead 3%`",
                 0};
}

Result<std::chrono::nanoseconds> read_time(const std::string& text, std::string_view example) {
    const Result<std::vector<uint8_t>> bytes = param_bytes("duration", duration_type(), text);
    int64_t ns = 0;
    if (bytes) std::memcpy(&ns, bytes->data(), sizeof ns);
    if (ns > 0) return std::chrono::nanoseconds(ns);
    return Error{fmt::format("`{}` is not a duration", text), fmt::format("write it with its unit: `{}`", example), 0};
}

// The pairs in a variable of the environment that SDKs of OpenTelemetry read, too.
Result<OtlpPairs> pairs_in_environment(const char* name) {
    const char* text = std::getenv(name);
    return text ? otlp_pairs(name, text) : OtlpPairs{};
}

Result<OtlpOptions> read_otlp(const Command& command) {
    constexpr std::chrono::milliseconds shortest(100);
    const Result<Curl> curl = load_curl();
    if (!curl) return curl.error();
    OtlpOptions out;
    Result<OtlpEndpoint> endpoint = otlp_endpoint(*curl, command.text(Option::otlp));
    if (!endpoint) return endpoint.error();
    out.endpoint = *std::move(endpoint);
    if (command.has(Option::export_interval)) {
        const Result<std::chrono::nanoseconds> time =
            read_time(command.text(Option::export_interval), "--export-interval 10s");
        if (!time) return time.error();
        if (*time < shortest)
            return Error{fmt::format("`{}` is too short an interval", command.text(Option::export_interval)),
                         "write 100ms or more", 0};
        out.interval = *time;
    }
    const Result<OtlpPairs> headers = pairs_in_environment("OTEL_EXPORTER_OTLP_HEADERS");
    if (!headers) return headers.error();
    for (const auto& [name, value] : *headers) out.endpoint.headers.push_back(fmt::format("{}: {}", name, value));
    if (const char* name = std::getenv("OTEL_SERVICE_NAME"); name && *name != '\0')
        out.resource.emplace_back("service.name", name);
    const Result<OtlpPairs> attributes = pairs_in_environment("OTEL_RESOURCE_ATTRIBUTES");
    if (!attributes) return attributes.error();
    out.resource.insert(out.resource.end(), attributes->begin(), attributes->end());
    return out;
}

Status read_numbers(const Command& command, AgentOptions& out) {
    if (command.has(Option::max_series)) {
        const std::string text = command.text(Option::max_series);
        out.most_series = parse_number<size_t>(text).value_or(0);
        if (out.most_series == 0 || out.most_series > greatest_limit)
            return Error{fmt::format("`{}` is not a valid number of series", text),
                         fmt::format("write a number from 1 to {}", greatest_limit), 0};
    }
    if (command.has(Option::ready_fd)) {
        const Result<int> fd = ready_descriptor(command.text(Option::ready_fd));
        if (!fd) return fd.error();
        out.ready_fd = *fd;
    }
    return Done{};
}

}  // namespace

Result<AgentOptions> agent_options(const Command& command) {
    AgentOptions out;
    if (const Status fits = none_foreign(command); !fits) return fits.error();
    if (command.file.empty())
        return Error{"an agent needs scripts, or a folder with scripts",
                     "for example `lt agent slow.lt /etc/lt/agent.d`", 0};
    out.words = command.positional;
    out.words.insert(out.words.begin(), command.file);
    if (command.has(Option::listen)) {
        const Result<ListenAddress> address = listen_address(command.text(Option::listen));
        if (!address) return address.error();
        out.listen = *address;
    }
    if (command.has(Option::ttl)) {
        const Result<std::chrono::nanoseconds> ttl = read_time(command.text(Option::ttl), "--ttl 1h");
        if (!ttl) return ttl.error();
        out.ttl = *ttl;
    }
    if (command.has(Option::late)) {
        const Result<std::chrono::nanoseconds> late = read_time(command.text(Option::late), "--late 100ms");
        if (!late) return late.error();
        out.late = *late;
    }
    out.has_budget = command.has(Option::max_overhead);
    if (out.has_budget) {
        const Result<double> share = read_share(command.text(Option::max_overhead));
        if (!share) return share.error();
        out.budget = *share;
    }
    out.quiet = command.has(Option::quiet);
    if (const Status read = read_numbers(command, out); !read) return read.error();
    if (command.has(Option::export_interval) && !command.has(Option::otlp))
        return Error{"--export-interval needs --otlp", "for example `--otlp http://collector:4318`", 0};
    if (command.has(Option::otlp)) {
        Result<OtlpOptions> otlp = read_otlp(command);
        if (!otlp) return otlp.error();
        out.otlp = *std::move(otlp);
    }
    return out;
}

Command for_script(const Command& command, const std::vector<std::string>& own_params) {
    Command out = command;
    for (const Option option : {Option::listen, Option::ttl, Option::max_series, Option::ready_fd, Option::otlp,
                                Option::export_interval, Option::late})
        out.options.erase(option);
    out.options[Option::quiet] = "true";
    out.file.clear();
    out.positional.clear();
    std::erase_if(out.params, [&](const ParamSetting& param) {
        return std::ranges::find(own_params, param.name) == own_params.end();
    });
    return out;
}

}  // namespace lt::agent
