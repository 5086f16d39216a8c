// The common part of program functions and USDT markers: files, and locations for the functions found in them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/providers/shared/listing.h"
#include "codegen/providers/shared/search.h"

namespace lt {

bool means_files(const std::string& file);  // true if it is a pattern

// The files that match a pattern: at least one, or no value after an error.
std::optional<std::vector<std::string>> files_of(const Search& s, const Part& part);
// Reports that none of the `files` files has it; returns no location.
Places missing_in_files(const Search& s, size_t files, std::string_view what);

// The path as the script has it, or the real path of a file that was found by name or pattern.
std::string file_text(const Search& s, const std::string& path);

// One program for all functions with the same calling convention. Of several functions, those that cannot be traced are
// left out.
Places user_by_convention(const Search& s, const ResolvedPlace& place, std::vector<SourcePlace> found, bool many);
// One program for all of them, or one program each, because their variables are at different locations.
Places user_as_one(const Search& s, ResolvedPlace place, const std::vector<SourcePlace>& found, bool many);
Places user_one_by_one(const Search& s, const ResolvedPlace& place, const std::vector<SourcePlace>& found);

// "f@b.c:12" and SystemTap's other forms. `file` is empty if the name contains it: FUNCTION@FILE:LINES,
// FUNCTION@FILE+LINES or FUNCTION@FILE.
Result<SourceQuery> source_query(std::string_view name, std::string_view file, bool inlined);

// Calls `list` for each file that matches the pattern.
FoundNames list_in_files(const ListSearch& s, const std::function<FoundNames(const std::string& path)>& list);
// Completes NAME in PATH:NAME.
std::vector<std::string> complete_in_file(
    Kernel& kernel, std::string_view typed,
    const std::function<std::vector<std::string>(const std::string& path, std::string_view name)>& names);

}  // namespace lt
