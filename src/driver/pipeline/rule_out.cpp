#include "driver/pipeline/rule_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace lt {
namespace {

// bpftrace's names of features, and the ways that need them.
struct FeatureRow {
    std::string_view name;
    std::array<Way, 2> ways;
};
constexpr std::array feature_rows{
    FeatureRow{"kprobe_multi", {Way::kprobe_multi, Way::kprobe_multi}},
    FeatureRow{"kprobe_session", {Way::kprobe_session, Way::kprobe_session}},
    FeatureRow{"uprobe_multi", {Way::uprobe_multi, Way::uprobe_session}},
};

}  // namespace

bool rule_out_ways(const std::vector<std::string>& wanted, bool given, ResolveOptions& options, Diags& diags) {
    if (!given) return true;
    std::vector<std::string> names;
    for (const WayRow& row : way_rows())
        if (row.function) names.emplace_back(row.name);
    for (const std::string& name : wanted) {
        if (std::ranges::find(names, name) != names.end()) continue;
        diags.error({}, fmt::format("`{}` is not a way to attach a function", name)).hint = use_one(names);
        return false;
    }
    const auto is_wanted = [&](const WayRow& row) { return std::ranges::find(wanted, row.name) != wanted.end(); };
    // A way for programs does not restrict the kernel's functions, and vice versa.
    for (const WayRow& row : way_rows()) {
        const auto is_wanted_rival = [&](const WayRow& rival) { return rival.user == row.user && is_wanted(rival); };
        if (row.function && !is_wanted(row) && std::ranges::any_of(way_rows(), is_wanted_rival))
            options.ruled_out.push_back({"", row.way, "it was ruled out by --attach-with"});
    }
    return true;
}

bool rule_out_features(const std::vector<std::string>& names, ResolveOptions& options, Diags& diags) {
    for (const std::string& name : names) {
        const auto row = std::ranges::find(feature_rows, name, &FeatureRow::name);
        if (row == feature_rows.end()) {
            diags.error({}, fmt::format("--no-feature does not support the feature `{}`", name)).hint =
                "it supports `kprobe_multi`, `kprobe_session` and `uprobe_multi`; --attach-with takes all ways to "
                "attach";
            return false;
        }
        for (const Way way : row->ways) options.ruled_out.push_back({"", way, "it was ruled out by --no-feature"});
    }
    return true;
}

}  // namespace lt
