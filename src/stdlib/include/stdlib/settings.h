// What a program may set about its own run in `config = { ... }`, and what a dialect sets for all its programs: one row
// each. After the front end nothing asks in which dialect a program was written: it asks these settings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/types.h"

namespace lt {

// What to do about a probe whose place is not there; with `warn` and `ignore` it is left out, and its block with it
// where nothing is left of that.
enum class MissingProbes : uint8_t { error, warn, ignore };

// Which grammar reads a program.
enum class Grammar : uint8_t { lt, stp };

struct Settings {
    bool plain_integers = false;    // durations are plain numbers of nanoseconds
    bool shows_truths = false;      // is what a comparison says true or false, where it is shown, and not 1 or 0?
    bool announces_probes = false;  // as bpftrace does; then stacks have bpftrace's look, too
    bool uses_environment = false;  // BPFTRACE_MAX_STRLEN=... sets max_strlen
    bool maps_apart = false;        // at the end in the order of their names, after two empty lines
    bool reports_on_host = false;   // BEGIN, END, intervals and signals run in lt itself, whatever they do
    bool print_maps_on_exit = true;
    bool numbers_by_default = false;  // what nothing says the type of is a whole number
    bool binds_command = false;       // of -c: what the kernel can bind to its process is bound to it
    bool runs_commands = false;       // system() needs no permission
    bool quotes_stand = false;        // the words of -c are what lies between blanks, quotes are part of them
    bool whole_iterators = false;     // do iterators go over all objects, also after exit()?
    bool c_integers = false;          // do conversions of printf() without `l` print 32 bits, as in C?
    bool one_for_zero = false;        // is what is divided by zero 1, and not 0?
    bool plain_strncmp = false;       // is strncmp() 1 for all strings that differ, whichever is greater?
    bool describes_signals = false;   // signal_name(2) is "Interrupt", and not "SIGINT"
    bool names_hierarchies = false;   // cgroup_path() is "unified:/", and not "/"
    bool special_probes = false;      // BEGIN and END are called `begin` and `end`, their kind `special`
    bool bounded_strings = false;     // strings that are joined are cut at max_strlen
    bool runtime_errors = false;      // does what cannot be done end the block, as an error?
    bool stops_at_exit = false;  // no block begins after exit(), and that one runs on; else it ends, and others may
    bool keeps_order = false;    // do loops over maps go by when the keys came, where they say no order?
    uint32_t max_errors = 0;     // so many of these do not end the run
    uint32_t max_map_keys = 4096;
    uint32_t max_strlen = 64;        // bytes of str(), with the one that ends it
    uint32_t max_probes = 512;       // places that one wildcard may stand for
    uint32_t max_cat_bytes = 10240;  // of a file, by cat()
    uint32_t ring_pages = 0;         // of 4096 bytes, for records that wait to be printed; 0: as lt sees fit
    std::string cut_mark = {};       // behind a string that fills the room of max_strlen
    std::string license = "GPL";     // of the programs, as the kernel sees them
    bool demangles = true;           // are functions of programs shown as their language writes them?
    bool shows_lines = false;        // do stacks of programs show lines of source?
    MissingProbes missing_probes = MissingProbes::error;
    StackForm stack_form = StackForm::names;  // of stacks that do not say it themselves
};

struct SettingRow {
    std::string_view name;
    std::string_view values;                                 // for messages: "a number from 1 to 1024"
    bool (*set)(Settings& settings, std::string_view text);  // false: this is no value for it
    std::string_view sentence;
};

std::span<const SettingRow> setting_rows();
// In any case of letters, with or without BPFTRACE_ before it; nullptr where there is none.
const SettingRow* find_setting(std::string_view name);

// The grammar that a file's name asks for.
Grammar grammar_of(std::string_view file);
// Those of the dialect to which a file's name belongs.
Settings settings_of(std::string_view file);
// As BPFTRACE_<NAME>, or by the names of bpftrace before 0.18; the first that does not fit is told by its name.
std::string take_environment(Settings& settings);
// Variables of bpftrace's that are set and that nothing here asks for, and why.
struct IgnoredVariable {
    std::string_view name;
    std::string_view why;
};
std::vector<IgnoredVariable> ignored_environment();

}  // namespace lt
