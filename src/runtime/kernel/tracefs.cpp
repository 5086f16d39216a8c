// A format file is made for people and has one field per line:
//   field:const char * filename;  offset:24;  size:8;  signed:0;
#include "runtime/kernel/tracefs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace lt {

namespace {

// ---- one line of a format file

struct FormatLine {
    std::string_view declaration;
    uint32_t offset = 0;
    uint32_t size = 0;
    bool is_signed = false;
};

std::optional<uint64_t> number(std::string_view text) {
    uint64_t value = 0;
    text = trim(text);
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::string_view> after(std::string_view text, std::string_view key) {
    text = trim(text);
    if (!text.starts_with(key)) return std::nullopt;
    return text.substr(key.size());
}

std::optional<uint32_t> small_number(std::string_view text, std::string_view key) {
    const auto rest = after(text, key);
    const auto value = rest ? number(*rest) : std::nullopt;
    constexpr uint64_t most = 1 << 20;  // far above the size of the largest record
    if (!value || *value > most) return std::nullopt;
    return static_cast<uint32_t>(*value);
}

std::optional<FormatLine> parse_line(std::string_view line) {
    const std::vector<std::string_view> parts = split(line, ';');
    if (parts.size() < 4) return std::nullopt;
    const auto declaration = after(parts[0], "field:");
    const auto offset = small_number(parts[1], "offset:");
    const auto size = small_number(parts[2], "size:");
    const auto is_signed = small_number(parts[3], "signed:");
    if (!declaration || !offset || !size || !is_signed) return std::nullopt;
    return FormatLine{trim(*declaration), *offset, *size, *is_signed != 0};
}

// ---- a declaration of C: "char comm[16]", "__data_loc char[] name", "const char * filename"

constexpr std::string_view data_location_word = "__data_loc ", relative_word = "__rel_loc ";

struct Declaration {
    std::string_view type;  // without the brackets of an array after the name
    std::string_view name;
    std::string_view brackets;
};

Declaration parse_declaration(std::string_view text) {
    Declaration d;
    if (text.ends_with(']') && !text.starts_with(data_location_word) && !text.starts_with(relative_word)) {
        const size_t open = std::min(text.find('['), text.size());
        d.brackets = text.substr(open);
        text = trim(text.substr(0, open));
    }
    const size_t before = text.find_last_of(" *");
    const size_t name = before == std::string_view::npos ? 0 : before + 1;
    d.name = text.substr(name);
    d.type = trim(text.substr(0, name));
    return d;
}

bool is_char_name(std::string_view type) { return type == "char" || type == "const char"; }
bool is_pointer(std::string_view type) { return type.ends_with('*'); }
bool is_aggregate(std::string_view type) { return type.starts_with("struct ") || type.starts_with("union "); }
bool fits_integer(uint32_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

Type pointer_type(bool user_memory) {
    Type type = integer_type(8, false, View::hex);
    type.user_memory = user_memory;
    return type;
}

Type located_type(std::string_view type) {
    constexpr uint32_t longest = 64;
    return type == "__data_loc char[]" || type == "__rel_loc char[]" ? string_type(longest) : nothing();
}

// The parameters of system calls are recorded as whole registers, but the kernel uses only the low bytes. The bytes
// above are leftovers of the program.
struct Narrow {
    std::string_view type;
    uint32_t size;
    bool is_signed;
};
constexpr std::array narrow_types{
    Narrow{"int", 4, true},          Narrow{"unsigned int", 4, false},   Narrow{"unsigned", 4, false},
    Narrow{"u32", 4, false},         Narrow{"__u32", 4, false},          Narrow{"__s32", 4, true},
    Narrow{"umode_t", 2, false},     Narrow{"pid_t", 4, true},           Narrow{"uid_t", 4, false},
    Narrow{"gid_t", 4, false},       Narrow{"qid_t", 4, false},          Narrow{"key_t", 4, true},
    Narrow{"clockid_t", 4, true},    Narrow{"clockid_t const", 4, true}, Narrow{"const clockid_t", 4, true},
    Narrow{"timer_t", 4, true},      Narrow{"mqd_t", 4, true},           Narrow{"rwf_t", 4, true},
    Narrow{"key_serial_t", 4, true},
};
constexpr std::array signed_registers{std::string_view("long"), std::string_view("off_t"), std::string_view("loff_t")};

Type field_register_type(const FormatLine& line, std::string_view type) {
    for (const Narrow& n : narrow_types) {
        if (n.type == type) return integer_type(n.size, n.is_signed);
    }
    const bool is_signed = std::find(signed_registers.begin(), signed_registers.end(), type) != signed_registers.end();
    return integer_type(line.size, line.is_signed || is_signed);
}

Type scalar_type(const FormatLine& line, std::string_view type, bool in_syscalls) {
    if (is_pointer(type)) return line.size == 8 ? pointer_type(in_syscalls) : nothing();
    if (is_aggregate(type) || !fits_integer(line.size)) return nothing();
    if (in_syscalls && line.size == 8) return field_register_type(line, type);
    const View view = type == "bool" && line.size == 1 ? View::boolean : View::plain;
    return integer_type(line.size, line.is_signed, view);
}

// "[6]" and the size of the whole array: integers, if each element has the size of one.
Type field_list_type(const FormatLine& line, const Declaration& d) {
    if (!d.brackets.starts_with('[') || !d.brackets.ends_with(']') || is_aggregate(d.type)) return nothing();
    const auto count = number(d.brackets.substr(1, d.brackets.size() - 2));
    if (!count || *count == 0 || line.size % *count != 0) return nothing();
    const FormatLine each{d.type, line.offset, static_cast<uint32_t>(line.size / *count), line.is_signed};
    const Type type = scalar_type(each, d.type, false);
    return type.kind == Kind::none ? type : array_type(type, static_cast<uint32_t>(*count));
}

Type field_type(const FormatLine& line, const Declaration& d, bool in_syscalls) {
    if (d.type.starts_with("__")) {
        // __data_loc, __rel_loc and similar words precede the type; __u32 does not end in brackets.
        if (d.type.ends_with("[]")) return located_type(d.type);
    }
    if (d.brackets.empty()) return scalar_type(line, d.type, in_syscalls);
    if (is_char_name(d.type) && line.size > 0) return string_type(line.size);
    return field_list_type(line, d);
}

Field make_field(const FormatLine& line, bool in_syscalls) {
    const Declaration d = parse_declaration(line.declaration);
    Field field;
    field.name = d.name;
    field.type = field_type(line, d, in_syscalls);
    field.c_type = fmt::format("{}{}", d.type, d.brackets);
    field.offset = line.offset;
    field.relative = d.type.starts_with(relative_word);
    field.data_location = field.relative || d.type.starts_with(data_location_word);
    return field;
}

// The names in the subfolder that match, sorted. One name is looked up: system calls have 700 events.
std::vector<std::string> matching(const Folder& folder, const std::string& name, std::string_view pattern) {
    if (is_glob(pattern) || pattern.empty() || pattern.front() == '.' || pattern.find('/') != pattern.npos) {
        std::vector<std::string> names = folder.list(name);
        std::erase_if(names, [&](const std::string& each) { return !glob_match(pattern, each); });
        return names;
    }
    if (!folder.has(fmt::format("{}/{}", name, pattern))) return {};
    return {std::string(pattern)};
}

}  // namespace

Result<std::vector<Field>> parse_format(std::string_view text, std::string_view category) {
    std::vector<Field> fields;
    bool any = false;
    for (std::string_view line : split(text, '\n')) {
        if (!trim(line).starts_with("field:")) continue;
        const auto parsed = parse_line(line);
        if (!parsed) return Error{fmt::format("not a field of a tracepoint: {}", quoted(trim(line))), ""};
        any = true;
        Field field = make_field(*parsed, category == "syscalls");
        if (!field.name.starts_with("common_")) fields.push_back(std::move(field));
    }
    if (!any) return Error{"no fields in the format file", ""};
    return fields;
}

FunctionList::FunctionList(std::string text) : text_(std::move(text)) {
    for (size_t at = 0; at < text_.size();) {
        const size_t end = std::min(text_.find('\n', at), text_.size());
        const size_t length = std::min(text_.find_first_of(" \t\n", at), end) - at;
        if (length > 0) names_.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(length)});
        at = end + 1;
    }
    index_ = NameIndex(names_.size(), [this](uint32_t i) { return name_of(i); });
}

