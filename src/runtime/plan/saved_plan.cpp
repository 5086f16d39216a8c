// Writes and reads plans by the rows of plan_fields.h. Input may be anything: its form is checked before a library gets
// it, because the library recurses as deep as the nesting goes and trusts lengths.
#include "runtime/plan/saved_plan.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtime/plan/plan_fields.h"
#include "runtime/plan/sound.h"

namespace lt {
namespace {

using Json = nlohmann::json;

// As PNG's magic: not text, and damaged by a transfer in text mode.
constexpr std::string_view magic("\x89LTPLAN\n", 8);
// Raised with each change of the file's contents, or of the contract between programs and the runtime.
constexpr uint32_t format = 6;

struct Header {
    char magic[8];
    uint32_t format;
    uint32_t sum;  // CRC-32 of the bytes after the header
    uint64_t size;
};

uint32_t sum_of(std::string_view bytes) {
    return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

// ---- writing

template <class T>
concept Structure = !std::is_null_pointer_v<std::remove_cvref_t<decltype(fields_of<T>)>>;

// A field without a row would be lost silently.
template <Structure T>
constexpr bool has_all_rows = field_count<T>() == std::tuple_size_v<std::remove_cvref_t<decltype(fields_of<T>)>>;

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

Json written(const std::string& text) { return text; }
Json written(const std::vector<uint8_t>& bytes) { return Json::binary(bytes); }
Json written(bool value) { return value; }
template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
Json written(T value) {
    if constexpr (std::is_enum_v<T>)
        return static_cast<uint64_t>(value);
    else
        return value;
}
template <Structure T>
Json written(const T& value);
Json written(const ShapeBox& box) { return written(*box); }
Json written(const Rung& rung) { return written(to_saved(rung)); }
template <class T>
Json written(const std::optional<T>& value) {
    return written(*value);
}
template <class T>
Json written(const std::vector<T>& values) {
    Json out = Json::array();
    for (const T& value : values) out.push_back(written(value));
    return out;
}

// Fields that still have their default value are not written.
template <class T>
bool is_usual(const T& value) {
    if constexpr (std::is_same_v<T, ShapeBox> || IsOptional<T>::value)
        return !value;
    else if constexpr (IsVector<T>::value)
        return value.empty();
    else if constexpr (Structure<T>)
        return std::apply([&](const auto&... row) { return (is_usual(value.*row.member) && ...); }, fields_of<T>);
    else
        return value == T{};
}

template <class Owner, class Value>
bool is_usual(const Owner& owner, Value Owner::* member) {
    if constexpr (std::is_same_v<Value, bool> || std::is_integral_v<Value> || std::is_enum_v<Value>)
        return owner.*member == Owner{}.*member;
    else
        return is_usual(owner.*member);
}

template <Structure T>
Json written(const T& value) {
    static_assert(has_all_rows<T>);
    Json out = Json::object();
    const auto field = [&](const auto& row) {
        if (!is_usual(value, row.member)) out[std::string(row.name)] = written(value.*row.member);
    };
    std::apply([&](const auto&... row) { (field(row), ...); }, fields_of<T>);
    return out;
}

// ---- reading

// Is this one item of CBOR as lt writes it: with known lengths, without tags and floating point, of limited nesting?
class Form {
  public:
    explicit Form(std::string_view bytes) : bytes_(bytes) {}
    bool good() { return item(0) && at_ == bytes_.size(); }

  private:
    static constexpr int deepest = 200;
    enum Major : uint8_t { positive, negative, binary, text, array, map, tag, simple };

    std::optional<uint64_t> number(uint8_t info) {
        if (info < 24) return info;
        if (info > 27) return {};  // of unknown length
        const size_t size = size_t{1} << (info - 24);
        if (bytes_.size() - at_ < size) return {};
        uint64_t out = 0;
        for (size_t i = 0; i < size; i++) out = out << 8 | static_cast<uint8_t>(bytes_[at_++]);
        return out;
    }

    bool item(int depth) {
        if (at_ >= bytes_.size() || depth > deepest) return false;
        const auto first = static_cast<uint8_t>(bytes_[at_++]);
        const auto major = static_cast<Major>(first >> 5);
        if (major == simple) return first >= 0xf4 && first <= 0xf6;  // false, true, null
        const auto n = number(first & 0x1f);
        if (!n || major == tag) return false;
        if (major == positive || major == negative) return true;
        if (*n > bytes_.size() - at_) return false;  // each takes a byte at least
        if (major == binary || major == text) {
            at_ += static_cast<size_t>(*n);
            return true;
        }
        const uint64_t items = major == map ? 2 * *n : *n;
        for (uint64_t i = 0; i < items; i++)
            if (!item(depth + 1)) return false;
        return true;
    }

    std::string_view bytes_;
    size_t at_ = 0;
};

// False for an invalid value; then `where` is the path to it, innermost first.
class Reader {
  public:
    std::string where;

    bool read(const Json& json, std::string& out) {
        if (!json.is_string()) return false;
        out = json.get_ref<const std::string&>();
        return true;
    }
    bool read(const Json& json, std::vector<uint8_t>& out) {
        if (!json.is_binary()) return false;
        out = json.get_binary();
        return true;
    }
    bool read(const Json& json, bool& out) {
        if (!json.is_boolean()) return false;
        out = json.get<bool>();
        return true;
    }
    template <class T>
        requires std::is_integral_v<T>
    bool read(const Json& json, T& out) {
        if (json.is_number_unsigned()) return take(json.get<uint64_t>(), out);
        return json.is_number_integer() && take(json.get<int64_t>(), out);
    }
    template <class T>
        requires std::is_enum_v<T>
    bool read(const Json& json, T& out) {
        uint64_t number = 0;
        if (!read(json, number) || number > static_cast<uint64_t>(std::get<T>(last_values))) return false;
        out = static_cast<T>(number);
        return true;
    }
    bool read(const Json& json, ShapeBox& out) {
        Shape shape;
        if (!read(json, shape)) return false;
        out = ShapeBox(std::move(shape));
        return true;
    }
    bool read(const Json& json, Rung& out) {
        SavedRung saved;
        if (!read(json, saved)) return false;
        out = from_saved(std::move(saved));
        return true;
    }
    template <class T>
    bool read(const Json& json, std::optional<T>& out) {
        return read(json, out.emplace());
    }
    template <class T>
    bool read(const Json& json, std::vector<T>& out) {
        if (!json.is_array()) return false;
        for (const Json& each : json)
            if (!read(each, out.emplace_back())) return in(fmt::format("[{}]", out.size() - 1));
        return true;
    }
    template <Structure T>
    bool read(const Json& json, T& out) {
        if (!json.is_object()) return false;
        size_t known = 0;
        const auto field = [&](const auto& row) {
            const auto at = json.find(row.name);
            if (at == json.end()) return true;
            known++;
            return read(*at, out.*row.member) || in(fmt::format(".{}", row.name));
        };
        if (!std::apply([&](const auto&... row) { return (field(row) && ...); }, fields_of<T>)) return false;
        return known == json.size();
    }

  private:
    template <class From, class T>
    static bool take(From number, T& out) {
        if (!std::in_range<T>(number)) return false;
        out = static_cast<T>(number);
        return true;
    }
    bool in(const std::string& name) {
        where.insert(0, name);
        return false;
    }
};

Error damaged(std::string_view what) { return {fmt::format("it is damaged: {}", what), "save it again", 0}; }

}  // namespace

bool is_saved_plan(std::string_view bytes) { return bytes.starts_with(magic); }

std::string to_bytes(const SavedPlan& saved) {
    std::string body;
    Json::to_cbor(written(saved), nlohmann::detail::output_adapter<char>(body));
    Header header{{}, format, sum_of(body), body.size()};
    std::memcpy(header.magic, magic.data(), magic.size());
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + body;
}

Result<SavedPlan> saved_plan(std::string_view bytes, std::string_view version) {
    Header header{};
    if (!is_saved_plan(bytes)) return Error{"it is not a saved plan", "", 0};
    if (bytes.size() < sizeof header) return damaged("it ends within its header");
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::string_view body = bytes.substr(sizeof header);
    if (header.format != format)
        return Error{fmt::format("it has format {}, and this lt reads format {}", header.format, format),
                     "save it again with this lt", 0};
    if (header.size != body.size())
        return damaged(fmt::format("{} bytes follow its header, which says {}", body.size(), header.size));
    if (header.sum != sum_of(body)) return damaged("its checksum does not match");
    if (!Form(body).good()) return damaged("its contents are not CBOR as lt writes it");
    const Json json = Json::from_cbor(body.begin(), body.end(), true, false);
    if (json.is_discarded()) return damaged("its contents are not CBOR as lt writes it");
    SavedPlan saved;
    Reader reader;
    if (!reader.read(json, saved)) return damaged(fmt::format("its plan{} is not valid", reader.where));
    if (saved.version != version)
        return Error{fmt::format("it was saved by lt {}, and this is lt {}", saved.version, version),
                     "save it again with this lt", 0};
    if (saved.plans.empty()) return damaged("there is no plan in it");
    if (saved.releases.size() != saved.plans.size()) return damaged("it does not say for which kernels its plans are");
    for (const Plan& plan : saved.plans)
        if (const Status good = sound(plan); !good) return damaged(good.error().what);
    return saved;
}

}  // namespace lt
