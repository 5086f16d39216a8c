// Finds the places of one probe: the kind by its row, then one function for each sort of place, which stand in files of
// their own (resolve_SORT.cpp). What cannot be found gets a diagnostic with the nearest names; a name that moved is
// followed and a note says so.
#pragma once

#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "codegen/compile.h"
#include "stdlib/successors.h"

namespace lt {

constexpr size_t most_members = 50000;  // places that one program may serve
constexpr size_t few_matches =
    16;  // so many functions of the kernel get programs of their own, which cost less per call

// What is asked of the places of a probe.
struct Asked {
    Role role = Role::action;
    bool by_fields = false;             // the item's expressions use `args`, which differs from place to place
    std::set<std::string> fields = {};  // the members of `args` that they name
    bool whole = false;                 // they use all of the arguments at once, or where they lie
    bool context = false;               // the latter
};

std::optional<uint64_t> any_number(std::string_view text);  // decimal, or hexadecimal behind 0x

class Resolver {
  public:
    using Part = ast::ProbeSpec::Part;
    using Places = std::vector<ResolvedPlace>;

    Resolver(Kernel& kernel, const ResolveOptions& options, size_t most_matches, Diags& diags)
        : kernel_(kernel), options_(options), most_matches_(most_matches), diags_(diags) {}

    Resolver telling(Diags& diags) const { return {kernel_, options_, most_matches_, diags}; }

    // All places that one probe of an item stands for; none after a diagnostic.
    Places places(const ast::ProbeSpec& spec, const Asked& asked);

  private:
    struct PlaceRow;
    static const PlaceRow& place_row(Place place);

    // resolve_probe.cpp
    static std::string text_of(const ProbeRow& row, const std::vector<Part>& parts, std::string_view last);
    ast::ProbeSpec filled_in(ast::ProbeSpec spec, const ProbeRow& row) const;
    const ProbeRow* kind_of(const ast::ProbeSpec& spec, Role role);
    void unknown_kind(const ast::ProbeSpec& spec);
    bool shape_fits(const ast::ProbeSpec& spec, const ProbeRow& row);
    bool count_fits(const ast::ProbeSpec& spec, size_t n, std::optional<size_t> limit = {});
    bool offered(const ast::ProbeSpec& spec, Feature feature, std::string_view what);
    Places nothing_more(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);

    // resolve_period.cpp
    Places period(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    Places clock(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    Places signal(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);

    // resolve_counter.cpp
    Places counter(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    bool how_often(const ast::ProbeSpec& spec, const ProbeRow& row, PerfEvent& event);
    Places missing_counter(const ast::ProbeSpec& spec, const ProbeRow& row, const Error& error);
    Places address(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);

    // resolve_iterator.cpp
    static std::string pin_of(const std::string& text);
    Places kernel_objects(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    Places socket_event(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);

    // resolve_files.cpp
    static bool means_files(const std::string& file);
    std::optional<std::vector<std::string>> files_of(const Part& part);
    Places functions_of_files(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    Places missing_in_files(const ast::ProbeSpec& spec, size_t files, std::string_view what);

    // resolve_marker.cpp
    Places marker(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    std::optional<std::vector<std::string>> marked_files(const Part& part);
    Places missing_marker(const ast::ProbeSpec& spec, const std::vector<std::string>& names);

    // resolve_system_call.cpp
    Places system_call(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    Places missing_system_call(const ast::ProbeSpec& spec);
    std::optional<ResolvedPlace> one_system_call(const ast::ProbeSpec& spec, ResolvedPlace place,
                                                 const std::string& name);
    bool can_serve_system_calls(const Asked& asked);
    std::vector<Member> width_of_call();
    void call_by_number(const ResolvedPlace& pattern, const Asked& asked, Places& places);
    void take_system_calls(const ResolvedPlace& place, std::string_view end, std::vector<std::string>& events,
                           Places& out);

    // resolve_event.cpp
    Places event(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    std::vector<std::string> raw_events(const std::string& pattern);
    static ResolvedPlace at_event(ResolvedPlace place, Tracepoint tp);
    Places missing_event(const ast::ProbeSpec& spec, const Error& error);
    Places kernel_instruction(const ast::ProbeSpec& spec, ResolvedPlace place, const std::string& module,
                              const Asked& asked);
    Places raw_event(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    std::vector<std::string> renamed_event(const ast::ProbeSpec& spec);
    Places missing_raw_event(const ast::ProbeSpec& spec);

    // resolve_kernel.cpp
    Places kernel_function(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    std::optional<KernelFunction> successor(const ast::ProbeSpec& spec, const std::string& name);
    std::vector<Candidate> candidates(const std::string& name);
    std::optional<KernelFunction> inner(const ast::ProbeSpec& spec, const KernelFunction& f, const Asked& asked);
    Places missing_function(const ast::ProbeSpec& spec, const std::string& module);
    Places no_way(const ast::ProbeSpec& spec, const ResolvedPlace& place);
    std::vector<Rung> instruction_rungs(const std::string& function);
    Places matching_functions(const ast::ProbeSpec& spec, const ResolvedPlace& place, std::vector<std::string> names,
                              const Asked& asked);
    Places one_by_one(const ast::ProbeSpec& spec, const ResolvedPlace& place, const std::vector<std::string>& names,
                      const Asked& asked);
    Places as_one(const ast::ProbeSpec& spec, ResolvedPlace place, std::vector<std::string>& names, const Asked& asked);

    // resolve_user.cpp
    Places binary_function(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
    Places user_as_one(const ast::ProbeSpec& spec, ResolvedPlace place, const std::vector<SourcePlace>& found,
                       const Asked& asked, bool many);
    Places user_one_by_one(const ast::ProbeSpec& spec, const ResolvedPlace& place,
                           const std::vector<SourcePlace>& found, const Asked& asked);
    std::optional<std::vector<SourcePlace>> user_places(const ast::ProbeSpec& spec, const std::string& path,
                                                        std::string_view source);
    std::vector<SourcePlace> named_functions(const std::string& path, const std::vector<std::string>& names);
    Places not_an_entry(const ast::ProbeSpec& spec);
    std::string file_text(const ast::ProbeSpec& spec, const std::string& path);
    std::string text_of(const ast::ProbeSpec& spec, const ResolvedPlace& place, const SourcePlace& f);
    std::string library_today(const ast::ProbeSpec& spec, std::string path);
    Result<UserFunction> user_place(const std::string& path, std::string_view name);
    bool starts_function(const std::string& path, const UserFunction& f);
    Places missing_user_function(const ast::ProbeSpec& spec, const std::string& path, const Error& error);

    // resolve_source.cpp
    static Result<SourceQuery> source_query(std::string_view name, std::string_view file, bool inlined);
    Places kernel_source(const ast::ProbeSpec& spec, const ResolvedPlace& place, const Asked& asked);
    Places kernel_line(const ast::ProbeSpec& spec, ResolvedPlace place, const SourcePlace& found);

    Kernel& kernel_;
    const ResolveOptions& options_;
    size_t most_matches_;  // places with a program of their own that one wildcard may stand for
    Diags& diags_;
};

// All of the text as a number.
template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
    return value;
}

void keep_order_of_calls(Typed& typed);  // resolve_system_call.cpp

inline std::vector<std::string_view> views(const std::vector<std::string>& names) {
    return {names.begin(), names.end()};
}

std::string did_you_mean(const std::vector<std::string>& names);

}  // namespace lt