bool FunctionList::has(std::string_view name) const {
    bool found = false;
    index_.each(
        name, [this](uint32_t i) { return name_of(i); },
        [&](uint32_t) {
            found = true;
            return false;
        });
    return found;
}

Result<Tracepoint> Tracefs::tracepoint(std::string_view category, std::string_view event) const {
    const std::string path = fmt::format("events/{}/{}", category, event);
    // A name with a slash would escape the folder.
    const bool plain = !category.empty() && !event.empty() && path.find("..") == std::string::npos &&
                       std::count(path.begin(), path.end(), '/') == 2;
    if (!plain || !folder_.has(path + "/format")) return Error{fmt::format("no tracepoint {}:{}", category, event), ""};
    Result<std::string> id_text = folder_.read(path + "/id");
    if (!id_text) return id_text.error();
    const auto id = number(*id_text);
    if (!id) return Error{fmt::format("{}/id is not a number", path), ""};
    Result<std::string> format = folder_.read(path + "/format");
    if (!format) return format.error();
    Result<std::vector<Field>> fields = parse_format(*format, category);
    if (!fields) return fields.error_in(path);
    return Tracepoint{std::string(category), std::string(event), *id, *std::move(fields)};
}

std::vector<std::string> Tracefs::tracepoints(std::string_view category_pattern, std::string_view event_pattern) const {
    std::vector<std::string> found;
    for (const std::string& category : matching(folder_, "events", category_pattern)) {
        if (category == "ftrace") continue;  // records of ftrace's own tracers, to which no program can be attached
        for (const std::string& event : matching(folder_, "events/" + category, event_pattern)) {
            // The category's own files are next to its events.
            if (event == "enable" || event == "filter") continue;
            found.push_back(fmt::format("{}:{}", category, event));
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::optional<bool> Tracefs::can_trace(std::string_view function) {
    if (!read_) {
        read_ = true;
        if (Result<std::string> text = folder_.read("available_filter_functions")) functions_.emplace(*std::move(text));
    }
    if (!functions_ || functions_->empty()) return std::nullopt;
    return functions_->has(function);
}

}  // namespace lt
