// The sum of runs.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "driver/merge/host_map.h"
#include "driver/merge/outliers.h"
#include "driver/merge/run_file.h"
#include "runtime/print/printer.h"

namespace lt {

// How the values of each host are printed, if they are kept.
struct HostView {
    bool maps = true;   // all of them, not only outliers
    bool text = false;  // in tables; else in maps whose keys end with the host
    size_t most = 10;   // hosts that have columns
    TableView table = {};
};

class Total {
  public:
    // With `by_host` the sum of each host is kept, too. `by_file`: each file is a host, with the file's title.
    // `single`: it is of one run, to be compared, and so it has also numbers that cannot be added up.
    explicit Total(bool by_host, bool by_file = false, bool single = false)
        : by_host_(by_host), by_file_(by_file), single_(single) {}

    // Refuses a run of another script, with other arguments or other maps. The error names the file and the line; after
    // one, the sum is unusable.
    Status add(const RunFile& file);

    // All maps, then outliers and what was lost; maps that are not added up are reported, to `messages` in text.
    void print(Printer& printer, std::FILE* messages, const HostView& hosts = {}) const;

    // All maps that can be added up; the others are reported, to `messages`.
    std::vector<MapContent> contents(std::FILE* messages) const;
    // The losses of the runs, and their accounts. Each line begins with `of`: "before: ".
    void print_unseen(Printer& printer, std::FILE* messages, std::string_view of = {}) const;

  private:
    struct Map {
        ResultFact shape;
        std::vector<MapEntry> entries;                   // of all hosts
        std::unordered_map<std::string, size_t> places;  // in the entries, by the text of the key
        std::vector<HostValues> each;                    // indexed like the entries
        std::optional<Sampled> sampled = {};
        bool partial = false;  // of some host only the largest entries are known
        bool divided = false;  // of some host the values were divided when they were printed
        bool others = false;   // as a variable it holds something else than a number, or a key stands there twice
    };

    Status check(const RunFile& file) const;
    Status add_map(const RunFile& file, const ResultFact& shape);
    Status add_entry(const RunFile& file, const MapLine& line, Map& map, std::string_view key, const Json& value);
    void add_start(const RunFact& run);
    void print_starts(std::FILE* messages) const;
    void add_unseen(const Unseen& more);
    bool takes(const Type& type) const;                   // can it have values of this type?
    std::string_view why_left_out(const Map& map) const;  // empty: it is part of the sum
    Value& value_of_host(HostValues& values, const Type& type) const;
    HostMap host_map(const Map& map) const { return {map.shape.name, map.shape.value, map.entries, map.each, hosts_}; }
    std::vector<size_t> shown_hosts(const std::vector<Outlier>& outliers, size_t most) const;
    void print_map(const Map& map, Printer& printer, std::FILE* messages, const HostView& view,
                   const std::vector<size_t>& columns) const;
    void print_left_out(std::FILE* messages, size_t columns) const;
    void print_outliers(const std::vector<Outlier>& outliers, Printer& printer) const;

    bool by_host_, by_file_, single_;
    std::vector<std::string> hosts_;  // that have values of their own
    size_t host_ = 0;                 // that of the file which is being added
    std::unordered_map<std::string, size_t> host_numbers_;
    size_t files_ = 0;
    std::map<int64_t, std::vector<std::string>> started_;  // the hosts, by the time that they were to start at
    std::string first_;                                    // the place of the first run
    RunFact run_;
    std::vector<Map> maps_;
    Unseen unseen_;
    std::map<std::pair<std::string, std::string>, uint64_t> losing_;  // of each loss, the number of files that had it
};

// The host of the file, for --by-host; of a merge of several hosts, the file's title.
std::string host_of(const RunFile& file, bool by_file);

}  // namespace lt
