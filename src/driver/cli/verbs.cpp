#include "driver/cli/verbs.h"

#include <fmt/format.h>

#include <array>

#include "base/rows.h"
#include "base/text.h"

namespace lt {
namespace {

constexpr std::array verbs{
    VerbText{"triage", "lt triage", "what makes this machine slow: a ranked list of suspects",
             "lt triage [-v] [-f json] [-o FILE] [TIME]",
             R"(Looks at the machine for ten seconds, or TIME, and prints what cost its threads the most time, with the
evidence and the command that looks closer. -v prints all of them, also those that do not fit the screen. The status is 0
if nothing was found, 3 if something was.
  lt triage
  lt triage 3s -f json
)"},
    VerbText{
        "why", "lt why 'sc:fsync'", "where the time of calls goes: CPU, locks, disk, network ...",
        "lt why [options] SPAN [--slow TIME]\nlt why [options] -p PID | -c COMMAND | --cgroup PATH | --container NAME\n"
        "lt why --all\n"
        "lt why [options] SPAN --slow TIME --keep AMOUNT [-o FOLDER]\nlt why FILE.ltr",
        R"(Prints where the time of calls went: running, waiting for a CPU, or blocked, and by what. SPAN is a probe,
with a predicate and a threshold if you like; it has no block. Each call that is slower than all before it is
printed when it returns, with --slow each that takes longer than TIME; the total of all calls comes last.
For a process it prints where the time of each thread went; for a command, a cgroup or a container that of the
threads of each name; with --all that of the whole machine for 10 s. `lt why` alone is `lt triage`. With --keep
each slow call writes what all threads did in the last seconds to a file, and prints the chain of waiting;
`lt why FILE.ltr` prints it again.
  lt why 'sc:fsync' --slow 10ms
  lt why 'sc:fsync' --slow 100ms --keep 10s
  lt why 'sc:read /comm == "redis-server"/ > 1ms'
  lt why -p 1234 --duration 5s
  lt why -c 'make -j2' --follow
)"},
    VerbText{
        "view", "lt view FILE.ltr", "show a slow call of a recording, and the threads it waited for",
        "lt view FILE.ltr [--call N] [--html FILE | --perfetto FILE]",
        R"(Shows the Nth slow call (the first one without --call) in the terminal; --html writes a page for a browser,
--perfetto all threads as trace events for ui.perfetto.dev and Chrome. See lt why, and ltr(5).
)"},
    VerbText{"wait", "lt wait 'sc:fsync > 100ms' -n1 && ./act.sh", "block until the first slow one",
             "lt wait [options] SPAN [-n COUNT] [--duration TIME]",
             R"(Blocks until the span or probe has happened COUNT times (1 if -n is not given), prints a line for each,
and exits with status 0; with 1 if a signal or --duration ends the wait first. SPAN needs no block; if it
has one, the block decides what is printed.
  lt wait 'sc:fsync > 100ms' && ./collect.sh
  lt -q wait 'sc:openat' -p 1234 --duration 1m
)"},
    VerbText{"ctl", "lt ctl [PID] show @ns", "send a command to a running lt", "lt ctl [-f json] [PID] COMMAND",
             "`lt ctl --help` lists the commands; see lt-ctl(1).\n"},
    VerbText{
        "agent", "lt agent /etc/lt/agent.d", "run scripts continuously, and serve their maps as metrics to Prometheus",
        "lt agent [--listen ADDRESS] [--otlp URL] [--late TIME] [--max-overhead SHARE] [--max-series N] [--ttl TIME] "
        "FILE|DIR...",
        R"(Runs scripts and saved plans, and serves each map as a metric at http://127.0.0.1:9435/metrics, for
Prometheus and programs that read its formats; --otlp sends them to a collector of OpenTelemetry, too. The scripts may
cost 5 % of all CPUs together, or --max-overhead. SIGHUP reads the files again. lt-agent(1) has the other options.
  lt agent slow.lt --listen :9435
  lt agent /etc/lt/agent.d --max-overhead 2%
  lt agent /etc/lt/agent.d --otlp http://collector:4318
)"},
    VerbText{"set", "lt set slow=50ms [PID]", "set a parameter of a running script", "lt set NAME=VALUE [PID]",
             R"(Sets a parameter (`param slow = 10ms`) of a running script from its next event on. What was collected
stays. PID is needed if several scripts run.
)"},
    VerbText{
        "tools", "lt tools disk", "list the tools, and which of them this kernel cannot run", "lt tools [WORD]",
        R"(Lists the tools by layer, or those that have WORD in their name, layer or sentence. `lt NAME` runs a tool,
`lt NAME --help` explains it, `lt NAME --print` prints its source.
  lt runqlat 1 10
  lt opensnoop -x
)"},
    VerbText{
        "merge", "lt merge web*.json", "add up the results of one script on many hosts",
        "lt merge [--by-host|--by-file|--outliers] [--hosts N] [-f json] [-o FILE] [--sort COLUMN] [--columns LIST] "
        "[--top N] [--hist] [--html FILE] FILE...",
        R"(Adds up what `lt -f json -o FILE` wrote on many hosts: counts, sums, extremes and histograms exactly, so that
the percentiles of dist() are those of one run over all values. The runs must be of one script with the
same arguments. --by-host prints tables with hosts in columns (10 of them, or --hosts N), and outliers: hosts
that differ from the others, with the cause if the script has recorded one. With --by-file each file is a
host; --outliers prints no tables of hosts. The other options are those of `lt --help`. With -f json the sum
can be merged again.
  lt merge web1.json web2.json
  lt merge --by-host --columns p99 --sort p99 --top 20 web*.json
)"},
    VerbText{
        "diff", "lt diff before.json after.json", "compare two runs of one script",
        "lt diff [-f json] [-o FILE] [--html FILE] BEFORE AFTER",
        R"(Compares what two runs with `lt -f json -o FILE` collected, or two sums of `lt merge -f json`: for each key
of each map the numbers of values, the averages and the percentiles before and after, and how they changed.
Counts and sums are per second of tracing, so the runs need not be equally long. --html writes a page for a
browser, with stacks as flame graphs: red where a function's share of the total has grown, blue where it has shrunk.
  lt diff before.json after.json
  lt diff monday.json tuesday.json --html diff.html
)"},
    VerbText{"check", "lt check slow.lt", "compile a script, and print how each probe would be attached",
             "lt check [options] FILE...\nlt check [options] SCRIPT.stp WORD...",
             R"(Compiles scripts without attaching anything. The status is 1 if one of them does not compile for this
kernel. It also checks whether this kernel loads a saved plan.
  lt check examples/*.lt
  lt check -g old.stp eth0
)"},
    VerbText{"fmt", "lt fmt slow.lt", "format scripts, in place", "lt fmt [--check] [-d] FILE...",
             R"(Gives scripts in lt's language the usual blanks and line breaks; nothing else changes. A script with a
mistake is left alone. `lt fmt -` reads standard input and writes to standard output. --check prints the
names of the files that would change, with status 1 if there are any; -d or --diff prints the changes.
  lt fmt tools/*.lt
  lt fmt --check -d slow.lt
)"},
    VerbText{
        "build", "lt build slow.lt -o slow.plan", "compile a script into a plan, which lt-run runs anywhere",
        "lt build [options] SCRIPT -o FILE.plan [--for FOLDER ...]",
        R"(Compiles a script and writes the plan to a file. lt-run, which needs no compiler, runs it on this machine or
another one. A plan holds the script compiled for each way in which a kernel may attach its probes. With
--for it is compiled for the kernels described in these folders instead of the running one; the plan runs on
each of them, and on others that are like one of them. What does not fit a kernel is refused there. `lt-run
--describe FOLDER`, on a machine with such a kernel, writes the folder.
  lt build slow.lt -o slow.plan
  lt build slow.lt -o slow.plan --for kernels/6.1 --for kernels/6.12
  lt build slow.lt --aot slow
)"},
    VerbText{
        "port", "lt port old.stp", "translate a SystemTap script into an lt script",
        "lt port [options] SCRIPT.stp [WORD...]",
        "Prints the script in lt's language. What cannot be translated is refused with its location. See lt-stp(7).\n"},
    VerbText{"doctor", "lt doctor", "what this machine allows, and how to enable the rest", "lt doctor [--kernel DIR]",
             R"(Tries each kind of probe, and prints what is missing, why, and what to do about it. The status is 0 if
tracing works.
)"},
    VerbText{"completion", "lt completion bash", "print completion for a shell, or colors for an editor",
             "lt completion bash|zsh|fish|vim|vscode [lt-run]",
             R"(Prints a file made of this lt's options and names, or of lt-run's options:
  lt completion bash > /etc/bash_completion.d/lt
  lt completion zsh > /usr/local/share/zsh/site-functions/_lt
  lt completion fish > ~/.config/fish/completions/lt.fish
  lt completion vim > ~/.vim/syntax/lt.vim
  lt completion vscode > lt.tmLanguage.json
)"},
    VerbText{"help", "lt help hist", "explain a command, a kind of probe, a function or a variable", "lt help [WORD]",
             "Without a word it prints what `lt --help` prints.\n"},
};

}  // namespace

std::span<const VerbText> verb_texts() { return verbs; }

const VerbText* find_verb(std::string_view word) { return find_row(verbs, word, &VerbText::word); }

std::string verb_help(const VerbText& verb) {
    std::string out = fmt::format("lt {}: {}\n", verb.word, verb.sentence);
    for (const std::string_view form : split(verb.usage, '\n')) out += fmt::format("usage: {}\n", form);
    out += verb.details;
    return verb.usage.find("[options]") == verb.usage.npos ? out : out + "The options are those of `lt --help`.\n";
}

std::string verbs_overview() {
    std::string out =
        "lt: finds out where time goes in a running Linux system.\n"
        "  lt -e 'k:copy_to_user < @ns = hist(...) >'   how long copies to user space take\n"
        "  lt                                           the console, on a terminal\n"
        "  lt script.lt                                 run a script\n"
        "  lt runqlat                                   run a tool; `lt runqlat --help` explains it\n";
    for (const VerbText& verb : verbs) out += fmt::format("  {:<43}  {}\n", verb.example, verb.sentence);
    out.pop_back();
    return out;
}

std::string runner_overview() {
    return "lt-run: runs plans that `lt build` made, without the compiler.\n"
           "  lt build slow.lt -o slow.plan      on a machine with lt: compile a script\n"
           "  lt-run slow.plan                   on any machine: run it\n"
           "  lt-run -l slow.plan                list the locations of its probes\n"
           "  lt-run --info                      what this kernel supports";
}

}  // namespace lt
