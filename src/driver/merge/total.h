// The sum of runs.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "driver/merge/run_file.h"
#include "runtime/print/printer.h"

namespace lt {

class Total {
  public:
    // With `by_host` the sum of each host is kept, too.
    explicit Total(bool by_host) : by_host_(by_host) {}

    // Refuses a run of another script, with other arguments or other maps. The error names the file and the line; after
    // one, the sum is unusable.
    Status add(const RunFile& file);

    // All maps, then what was lost; maps that are not added up are reported, to `messages` in text.
    void print(Printer& printer, std::FILE* messages) const;

  private:
    // The values of a map, of all hosts or of each.
    struct Sums {
        std::vector<MapEntry> entries;
        std::unordered_map<std::string, size_t> places;  // by the text of the key and, if it is in it, the host
    };
    struct Map {
        ResultFact shape;
        Sums all, each;
        std::optional<Sampled> sampled = {};
        bool partial = false;  // of some host only the largest entries are known
    };

    Status check(const RunFile& file) const;
    Status add_map(const RunFile& file, const ResultFact& shape);
    Status add_entry(const RunFile& file, const MapLine& line, Map& map, std::string_view key, const Json& value);
    void add_unseen(const Unseen& more);
    void print_map(const Map& map, Printer& printer, std::FILE* messages) const;
    void print_unseen(Printer& printer, std::FILE* messages) const;

    bool by_host_;
    std::string first_;  // the place of the first run
    RunFact run_;
    std::vector<Map> maps_;
    Unseen unseen_;
    std::map<std::pair<std::string, std::string>, uint64_t> losing_;  // of each loss, the number of runs that had it
};

// The host of the file, for --by-host; of a merge of several hosts, the file's name.
std::string host_of(const RunFile& file);

}  // namespace lt
