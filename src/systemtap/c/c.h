// Translates C between %{ and %} that only uses numbers, members of structures and lists into SystemTap's own
// statements. These can print and loop without limit, and people can read them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/source.h"
#include "systemtap/grammar/piece.h"

namespace lt::stp {

// C functions that are replaced by functions of the same name.
inline constexpr std::array<std::string_view, 4> c_calls{"ntohs", "ntohl", "htons", "htonl"};

// The first file, with statements in place of such C. Without `all`, only functions that do what compiled C cannot:
// print, walk lists, take locks. `files` are all files, for the names of their globals. `kept`: by the position of C
// that stays C, the part of it that is the reason.
Pieces spell_out_c(const std::vector<Pieces>& files, const Source& source, bool all, std::map<uint32_t, Span>& kept,
                   Diags& diags);

}  // namespace lt::stp
