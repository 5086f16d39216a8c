// A file that `lt -f json` has written: what was run, and what its maps held at the end.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/merge/json_line.h"
#include "runtime/print/printer.h"
#include "runtime/values/value.h"

namespace lt {

// A map's last line.
struct MapLine {
    size_t line = 0;
    Json content;  // the value, or an object with one for each key
    std::optional<Sampled> sampled = {};
};

// Counts of what was not seen: of "lost" by kind and subject, of "missed" by probe and kind.
struct Unseen {
    std::map<std::pair<std::string, std::string>, uint64_t> lost, missed;
    std::map<std::string, AccountFact> accounts;  // by span
};

struct RunFile {
    std::string path;
    RunFact run;
    size_t run_line = 0;
    std::map<std::string, MapLine> maps;  // by name
    Unseen unseen;
    std::string title = {};  // a name for tables, of which other files that are read with it have another

    std::string place(size_t line) const { return path + ":" + std::to_string(line); }
};

// The names of the files without their folders and `.json`. Different files with the same name have as many of their
// folders before it as distinguish them.
std::vector<std::string> file_titles(std::span<const std::string> paths);

// Reads the file once. Its title is its name. An error names the file and the line.
Result<RunFile> read_run_file(const std::string& path);

}  // namespace lt
