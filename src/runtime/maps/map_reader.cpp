#include "runtime/maps/map_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/maps/raw_maps.h"

namespace lt {

std::span<uint8_t> Rows::add() {
    if (size_ % in_piece_ == 0) pieces_.emplace_back();
    size_++;
    Bytes& piece = pieces_.back();
    piece.resize(piece.size() + row_);
    return std::span(piece).last(row_);
}

std::span<const uint8_t> Rows::operator[](size_t index) const {
    return std::span(pieces_[index / in_piece_]).subspan(index % in_piece_ * row_, row_);
}

MapReader::MapReader(const PlannedMap& map) : map_(map), words_(map), folded_(words_.copy_size()) {}

// All rows have the same size, so checking the first one is enough.
Status MapReader::add(std::span<const uint8_t> key, std::span<const uint8_t> value) {
    if (Status fits = copies_fit(map_, value.size()); !fits) return fits.error_in("cannot read map " + map_.name);
    words_.fold(folded_, value);
    const auto mark = std::span(folded_).last(std::min<size_t>(scalar_mark, folded_.size()));
    const bool written = std::ranges::any_of(mark, [](uint8_t byte) { return byte != 0; });
    if (map_.key.empty() && !written) return Done{};
    if (!rows_) rows_.emplace(key.size() + folded_.size());
    if (const size_t first_size = rows_->row() - folded_.size(); key.size() != first_size)
        return Error{
            fmt::format("cannot read map {}: a key of {} bytes follows keys of {}", map_.name, key.size(), first_size),
            "", 0};
    const std::span<uint8_t> row = rows_->add();
    std::ranges::copy(key, row.begin());
    std::ranges::copy(folded_, row.begin() + static_cast<ptrdiff_t>(key.size()));
    return Done{};
}

Result<MapContent> MapReader::content() && {
    MapContent content{map_.name, {}};
    content.value = map_.value;
    content.has_overflowed = words_.has_overflowed();
    if (!rows_) return content;
    struct Known {
        Rows rows;
        std::vector<Type> key;
        Type value;
        size_t key_size;
    };
    const size_t key_size = rows_->row() - folded_.size();
    const size_t count = rows_->size();
    Known all{*std::move(rows_), map_.key, map_.value, key_size};
    const auto read = [known = std::make_shared<const Known>(std::move(all))](size_t index) {
        const std::span<const uint8_t> row = known->rows[index];
        return decode_entry(known->key, row.first(known->key_size), known->value, row.subspan(known->key_size));
    };
    if (auto first = read(0); !first) return first.error_in("cannot read map " + map_.name);
    content.entries = Entries(count, [read](size_t index) { return *read(index); });
    return content;
}

Result<MapContent> decode_map(const PlannedMap& map, std::span<const RawEntry> entries) {
    MapReader reader(map);
    for (const RawEntry& raw : entries)
        if (Status taken = reader.add(raw.key, raw.value); !taken) return taken.error();
    return std::move(reader).content();
}

}  // namespace lt
