#include "runtime/print/flame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/markup.h"
#include "base/visible.h"
#include "runtime/border/duration.h"
#include "runtime/print/relay.h"

namespace lt {

namespace {

// The picture is as wide as its window: widths are percentages, and names are cut by the script. Without scripts they
// are cut for a window of this many pixels.
constexpr double usual_width = 1200, row_height = 17, top = 62, bottom = 16, letter_width = 7.2;
constexpr double least_width = 0.008;  // percent; narrower functions are not drawn

// Warm colors for programs, cold ones for the kernel; a name has the same color in all pictures.
std::string color_of(std::string_view name) {
    uint32_t hash = 2166136261U;
    for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    const bool kernel = name.ends_with("_[k]");
    const uint32_t hue = kernel ? 195 + hash % 40 : 8 + hash % 44;
    return fmt::format("hsl({},{}%,{}%)", hue, kernel ? 55 : 80, 62 + hash / 64 % 10);
}

// Colors of a difference: from white to red for more than before, to blue for less. Full at a change of ten points.
std::string color_of_change(double points) {
    constexpr double full = 10;
    const double share = std::min(std::abs(points) / full, 1.0);
    return fmt::format("hsl({},80%,{:.0f}%)", points < 0 ? 215 : 8, 93 - 33 * std::sqrt(share));
}

// The names stand on bright boxes, in both color schemes. All of it is of this class, so that the picture can also be a
// part of a page.
constexpr std::string_view style =
    ".flame{--flame:#f8f8f4;--name:#1c2128;--quiet:#5a616b;background:var(--flame)}"
    "@media(prefers-color-scheme:dark){.flame{--flame:#14171c;--name:#e6e8eb;--quiet:#9aa1ad}}"
    ".flame text{font:12px monospace;fill:var(--name);pointer-events:none}.flame g.f text{fill:#000}"
    ".flame g.f{cursor:pointer}.flame g.f:hover rect{stroke:var(--name)}"
    ".flame rect{stroke:var(--flame);stroke-width:.4}.flame .under{fill:var(--flame);stroke:none}"
    ".flame .title{font-size:15px}.flame .quiet{fill:var(--quiet)}.flame .found rect{fill:#c3f!important}"
    ".flame .button{cursor:pointer;pointer-events:all;text-decoration:underline}";

// Each function is a group with its position and width in percent and its row; a click recomputes all widths. The
// numbers are not rounded: they are compared to find what stands inside of what.
constexpr std::string_view script = R"js(
(() => {
const svg = document.currentScript.parentNode, one = name => svg.querySelector('.' + name);
const frames = [...svg.querySelectorAll('g.f')].map(g => ({g, x: +g.dataset.x, w: +g.dataset.w, row: +g.dataset.row,
    name: g.querySelector('title').textContent, rect: g.querySelector('rect'), text: g.querySelector('text')}));
const said = one('said'), facts = one('facts'), title = one('title');
const cut = (name, room) => name.length <= room ? name : room < 3 ? '' : name.slice(0, room - 2) + '..';
let shown = [0, 100, 0];
function draw(from, width, row) {
    shown = [from, width, row];
    const W = svg.clientWidth || innerWidth;
    title.textContent = cut(title.dataset.name, Math.floor((W - 16) / 9));
    facts.textContent = cut(facts.dataset.name, Math.floor((W - 16) / 7.2));
    for (const f of frames) {
        const inside = f.row >= row ? f.x >= from - 1e-9 && f.x + f.w <= from + width + 1e-9
                                    : f.x <= from + 1e-9 && f.x + f.w >= from + width - 1e-9;
        f.g.style.display = inside ? '' : 'none';
        if (!inside) continue;
        const x = f.row < row ? 0 : (f.x - from) / width * W, w = f.row < row ? W : f.w / width * W;
        f.rect.setAttribute('x', x); f.rect.setAttribute('width', w);
        f.text.setAttribute('x', x); f.text.setAttribute('dx', 3);
        f.text.textContent = cut(f.g.dataset.name, Math.floor((w - 6) / 7.2));
    }
}
const whole = () => draw(0, 100, 0);
function search() {
    const word = prompt('Functions whose names match (a regular expression):');
    if (word === null) return;
    let pattern;
    try { pattern = new RegExp(word); } catch { said.textContent = 'no regular expression'; return; }
    const hits = frames.filter(f => word !== '' && pattern.test(f.g.dataset.name));
    frames.forEach(f => f.g.classList.toggle('found', hits.includes(f)));
    let sum = 0, end = -1;
    for (const f of hits.sort((a, b) => a.x - b.x || a.row - b.row))
        if (f.x >= end - 1e-9) { sum += f.w; end = f.x + f.w; }
    said.textContent = word === '' ? '' : 'matched: ' + sum.toFixed(2) + ' %';
}
for (const f of frames) {
    f.g.addEventListener('click', () => draw(f.x, f.w, f.row));
    f.g.addEventListener('mouseover', () => { said.textContent = f.name; });
}
draw(...shown);
addEventListener('resize', () => draw(...shown));
one('whole').addEventListener('click', whole);
one('search').addEventListener('click', search);
if (svg === document.documentElement) addEventListener('keydown', e => { if (e.key === 'Escape') whole(); if (e.key === 'f' && e.ctrlKey) { e.preventDefault(); search(); } });
})();
)js";

// Addresses without a name differ in each run and hide what they have in common: "0x7f12 [unknown]" becomes
// "[unknown]", and several in a row are one box.
std::string_view name_in_graph(std::string_view frame) {
    const size_t blank = frame.find(' ');
    const bool is_address = frame.starts_with("0x") && blank != frame.npos &&
                            frame.substr(blank + 1).starts_with('[') &&
                            frame.find_first_not_of("0123456789abcdef", 2) == blank;
    return is_address ? frame.substr(blank + 1) : frame;
}

}  // namespace

