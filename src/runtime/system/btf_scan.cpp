#include "runtime/system/btf_scan.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <optional>

#include "runtime/os/descriptor.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

// The bytes that follow a struct btf_type: some, and some for each of its parts.
struct Tail {
    uint8_t once = 0;
    uint8_t each = 0;
};
constexpr std::array<Tail, NR_BTF_KINDS> tails = [] {
    std::array<Tail, NR_BTF_KINDS> out{};
    out[BTF_KIND_INT] = {sizeof(uint32_t), 0};
    out[BTF_KIND_ARRAY] = {sizeof(btf_array), 0};
    out[BTF_KIND_STRUCT] = out[BTF_KIND_UNION] = {0, sizeof(btf_member)};
    out[BTF_KIND_ENUM] = {0, sizeof(btf_enum)};
    out[BTF_KIND_FUNC_PROTO] = {0, sizeof(btf_param)};
    out[BTF_KIND_VAR] = {sizeof(btf_var), 0};
    out[BTF_KIND_DATASEC] = {0, sizeof(btf_var_secinfo)};
    out[BTF_KIND_DECL_TAG] = {sizeof(btf_decl_tag), 0};
    out[BTF_KIND_ENUM64] = {0, sizeof(btf_enum64)};
    return out;
}();

// The two sections: types, and the texts of their names.
struct Sections {
    std::span<const uint8_t> types;
    std::string_view texts;
};

std::optional<Sections> sections_of(std::span<const uint8_t> bytes) {
    btf_header header{};
    if (bytes.size() < sizeof header) return {};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != BTF_MAGIC || header.hdr_len > bytes.size()) return {};
    const std::span<const uint8_t> rest = bytes.subspan(header.hdr_len);
    const auto inside = [&](uint64_t offset, uint64_t size) { return offset + size <= rest.size(); };
    if (!inside(header.type_off, header.type_len) || !inside(header.str_off, header.str_len)) return {};
    const std::span<const uint8_t> texts = rest.subspan(header.str_off, header.str_len);
    return Sections{rest.subspan(header.type_off, header.type_len),
                    {reinterpret_cast<const char*>(texts.data()), texts.size()}};
}

bool is_named(std::string_view texts, uint32_t offset, std::string_view name) {
    if (offset >= texts.size() || texts.size() - offset <= name.size()) return false;
    return texts.substr(offset, name.size()) == name && texts[offset + name.size()] == '\0';
}

}  // namespace

uint32_t function_in_btf(std::span<const uint8_t> bytes, std::string_view name) {
    const std::optional<Sections> found = sections_of(bytes);
    std::span<const uint8_t> types = found ? found->types : std::span<const uint8_t>();
    for (uint32_t number = 1; types.size() >= sizeof(btf_type); number++) {
        btf_type type{};
        std::memcpy(&type, types.data(), sizeof type);
        const uint32_t kind = BTF_INFO_KIND(type.info);
        if (kind >= tails.size()) return 0;
        if (kind == BTF_KIND_FUNC && is_named(found->texts, type.name_off, name)) return number;
        const size_t size = sizeof type + tails[kind].once + size_t{tails[kind].each} * BTF_INFO_VLEN(type.info);
        if (size > types.size()) return 0;
        types = types.subspan(size);
    }
    return 0;
}

// The kernel's own can be mapped from Linux 6.16 on.
uint32_t function_in_btf(const std::string& path, std::string_view name) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about{};
    if (file.get() < 0 || ::fstat(file.get(), &about) != 0) return 0;
    const auto size = static_cast<size_t>(about.st_size);
    void* const mapped = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapped != MAP_FAILED) {
        const uint32_t number = function_in_btf({static_cast<const uint8_t*>(mapped), size}, name);
        ::munmap(mapped, size);
        return number;
    }
    const Result<std::string> text = read_text(path);
    if (!text) return 0;
    return function_in_btf({reinterpret_cast<const uint8_t*>(text->data()), text->size()}, name);
}

}  // namespace lt
