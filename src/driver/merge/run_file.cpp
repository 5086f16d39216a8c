#include "driver/merge/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "base/visible.h"
#include "driver/merge/key_text.h"

namespace lt {
namespace {

constexpr std::string_view merged_files =
    "it takes files that `lt -f json -o FILE ...` writes until it ends; .bt programs write what bpftrace does";

Error damaged(const RunFile& file, size_t line, std::string_view what) {
    return {fmt::format("{}: {}", file.place(line), what), "", 0};
}

// A text for tables and messages: whoever has the file may have written anything into it.
std::optional<std::string> name_of(const Json* json) {
    const auto text = text_of(json);
    return text ? std::optional(visible(*text)) : text;
}

constexpr std::array view_words{View::plain, View::duration, View::hex, View::boolean, View::enumeration};

std::optional<View> view_called(std::string_view name) {
    const auto* const found = std::ranges::find(view_words, name, view_name);
    return found == view_words.end() ? std::nullopt : std::optional(*found);
}

std::optional<Aggregation> aggregation_called(std::string_view name) {
    for (auto i = static_cast<int>(Aggregation::none); i <= static_cast<int>(Aggregation::why); i++)
        if (aggregation_name(static_cast<Aggregation>(i)) == name) return static_cast<Aggregation>(i);
    return {};
}

// As a plan's types have them: see Shape::buckets.
bool are_buckets(Aggregation a, const std::vector<int64_t>& b) {
    constexpr int64_t far = int64_t{1} << 62, most_steps = 1000;
    if (!std::ranges::all_of(b, [](int64_t n) { return n > -far && n < far; })) return false;
    if (a == Aggregation::hist) return b.size() == 1 && b[0] >= 0 && b[0] <= 8;
    if (a != Aggregation::lhist) return true;
    return b.size() == 3 && b[2] > 0 && b[1] > b[0] && (b[1] - b[0] - 1) / b[2] < most_steps;
}

std::optional<Type> read_value_type(const Json& map) {
    const auto collects = aggregation_called(text_of(member_of(map, "collects")).value_or(""));
    const auto view = view_called(text_of(member_of(map, "view")).value_or(""));
    const Json* is_signed = member_of(map, "signed");
    if (!collects || !view || !is_signed || !is_signed->is_boolean()) return {};
    const bool collected = *collects != Aggregation::none;
    if (collected && *view != View::plain && *view != View::duration) return {};
    Type type = aggregation_type(*collects, *view);
    // the members of an enumeration are not in the file
    if (!collected) type = integer_type(8, true, *view == View::enumeration ? View::plain : *view);
    type.is_signed = is_signed->get<bool>();
    const Json* buckets = member_of(map, "buckets");
    if (!buckets) return *collects == Aggregation::lhist ? std::nullopt : std::optional(type);
    Shape shape;
    if (!buckets->is_array()) return {};
    for (const Json& each : *buckets) {
        const auto number = integer_of(&each);
        if (!number) return {};
        shape.buckets.push_back(*number);
    }
    if (!are_buckets(*collects, shape.buckets)) return {};
    type.shape = std::move(shape);
    return type;
}

std::optional<ResultFact> read_result(const Json& map) {
    const auto name = name_of(member_of(map, "name"));
    const auto forms = texts_of(member_of(map, "key"));
    const auto entries = count_of(member_of(map, "entries"));
    auto type = read_value_type(map);
    const Json* divisor = member_of(map, "divisor");
    const auto by = divisor ? integer_of(divisor) : std::optional<int64_t>(1);
    const Json* same = member_of(map, "alike");
    const auto alike = same ? count_of(same) : std::optional<uint64_t>(0);
    if (!name || !forms || !entries || !type || !by || !alike) return {};
    ResultFact out{*name, {}, *std::move(type), *entries, *by, *alike};
    for (const std::string& form : *forms) {
        const auto part = key_part_type(form);
        if (!part) return {};
        out.key.push_back(*part);
    }
    return out;
}

Status read_run(RunFile& file, size_t line, const Json& data) {
    const auto version = integer_of(member_of(data, "version"));
    if (!version) return damaged(file, line, "the object `run` has no version");
    if (*version != run_version)
        return damaged(file, line,
                       fmt::format("the object `run` has version {}; this lt reads version {}", *version, run_version));
    const Json* maps = member_of(data, "maps");
    const auto lt = text_of(member_of(data, "lt"));
    auto hosts = texts_of(member_of(data, "hosts"));
    const auto script = text_of(member_of(data, "script"));
    const auto checksum = text_of(member_of(data, "checksum"));
    const auto arguments = texts_of(member_of(data, "arguments"));
    if (!maps || !maps->is_array() || !lt || !hosts || hosts->empty() || !script || !checksum || !arguments)
        return damaged(file, line, "the object `run` is damaged: a member is missing or of another type");
    for (std::string& host : *hosts) host = visible(host);
    file.run = {*lt, *std::move(hosts), *script, *checksum, *arguments, {}};
    if (const Json* seconds = member_of(data, "seconds")) {
        if (!seconds->is_number() || seconds->get<double>() < 0)
            return damaged(file, line, "the object `run` is damaged: `seconds`");
        file.run.seconds = seconds->get<double>();
    }
    if (const Json* started = member_of(data, "started")) {
        const auto at = integer_of(member_of(*started, "at")), late = integer_of(member_of(*started, "late"));
        if (!at || !late) return damaged(file, line, "the object `run` is damaged: `started`");
        file.run.started = Started{*at, *late};
    }
    for (const Json& map : *maps) {
        auto result = read_result(map);
        if (!result)
            return damaged(file, line, fmt::format("the object `run` is damaged: map {}", file.run.maps.size() + 1));
        file.run.maps.push_back(*std::move(result));
    }
    file.run_line = line;
    return Done{};
}

bool add_lost(RunFile& file, const Json& data) {
    const auto kind = name_of(member_of(data, "kind")), subject = name_of(member_of(data, "subject"));
    const auto count = count_of(member_of(data, "count"));
    if (kind && subject && count) file.unseen.lost[{*kind, *subject}] += *count;
    return kind && subject && count;
}

bool add_missed(RunFile& file, const Json& data) {
    const auto probe = name_of(member_of(data, "probe")), kind = name_of(member_of(data, "kind"));
    const auto count = count_of(member_of(data, "count"));
    if (probe && kind && count) file.unseen.missed[{*probe, *kind}] += *count;
    return probe && kind && count;
}

bool add_lost_events(RunFile& file, const Json& data) {
    const auto count = count_of(member_of(data, "events"));
    if (count) file.unseen.lost[{"ring_buffer_full", ""}] += *count;
    return count.has_value();
}

bool add_account(RunFile& file, const Json& data) {
    const auto span = name_of(member_of(data, "span"));
    const auto opened = count_of(member_of(data, "opened")), closed = count_of(member_of(data, "closed")),
               open = count_of(member_of(data, "open"));
    const auto unexplained = integer_of(member_of(data, "unexplained"));
    const Json* lost = member_of(data, "lost");
    if (!span || !opened || !closed || !open || !unexplained || !lost || !lost->is_object()) return false;
    AccountFact& account = file.unseen.accounts.try_emplace(*span, AccountFact{*span, 0, 0, 0}).first->second;
    account.opened += *opened;  // spans that differ in their conditions have one text
    account.closed += *closed;
    account.open += *open;
    account.unexplained += *unexplained;
    for (const auto& [kind, count] : lost->items()) {
        if (!count_of(&count)) return false;
        account.lost.emplace_back(visible(kind), *count_of(&count));
    }
    return true;
}

// {"@name": content}, perhaps with "sampled" beside it.
bool keep_map(RunFile& file, size_t line, Json& object, Json& data) {
    if (!data.is_object() || data.size() != 1) return false;
    MapLine map{line, std::move(data.begin().value())};
    if (const Json* sampled = member_of(object, "sampled")) {
        const auto left_out = count_of(member_of(*sampled, "left_out"));
        const Json* detached = member_of(*sampled, "detached");
        if (!left_out || !detached || !detached->is_boolean()) return false;
        map.sampled = Sampled{*left_out, detached->get<bool>()};
    }
    file.maps.insert_or_assign(visible(data.begin().key()), std::move(map));
    return true;
}

Status read_object(RunFile& file, size_t line, std::string_view text) {
    Result<Json> object = parse_line(text);
    const auto type = object ? text_of(member_of(*object, "type")) : std::nullopt;
    if (!type) {
        Error error = damaged(file, line,
                              object ? "this is not an object with a `type`, as lt writes them" : object.error().what);
        error.hint = merged_files;
        return error;
    }
    constexpr std::array<std::string_view, 6> of_maps{"map", "hist", "stats", "dist", "why", "tseries"};
    const auto found = object->find("data");
    if (found == object->end()) return Done{};  // what the script has reported
    if (file.run_line != 0) return damaged(file, line, "there is more after the object `run`: is this one run?");
    if (*type == "run") return read_run(file, line, *found);
    bool is_whole = true;
    if (std::ranges::find(of_maps, *type) != of_maps.end()) is_whole = keep_map(file, line, *object, *found);
    if (*type == "lost") is_whole = add_lost(file, *found);
    if (*type == "missed") is_whole = add_missed(file, *found);
    if (*type == "lost_events") is_whole = add_lost_events(file, *found);
    if (*type == "account") is_whole = add_account(file, *found);
    return is_whole ? Status(Done{}) : damaged(file, line, fmt::format("the object `{}` is damaged", *type));
}

std::string file_title(const std::filesystem::path& path, size_t folders) {
    const std::filesystem::path name = path.filename();
    std::string out = (name.extension() == ".json" ? name.stem() : name).string();
    for (auto above = path.parent_path(); folders > 0 && above.has_filename(); above = above.parent_path(), folders--)
        out = above.filename().string() + "/" + out;
    return out;
}

}  // namespace

std::vector<std::string> file_titles(std::span<const std::string> paths) {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths) files.push_back(std::filesystem::path(path).lexically_normal());
    std::vector<std::string> titles(files.size());
    std::vector<size_t> alike(files.size());
    std::iota(alike.begin(), alike.end(), size_t{0});
    for (size_t folders = 0; !alike.empty(); folders++) {
        std::map<std::string, std::set<std::filesystem::path>> with_title;
        for (const size_t file : alike) {
            titles[file] = file_title(files[file], folders);
            with_title[titles[file]].insert(files[file]);
        }
        std::erase_if(alike, [&](size_t file) { return with_title[titles[file]].size() == 1; });
        const auto is_whole = [&](size_t file) { return file_title(files[file], folders + 1) == titles[file]; };
        if (!std::ranges::all_of(alike, is_whole)) continue;
        for (const size_t file : alike) titles[file] = files[file].string();
        break;
    }
    for (std::string& title : titles) title = visible(title);
    return titles;
}

Result<RunFile> read_run_file(const std::string& path) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    if (!file) return system_error("cannot read " + path, errno);
    RunFile out{path, {}, 0, {}, {}, visible(file_title(path, 0))};
    char* line = nullptr;
    size_t room = 0, number = 0;
    Status read = Done{};
    errno = 0;
    for (ssize_t size = 0; read && (size = ::getline(&line, &room, file.get())) >= 0;) {
        number++;
        std::string_view text(line, static_cast<size_t>(size));
        if (text.ends_with('\n')) text.remove_suffix(1);
        read = read_object(out, number, text);
        errno = 0;
    }
    const int failed = errno;
    std::free(line);
    if (!read) return read.error();
    if (failed != 0) return system_error("cannot read " + path, failed);
    if (out.run_line == 0)
        return Error{fmt::format("{}: its last line is not the object `run`, so it is not the whole output of a run",
                                 number == 0 ? path : out.place(number)),
                     std::string(merged_files), 0};
    return out;
}

}  // namespace lt