// One picture in progress: the outermost functions are at the top, beside the title, however deep the stacks are.
class FlameDrawing {
  public:
    // `before`, which may be null, is what the colors compare with.
    FlameDrawing(const FlameGraph::Node& root, const FlameGraph::Node* before, bool durations)
        : root_(root), before_(before), durations_(durations), height_(top + bottom + row_height * depth(root)) {}

    std::string text(std::string_view title, std::string_view facts, std::string_view left_out) {
        const std::string about = fmt::format("{}{}{} in all{}{}", facts, facts.empty() ? "" : ", ", weight_of(root_),
                                              left_out.empty() ? "" : ", ", left_out);
        out_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"100%\" height=\"{0}\">\n"
            "<style>{1}</style>\n<rect class=\"under\" width=\"100%\" height=\"100%\"/>\n"
            "<text class=\"title\" x=\"8\" y=\"18\" data-name=\"{2}\">{2}</text>\n"
            "<text class=\"facts quiet\" x=\"8\" y=\"36\" data-name=\"{3}\">{3}</text>\n"
            "<text class=\"whole button\" x=\"8\" y=\"54\">whole</text>\n"
            "<text class=\"search button\" x=\"58\" y=\"54\">search</text>\n"
            "<text class=\"said\" x=\"116\" y=\"54\"></text>\n",
            height_, style, escaped(title), escaped(about));
        draw("all", root_, before_, 0, 0);
        out_ += fmt::format("<script>//<![CDATA[{}//]]></script>\n</svg>\n", script);
        return std::move(out_);
    }

  private:
    static double share(const FlameGraph::Node& node, const FlameGraph::Node& root) {
        return 100 * static_cast<double>(node.weight) / static_cast<double>(std::max<uint64_t>(root.weight, 1));
    }
    double width_of(const FlameGraph::Node& node) const { return share(node, root_); }
    std::string weight_of(const FlameGraph::Node& node) const {
        return durations_ ? show_duration(static_cast<int64_t>(node.weight)) : fmt::format("{}", node.weight);
    }
    // The number of rows needed.
    double depth(const FlameGraph::Node& node) const {
        double most = 0;
        for (const auto& [name, above] : node.above)
            if (width_of(above) >= least_width) most = std::max(most, depth(above));
        return 1 + most;
    }
    void draw(const std::string& name, const FlameGraph::Node& node, const FlameGraph::Node* before, double x,
              unsigned row);

    const FlameGraph::Node& root_;
    const FlameGraph::Node* before_;
    bool durations_;
    double height_;
    std::string out_;
};

