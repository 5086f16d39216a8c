#include "runtime/print/folded.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "runtime/print/entry_order.h"
#include "runtime/print/relay.h"
#include "runtime/print/show.h"
#include "runtime/values/hist.h"

namespace lt {
namespace {

// Replaces the separators of frames and lines.
std::string frame_name(std::string_view text) {
    std::string name = visible(text);
    std::ranges::replace(name, ';', ':');
    return name;
}

std::string name_of(const Frame& frame) {
    const std::string name = frame.function.empty() ? frame_text(frame) : frame.function;
    return frame_name(name) + (frame.user ? "" : "_[k]");
}

// Outermost first. A missing stack has no frames.
void add_stack(std::vector<std::string>& frames, const Stack& stack) {
    if (stack.id == stack_none) return;
    if (stack.frames.empty()) return frames.push_back(frame_name(stack_rows(stack).front()));
    for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) frames.push_back(name_of(*frame));
}

struct WeightOf {
    using Weight = std::optional<uint64_t>;
    bool is_signed;
    static Weight of(int64_t number) { return number < 0 ? Weight() : static_cast<uint64_t>(number); }

    Weight operator()(int64_t number) const { return is_signed ? of(number) : static_cast<uint64_t>(number); }
    Weight operator()(const std::string&) const { return {}; }
    Weight operator()(const Average& average) const { return (*this)(average.sum); }
    Weight operator()(const Extreme&) const { return {}; }
    Weight operator()(const Histogram& histogram) const { return total(histogram); }
    Weight operator()(const Distribution& distribution) const { return of(distribution.sum); }
    Weight operator()(const Samples& samples) const { return of(samples.sum); }
    Weight operator()(const Series&) const { return {}; }
    Weight operator()(const Causes& causes) const { return of(causes.total()); }
    Weight operator()(Missing) const { return {}; }
    Weight operator()(const Stack&) const { return {}; }
    Weight operator()(const Group&) const { return {}; }
};

struct IsNegative {
    bool is_signed;
    bool operator()(int64_t number) const { return is_signed && number < 0; }
    bool operator()(const Average& average) const { return (*this)(average.sum); }
    bool operator()(const Distribution& distribution) const { return distribution.sum < 0; }
    bool operator()(const Samples& samples) const { return samples.sum < 0; }
    bool operator()(const Causes& causes) const { return causes.total() < 0; }
    bool operator()(const auto&) const { return false; }
};

// Is the weight the number of values?
bool is_counted(const Type& value) {
    const Aggregation a = value.aggregation;
    return a == Aggregation::count || a == Aggregation::hist || a == Aggregation::lhist;
}

class FoldedPrinter final : public Relay {
  public:
    FoldedPrinter(Sink& sink, Printer& others, bool named) : Relay(others), sink_(sink), named_(named) {}

    void map(const MapContent& content) override;
    void flush() override {
        sink_.flush();
        next_.flush();
    }

  private:
    Sink& sink_;
    bool named_;
};

void FoldedPrinter::map(const MapContent& content) {
    std::vector<MapEntry> others;
    for (const size_t index : print_order(content)) {
        MapEntry entry = content.entries[index];
        auto folded = fold(entry);
        if (!folded) {
            others.push_back(std::move(entry));
            continue;
        }
        if (named_) folded->frames.insert(folded->frames.begin(), content.name);
        sink_.write(folded_text(*folded));
    }
    if (!others.empty())
        next_.map({content.name, std::move(others), content.most, content.at_end, content.value, content.sampled});
    else if (content.sampled)
        next_.map({content.name, {}, 0, content.at_end, {}, content.sampled});  // says that it is
}

}  // namespace

std::optional<FoldedStack> fold(const MapEntry& entry) {
    const auto weight = std::visit(WeightOf{entry.value.type.is_signed}, entry.value.data);
    FoldedStack out;
    std::vector<std::string> of_program, of_kernel;
    bool any = false;
    for (const Value& part : entry.key) {
        const auto* stack = std::get_if<Stack>(&part.data);
        any = any || stack != nullptr;
        if (stack == nullptr) {
            out.frames.push_back(frame_name(show(part, false)));
        } else {
            add_stack(stack->process == 0 ? of_kernel : of_program, *stack);
        }
    }
    if (!any || !weight) return {};
    out.frames.insert(out.frames.end(), of_program.begin(), of_program.end());
    out.frames.insert(out.frames.end(), of_kernel.begin(), of_kernel.end());
    if (out.frames.empty()) out.frames.emplace_back("(no stack)");
    out.weight = *weight;
    return out;
}

bool is_negative_stack(const MapEntry& entry) {
    const auto is_stack = [](const Value& part) { return std::holds_alternative<Stack>(part.data); };
    return std::ranges::any_of(entry.key, is_stack) &&
           std::visit(IsNegative{entry.value.type.is_signed}, entry.value.data);
}

bool can_fold(const Type& value) {
    const bool extreme = is_extreme(value.aggregation);
    return !in_memory(value) && !extreme;
}

bool adds_durations(const Type& value) { return value.view == View::duration && !is_counted(value); }

std::string_view weight_name(const Type& value, bool plain) {
    if (is_counted(value)) return "count";
    if (!plain && adds_durations(value)) return "time";
    return value.aggregation == Aggregation::none ? "value" : "sum";
}

std::string folded_text(const FoldedStack& stack) {
    return fmt::format("{} {}\n", join(stack.frames, ";"), stack.weight);
}

std::unique_ptr<Printer> folded_printer(Sink& sink, Printer& others, bool named) {
    return std::make_unique<FoldedPrinter>(sink, others, named);
}

}  // namespace lt
