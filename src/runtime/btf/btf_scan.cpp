#include "runtime/btf/btf_scan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/btf/btf_bytes.h"
#include "runtime/os/file_bytes.h"

namespace lt {

void number_types(std::span<const uint8_t> bytes, std::map<BtfName, uint32_t>& names) {
    std::vector<std::pair<const BtfName, uint32_t>*> missing;
    uint32_t kinds = 0;
    for (auto& each : names) {
        each.second = 0;
        missing.push_back(&each);
        kinds |= 1U << each.first.kind;
    }
    const auto sections = btf_sections(bytes);
    if (!sections) return;
    btf_each(sections->types, [&](uint32_t number, const BtfEntry& entry) {
        const btf_type type = entry.type();
        const uint32_t kind = BTF_INFO_KIND(type.info);
        if ((kinds >> kind & 1) == 0) return true;
        const auto found = std::ranges::find_if(missing, [&](const auto* each) {
            return each->first.kind == kind && sections->is(type.name_off, each->first.name);
        });
        if (found == missing.end()) return true;
        (*found)->second = number;
        missing.erase(found);
        return !missing.empty();
    });
}

uint32_t function_in_btf(std::span<const uint8_t> bytes, std::string_view name) {
    std::map<BtfName, uint32_t> one{{BtfName{BTF_KIND_FUNC, std::string(name)}, 0}};
    number_types(bytes, one);
    return one.begin()->second;
}

uint32_t function_in_btf(const std::string& path, std::string_view name) {
    const auto file = FileBytes::open(path);
    return file ? function_in_btf(file->bytes(), name) : 0;
}

}  // namespace lt
