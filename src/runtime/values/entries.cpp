#include <memory>

#include "runtime/values/value.h"

namespace lt {

bool Group::operator==(const Group& other) const { return parts == other.parts; }

Entries::Entries(std::initializer_list<MapEntry> list) : Entries(std::vector<MapEntry>(list)) {}

Entries::Entries(std::vector<MapEntry> list) : size_(list.size()) {
    at_ = [kept = std::make_shared<const std::vector<MapEntry>>(std::move(list))](size_t index) {
        return (*kept)[index];
    };
}

MapEntry Entries::operator[](size_t index) const {
    MapEntry entry = at_(index);
    if (finish_) finish_(entry);
    return entry;
}

std::vector<MapEntry> Entries::all() const {
    std::vector<MapEntry> out;
    out.reserve(size_);
    for (size_t i = 0; i < size_; i++) out.push_back((*this)[i]);
    return out;
}

void Entries::settle() {
    At collected = collected_ ? std::move(collected_) : at_;
    *this = Entries(all());
    collected_ = std::move(collected);
}

void Entries::change(const Change& change) {
    at_ = [before = std::move(at_), change](size_t index) {
        MapEntry entry = before(index);
        change(entry);
        return entry;
    };
}

}  // namespace lt
