#include "codegen/resolve/probe.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lt {
namespace {

// With -p the file can be left out: usdt::PROVIDER:NAME, usdt:NAME and u::FUNCTION search all files that the process
// has mapped. An empty provider matches any. A pattern alone is of tracepoints in all categories.
ast::ProbeSpec filled_in(const Search& s, const ProbeRow& row) {
    ast::ProbeSpec spec = s.spec;
    std::vector<Part>& parts = spec.parts;
    const bool is_alone = parts.size() == 2 && parts[1].text.find('/') == std::string::npos;
    const auto begin_with_any = [&] { parts.insert(parts.begin() + 1, Part{parts[1].span, "*"}); };
    if (row.place == Place::event && is_alone && is_glob(parts[1].text)) begin_with_any();
    if (!provider(row.place).in_file || parts.size() < 2) return spec;
    if (s.options.traced.process != 0 && parts[1].text.empty()) parts[1].text = "*";
    if (row.place != Place::marker) return spec;
    if (s.options.traced.process != 0 && is_alone) begin_with_any();
    if (parts.size() == 4 && parts[2].text.empty()) parts[2].text = "*";
    return spec;
}

void unknown_kind(const Search& s) {
    const Part& kind = s.spec.parts.front();
    if (const OtherKind* other = find_other_kind(kind.text)) {
        s.diags.error(kind.span, fmt::format("`{}` probes are not supported yet", kind.text)).hint = other->instead;
        return;
    }
    Diag& d = s.diags.error(kind.span, fmt::format("there is no kind of probe `{}`", kind.text));
    if (s.spec.parts.size() == 1 && s.kernel.function(kind.text)) {
        d.hint = fmt::format("write `k:{}` for the kernel function with this name", kind.text);
        return;
    }
    std::vector<std::string_view> names;
    for (const ProbeRow& r : probe_rows()) names.push_back(r.name);
    d.hint = did_you_mean(closest(kind.text, names));
    if (d.hint.empty())
        d.hint =
            "write `k:NAME` for a kernel function, `t:CATEGORY:EVENT` for a tracepoint, `u:PATH:NAME` for a program's "
            "function";
}

const ProbeRow* kind_of(const Search& s) {
    const Part& kind = s.spec.parts.front();
    const ProbeRow* row = find_probe(kind.text);
    if (!row) {
        unknown_kind(s);
        return nullptr;
    }
    if (s.asked.role == Role::call && !row->spans) {
        Diag& d = s.diags.error(
            kind.span,
            fmt::format("a span with one probe opens at the entry of a call, and `{}` is not an entry", row->name));
        d.hint = row->result ? "name the entry, and lt finds the return: `k:vfs_read < @ = hist(...) >`"
                             : "name the event that closes the span: `t:sched:sched_wakeup[args.pid] -> "
                               "t:sched:sched_switch[args.next_pid] < ... >`";
        return nullptr;
    }
    if ((s.asked.role == Role::open || s.asked.role == Role::close) && run_by_lt(row->place)) {
        s.diags.error(kind.span, fmt::format("a span cannot {1} at `{0}`", row->name,
                                             s.asked.role == Role::open ? "open" : "close"));
        return nullptr;
    }
    return row;
}

bool shape_fits(const Search& s, const ProbeRow& row) {
    const size_t n = s.spec.parts.size() - 1;
    const Provider& place = provider(row.place);
    bool fits = n >= place.least && n <= place.most;
    for (const Part& p : s.spec.parts) {
        const bool may_be_empty = place.open_end && n == place.most && &p == &s.last();
        fits = fits && (may_be_empty || !p.text.empty());
    }
    if (!fits) incomplete(s);
    return fits;
}

}  // namespace

Places places(const Search& given) {
    const ProbeRow* row = kind_of(given);
    if (!row) return {};
    const ast::ProbeSpec spec = filled_in(given, *row);
    const Search s{given.kernel, given.options, given.most_matches, given.diags, spec, given.asked};
    if (!shape_fits(s, *row)) return {};
    ResolvedPlace place;
    place.kind = row->kind;
    place.span = spec.span;
    place.text = text_of(s, row->kind, spec.parts.back().text);
    return provider(row->place).find(s, std::move(place));
}

}  // namespace lt
