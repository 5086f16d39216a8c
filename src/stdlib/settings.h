// The settings of a script's own run in `config = { ... }`, and what a dialect sets for all its scripts: one row
// each. After the front end nothing asks for a script's dialect, only for these settings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/conventions.h"
#include "stdlib/types.h"

namespace lt {

// The treatment of a probe whose location does not exist. `warn` and `ignore` leave it out, and its block too if no
// probe of it is left.
enum class MissingProbes : uint8_t { error, warn, ignore };

// The grammar that reads a script.
enum class Grammar : uint8_t { lt, stp };

struct Settings {
    Conventions conventions;
    bool shows_truths = false;        // print comparisons as true and false, not 1 and 0?
    bool least_sizes = false;         // sizeof() of a literal is the smallest integer's that holds it, of a tuple C's
    bool allows_idle_values = false;  // warn of a value alone as a statement, instead of refusing it
    bool plain_stacks = false;        // stacks look like bpftrace's
    bool uses_environment = false;    // BPFTRACE_MAX_STRLEN=... sets max_strlen
    bool reports_on_host = false;     // BEGIN, END, intervals and signals always run in lt itself
    bool print_maps_on_exit = true;
    bool numbers_by_default = false;  // a value without a known type is an integer
    bool runs_commands = false;       // system() needs no permission
    bool quotes_stand = false;        // split the command of -c at blanks only, keeping its quotes
    bool one_for_zero = false;        // a division by zero gives 1, not 0?
    bool value_first = false;         // in `@m[key] = value`, is the value computed before the key?
    bool unsigned_if_mixed = false;   // is a comparison or division unsigned if either side is?
    bool plain_strncmp = false;       // strncmp() is 1 for all strings that differ, whichever is greater?
    bool describes_signals = false;   // signal_name(2) is "Interrupt", and not "SIGINT"
    bool names_hierarchies = false;   // cgroup_path() is "unified:/", and not "/"
    bool reads_registers = false;     // argN or retval that one of several functions lacks is not an error
    bool plain_results = false;       // retval of kretprobe and uretprobe is a number of 64 bits, whatever its type
    bool signed_variables = false;    // is a program's variable at uaddr() an integer with a sign?
    bool warns_of_own_task = false;   // that the current task in an interval probe is lt's own
    bool ctx_is_registers = false;    // ctx of kprobe and kretprobe is the address of the registers?
    bool wants_copies = false;        // probes on functions should also be on their inlined copies, which lt warns of
    bool signed_buckets = false;      // do unsigned numbers from 2^63 on count as negative in hist() and lhist()?
    bool special_probes = false;      // BEGIN and END are called `begin` and `end`, their kind `special`
    bool systemtap_hints = false;     // hints and errors are in the words of SystemTap: pointer_arg(1), not arg0
    bool bounded_strings = false;     // concatenated strings are truncated at max_strlen
    bool runtime_errors = false;      // runtime errors end the block?
    bool stops_at_exit =
        false;  // after exit() no block begins and its own continues; else its own ends, and others may begin
    bool keeps_order = false;     // loops over maps without an order go by the age of the keys?
    bool keeps_newlines = false;  // newlines and tabs in strings from outside the script are printed unchanged?
    bool skips_own = true;        // system calls of lt's own process, and functions that it calls, are left out?
    uint32_t max_errors = 0;      // this many of these do not end the run
    uint32_t max_map_keys = 4096;
    uint32_t max_strlen = 64;        // bytes of str(), including the one that ends it
    uint32_t max_probes = 512;       // the most locations one wildcard can match
    uint32_t max_cat_bytes = 10240;  // of a file, by cat()
    uint32_t ring_pages = 0;         // of 4096 bytes, for records that wait to be printed; 0: lt chooses
    std::string cut_mark = {};       // after a string that fills max_strlen
    std::string license = "GPL";     // of the programs, as the kernel sees them
    bool demangles = true;           // functions of programs are printed as their language writes them?
    bool shows_lines = false;        // stacks of programs show source lines?
    MissingProbes missing_probes = MissingProbes::error;
    StackForm stack_form = StackForm::names;  // of stacks that do not name a form
};

struct SettingRow {
    std::string_view name;
    std::string_view values;                                 // for messages: "a number from 1 to 1024"
    bool (*set)(Settings& settings, std::string_view text);  // false: not a valid value
    std::string_view sentence;
};

std::span<const SettingRow> setting_rows();
// Ignores case, and BPFTRACE_ before the name; nullptr if not found.
const SettingRow* find_setting(std::string_view name);

// The grammar for a file's name.
Grammar grammar_of(std::string_view file);
// The settings of the dialect for a file's name.
Settings settings_of(std::string_view file);
// Reads BPFTRACE_<NAME>, and bpftrace's names before 0.18. Returns the name of the first variable whose value is not
// valid.
std::string take_environment(Settings& settings);
// Variables of bpftrace that are set and have no effect here, and why.
struct IgnoredVariable {
    std::string_view name;
    std::string_view why;
};
std::vector<IgnoredVariable> ignored_environment();

}  // namespace lt