void FlameDrawing::draw(const std::string& name, const FlameGraph::Node& node, const FlameGraph::Node* before, double x,
                        unsigned row) {
    const double width = width_of(node);
    if (width < least_width) return;
    const double was = before ? share(*before, *before_) : 0;
    const double y = top + row_height * row;
    const auto room = static_cast<size_t>(std::max(0.0, (width / 100 * usual_width - 6) / letter_width));
    const std::string shown = shortened(name, room, "..");
    out_ += fmt::format(
        "<g class=\"f\" data-x=\"{0}\" data-w=\"{1}\" data-row=\"{2}\" data-name=\"{3}\"><title>{3} ({4}, "
        "{1:.2f} %{10})</title><rect x=\"{0:.3f}%\" y=\"{5:.0f}\" width=\"{1:.3f}%\" height=\"{6:.0f}\" rx=\"2\" "
        "style=\"fill:{7}\"/><text x=\"{0:.3f}%\" dx=\"3\" y=\"{8:.0f}\">{9}</text></g>\n",
        x, width, row, escaped(name), weight_of(node), y, row_height - 1,
        before_ ? color_of_change(width - was) : color_of(name), y + 12, escaped(shown),
        before_ ? fmt::format(", {:.2f} % before", was) : "");
    for (const auto& [above_name, above] : node.above) {
        const auto same = before ? before->above.find(above_name) : decltype(node.above.end()){};
        const bool is_old = before && same != before->above.end();
        draw(above_name, above, is_old ? &same->second : nullptr, x, row + 1);
        x += width_of(above);
    }
}

namespace {

class FlamePrinter final : public Relay {
  public:
    FlamePrinter(FlameGraph& graph, Printer& next, bool named) : Relay(next), graph_(graph), named_(named) {}

    void map(const MapContent& content) override {
        next_.map(content);
        if (!content.at_end) return;
        for (size_t i = 0; i < content.entries.size(); i++) {
            const MapEntry entry = content.entries[i];
            auto folded = fold(entry);
            if (!folded && is_negative_stack(entry)) graph_.leave_out_negative();
            if (!folded) continue;
            if (named_) folded->frames.insert(folded->frames.begin(), content.name);
            graph_.add(*folded);
        }
    }

  private:
    FlameGraph& graph_;
    bool named_;
};

}  // namespace

void FlameGraph::take_away(Node& from, const Node& what) {
    from.weight -= std::min(from.weight, what.weight);
    for (const auto& [name, above] : what.above) {
        const auto found = from.above.find(name);
        if (found == from.above.end()) continue;
        take_away(found->second, above);
        if (found->second.weight == 0) from.above.erase(found);
    }
}

void FlameGraph::add(const FoldedStack& stack) {
    Node* node = &root_;
    node->weight += stack.weight;
    std::string_view last;
    for (const std::string& frame : stack.frames) {
        const std::string_view name = name_in_graph(frame);
        if (name.starts_with('[') && name == last) continue;
        last = name;
        node = &node->above[std::string(name)];
        node->weight += stack.weight;
    }
}

FlameGraph FlameGraph::since(const FlameGraph& before) const {
    FlameGraph out = *this;
    if (root_.weight >= before.root_.weight) take_away(out.root_, before.root_);
    return out;
}

std::string FlameGraph::left_out_text() const {
    if (negative_ == 0) return {};
    return negative_ == 1 ? "1 stack with a negative value is not drawn"
                          : fmt::format("{} stacks with negative values are not drawn", negative_);
}

std::string FlameGraph::picture(std::string_view title, std::string_view facts, bool durations,
                                const FlameGraph* before) const {
    return FlameDrawing(root_, before ? &before->root_ : nullptr, durations).text(title, facts, left_out_text());
}

std::string FlameGraph::svg(std::string_view title, std::string_view facts, bool durations) const {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + picture(title, facts, durations);
}

std::unique_ptr<Printer> flame_printer(FlameGraph& graph, Printer& next, bool named) {
    return std::make_unique<FlamePrinter>(graph, next, named);
}

}  // namespace lt
