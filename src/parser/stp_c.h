// C between %{ and %} that needs nothing of C: what it does with numbers, members of structures and lists is written in
// SystemTap's own statements, so that it can print, turn as often as it likes and be read by people.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/source.h"
#include "stp_piece.h"

namespace lt::stp {

// Functions that such C calls, and that are called in its place.
inline constexpr std::array<std::string_view, 4> c_calls{"ntohs", "ntohl", "htons", "htonl"};

// The first file with bodies in place of such C. Without `all` only of functions that do what compiled C cannot: print,
// walk lists, take locks. `files` are all files; their globals have their names.
// `kept`: by the places of C that stays as it is, what in it is the reason.
Pieces spell_out_c(const std::vector<Pieces>& files, const Source& source, bool all, std::map<uint32_t, Span>& kept,
                   Diags& diags);

}  // namespace lt::stp
