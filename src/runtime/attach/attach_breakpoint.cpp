// Scans kallsyms for a few functions, chooses addresses for breakpoints, and explains why it cannot place them.
#include "runtime/attach/attach_breakpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "arch/arch.h"
#include "runtime/attach/way.h"
#include "runtime/kernel/breakpoint.h"
#include "runtime/kernel/kcore.h"
#include "runtime/os/cpus.h"
#include "runtime/programs/returns.h"

namespace lt {

namespace {

struct Line {
    uint64_t address;
    char type;
    std::string_view name;
};

// "ffffffff81a00000 T _text"; symbols of modules end in "\t[module]".
std::optional<Line> parse_line(std::string_view text) {
    Line line{};
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), line.address, 16);
    size_t at = static_cast<size_t>(end - text.data());
    if (failure != std::errc() || text.size() < at + 4) return std::nullopt;
    line.type = text[at + 1];
    line.name = text.substr(at + 3, text.find('\t', at) - (at + 3));
    return line;
}

bool is_code(char type) { return std::string_view("tTwW").find(type) != std::string_view::npos; }

// The kernel's own symbols are sorted by address, and those of modules follow. So the nearest of the following lines is
// the end of a function.
class Scan {
  public:
    explicit Scan(CodeSymbols& symbols) : symbols_(symbols) {}

    void take(const Line& line) {
        for (CodeSymbol* open : open_) end_at(*open, line.address);
        if (!is_code(line.type)) return;
        if (auto found = symbols_.functions.find(line.name); found != symbols_.functions.end())
            begin(found->second, line.address);
        if (std::ranges::find(arch::native.return_thunks, line.name) != arch::native.return_thunks.end())
            symbols_.return_thunks.push_back(line.address);
    }

  private:
    void begin(CodeSymbol& symbol, uint64_t address) {
        if (symbol.count++ > 0) return;
        symbol.address = address;
        open_.push_back(&symbol);
    }
    static void end_at(CodeSymbol& symbol, uint64_t address) {
        if (address <= symbol.address) return;
        uint64_t size = address - symbol.address;
        symbol.size = symbol.size == 0 ? size : std::min(symbol.size, size);
    }

    CodeSymbols& symbols_;
    std::vector<CodeSymbol*> open_;
};

// No function worth tracing is longer; a symbol before a gap in the address space would be.
constexpr uint64_t most_code = 1 << 20;

Result<CodeSymbol> find_symbol(const CodeSymbols& symbols, const std::string& function) {
    const CodeSymbol& symbol = symbols.functions.at(function);
    if (symbol.count == 0) return Error{"the kernel has no function of this name", ""};
    if (symbol.count > 1) return Error{fmt::format("the kernel has {} functions of this name", symbol.count), ""};
    if (symbol.address == 0)
        return Error{"the kernel hides its addresses", "run as root with kernel.kptr_restrict at 0 or 1"};
    if (symbol.size == 0 || symbol.size > most_code) return Error{"the end of the function is unknown", ""};
    return symbol;
}

Result<std::vector<uint64_t>> return_addresses(const CodeSymbol& symbol, std::span<const uint64_t> thunks) {
    auto code = read_kernel_memory(symbol.address, symbol.size);
    if (!code) return code.error();
    auto exits = find_exits({*code, symbol.address, thunks});
    if (!exits) return exits.error();
    if (!exits->tail_jumps.empty())
        return Error{fmt::format("the function can exit through the jump at +{:#x}, which breakpoints on returns miss",
                                 exits->tail_jumps.front() - symbol.address),
                     ""};
    if (exits->returns.empty()) return Error{"the function never returns", ""};
    const size_t most = arch::native.debug_registers - 1;  // one register is for the entry
    if (exits->returns.size() > most)
        return Error{fmt::format("the function has {} returns, but a CPU has debug registers for only {}",
                                 exits->returns.size(), most),
                     ""};
    return exits->returns;
}

}  // namespace

CodeSymbols parse_code_symbols(std::istream& kallsyms, std::span<const std::string> functions) {
    CodeSymbols symbols;
    for (const std::string& function : functions) symbols.functions.emplace(function, CodeSymbol());
    Scan scan(symbols);
    for (std::string text; std::getline(kallsyms, text);)
        if (auto line = parse_line(text)) scan.take(*line);
    return symbols;
}

Result<CodeSymbols> read_code_symbols(std::span<const std::string> functions) {
    std::ifstream in("/proc/kallsyms");
    if (!in) return Error{"cannot read /proc/kallsyms", ""};
    return parse_code_symbols(in, functions);
}

Result<std::vector<uint64_t>> breakpoint_addresses(const CodeSymbols& symbols, const std::string& function,
                                                   bool at_return) {
    auto symbol = find_symbol(symbols, function);
    if (!symbol) return symbol.error();
    if (at_return) return return_addresses(*symbol, symbols.return_thunks);
    return std::vector<uint64_t>{symbol->address};
}

namespace {

const Result<CodeSymbols>& symbols(Opening& from) {
    if (from.symbols) return *from.symbols;
    std::vector<std::string> functions;
    for (const PlannedProbe& probe : from.plan.probes)
        for (const Rung& rung : probe.rungs)
            if (rung.way == Way::breakpoint)
                for (const Attachment& a : rung.attachments) functions.push_back(subject(a));
    return from.symbols.emplace(read_code_symbols(functions));
}

Opened open_breakpoints(Opening& from, const Attachment& attachment, int program) {
    const std::string& function = std::get<KernelSite>(attachment.site).function;
    std::string what = "breakpoints on " + function;
    const Result<CodeSymbols>& known = symbols(from);
    if (!known) return known.error_in(what);
    auto addresses = breakpoint_addresses(*known, function, attachment.at_return);
    if (!addresses) return addresses.error_in(what);
    auto cpus = online_cpus();
    if (!cpus) return cpus.error_in(what);
    std::vector<Hook> hooks;
    for (uint64_t address : *addresses)
        for (int cpu : *cpus) {
            auto event = open_kernel_breakpoint(address, cpu);
            if (!event) return event.error_in(what);
            hooks.push_back({.program = program, .way = Way::breakpoint, .event = Descriptor(*event), .on_cpu = true});
        }
    return hooks;
}

}  // namespace

extern constinit const WayAttach breakpoint_way{
    .open = open_breakpoints, .entry_ns = 1000, .return_ns = 1000, .stops_when_disabled = true};

}  // namespace lt
