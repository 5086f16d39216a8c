// What all sorts of place have in common: the kind of a probe, how many parts it has, and the function that finds its
// places.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "resolver.h"

namespace lt {

std::string did_you_mean(const std::vector<std::string>& names) {
    return names.empty() ? "" : fmt::format("did you mean {}?", either(names));
}

// A sort of place: how many parts stand behind the kind, and who finds it.
struct Resolver::PlaceRow {
    Place place;
    size_t least, most;
    bool open_end;  // the last part may be empty
    Places (Resolver::*find)(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked);
};

const Resolver::PlaceRow& Resolver::place_row(Place place) {
    static constexpr std::array rows{
        PlaceRow{Place::nothing, 0, 0, false, &Resolver::nothing_more},
        PlaceRow{Place::period, 1, 2, false, &Resolver::period},
        PlaceRow{Place::event, 2, 2, false, &Resolver::event},
        PlaceRow{Place::raw_event, 1, 2, false, &Resolver::raw_event},
        PlaceRow{Place::kernel_function, 1, 2, false, &Resolver::kernel_function},
        PlaceRow{Place::system_call, 1, 1, false, &Resolver::system_call},
        PlaceRow{Place::binary_function, 2, 3, false, &Resolver::binary_function},
        PlaceRow{Place::marker, 2, 3, false, &Resolver::marker},
        PlaceRow{Place::clock, 1, 2, false, &Resolver::clock},
        PlaceRow{Place::counter, 1, 2, true, &Resolver::counter},
        PlaceRow{Place::address, 3, 3, false, &Resolver::address},
        PlaceRow{Place::signal, 2, 2, false, &Resolver::signal},
        PlaceRow{Place::kernel_objects, 1, 2, false, &Resolver::kernel_objects},
        PlaceRow{Place::socket_event, 1, 1, false, &Resolver::socket_event},
    };
    static_assert([] {
        for (size_t i = 0; i < rows.size(); i++)
            if (static_cast<size_t>(rows[i].place) != i) return false;
        return true;
    }());
    return rows[static_cast<size_t>(place)];
}

// With -p no file has to be named: usdt::PROVIDER:NAME and u::FUNCTION are of all that the process has mapped, usdt:*
// is all of its markers. A provider that is left empty is any.
ast::ProbeSpec Resolver::filled_in(ast::ProbeSpec spec, const ProbeRow& row) const {
    std::vector<Part>& parts = spec.parts;
    const bool in_file = row.place == Place::marker || row.place == Place::binary_function;
    if (!in_file || parts.size() < 2) return spec;
    if (options_.traced.process != 0 && parts[1].text.empty()) parts[1].text = "*";
    if (row.place != Place::marker) return spec;
    if (options_.traced.process != 0 && parts.size() == 2 && parts[1].text == "*") parts.push_back(parts[1]);
    if (parts.size() == 4 && parts[2].text.empty()) parts[2].text = "*";
    return spec;
}

Resolver::Places Resolver::places(const ast::ProbeSpec& given, const Asked& asked) {
    const ProbeRow* row = kind_of(given, asked.role);
    if (!row) return {};
    const ast::ProbeSpec spec = filled_in(given, *row);
    if (!shape_fits(spec, *row)) return {};
    ResolvedPlace place;
    place.kind = row->kind;
    place.span = spec.span;
    place.text = text_of(*row, spec.parts, spec.parts.back().text);
    return (this->*place_row(row->place).find)(spec, std::move(place), asked);
}

Resolver::Places Resolver::nothing_more(const ast::ProbeSpec&, ResolvedPlace place, const Asked&) {
    return {std::move(place)};
}

// Does the kernel allow it? Else a diagnostic.
bool Resolver::offered(const ast::ProbeSpec& spec, Feature feature, std::string_view what) {
    const Answer a = kernel_.can(feature);
    // Perf events on programs need CAP_SYS_ADMIN in newer kernels, links do not.
    if (!a.yes && feature == Feature::uprobe && kernel_.can(Feature::uprobe_multi).yes) return true;
    if (!a.yes) diags_.error(spec.span, fmt::format("this kernel offers no {}: {}", what, a.why));
    return a.yes;
}

std::string Resolver::text_of(const ProbeRow& row, const std::vector<Part>& parts, std::string_view last) {
    std::string out(row.name);
    for (size_t i = 1; i + 1 < parts.size(); i++) out += ":" + parts[i].text;
    if (parts.size() > 1) out += fmt::format(":{}", last);
    return out;
}

const ProbeRow* Resolver::kind_of(const ast::ProbeSpec& spec, Role role) {
    const Part& kind = spec.parts.front();
    const ProbeRow* row = find_probe(kind.text);
    if (!row) {
        unknown_kind(spec);
        return nullptr;
    }
    if (role == Role::call && !row->spans) {
        Diag& d = diags_.error(
            kind.span, fmt::format("a span of one name opens at the entry of a call, and `{}` is none", row->name));
        d.hint = row->result ? "name the entry: the return is found by itself, as in `k:vfs_read < @ = hist(...) >`"
                             : "name the event that closes it: `t:sched:sched_wakeup[args.pid] -> "
                               "t:sched:sched_switch[args.next_pid] < ... >`";
        return nullptr;
    }
    if ((role == Role::open || role == Role::close) && run_by_lt(row->place)) {
        diags_.error(kind.span, fmt::format("`{}` is no event that a span could {} at", row->name,
                                            role == Role::open ? "open" : "close"));
        return nullptr;
    }
    return row;
}

void Resolver::unknown_kind(const ast::ProbeSpec& spec) {
    const Part& kind = spec.parts.front();
    const auto later = later_probes();
    if (std::find(later.begin(), later.end(), kind.text) != later.end()) {
        Diag& d = diags_.error(kind.span, fmt::format("`{}` probes are not there yet", kind.text));
        std::vector<std::string> names;
        for (const ProbeRow& r : probe_rows()) names.emplace_back(r.name);
        d.hint = "there are " + either(names);
        return;
    }
    Diag& d = diags_.error(kind.span, fmt::format("there is no kind of probe `{}`", kind.text));
    if (spec.parts.size() == 1 && kernel_.function(kind.text)) {
        d.hint = fmt::format("for the kernel function of this name write `k:{}`", kind.text);
        return;
    }
    std::vector<std::string_view> names;
    for (const ProbeRow& r : probe_rows()) names.push_back(r.name);
    d.hint = did_you_mean(closest(kind.text, names));
    if (d.hint.empty())
        d.hint = "a kernel function is k:NAME, a tracepoint t:CATEGORY:EVENT, a program's function u:PATH:NAME";
}

bool Resolver::shape_fits(const ast::ProbeSpec& spec, const ProbeRow& row) {
    const size_t n = spec.parts.size() - 1;
    const PlaceRow& place = place_row(row.place);
    bool fits = n >= place.least && n <= place.most;
    for (const Part& p : spec.parts) {
        const bool may_be_empty = place.open_end && n == place.most && &p == &spec.parts.back();
        fits = fits && (may_be_empty || !p.text.empty());
    }
    if (fits) return true;
    diags_.error(spec.span, fmt::format("`{}` is not complete", row.name)).hint = fmt::format("write {}", row.shape);
    return false;
}

bool Resolver::count_fits(const ast::ProbeSpec& spec, size_t n, std::optional<size_t> limit) {
    const size_t most = limit.value_or(most_matches_);
    if (n == 0) {
        diags_.error(spec.parts.back().span, "nothing matches this pattern").hint =
            "`lt -l` followed by a pattern in quotes lists what there is";
        return false;
    }
    if (n <= most) return true;
    diags_
        .error(spec.parts.back().span,
               fmt::format("this pattern matches {} places, more than the limit of {}", n, most))
        .hint = "use a narrower pattern";
    return false;
}

}  // namespace lt
