#include "driver/console/page_command.h"

#include <fmt/format.h>

#include "base/file_text.h"
#include "base/text.h"
#include "driver/cli/facts.h"
#include "driver/report/compare.h"
#include "driver/report/report.h"
#include "runtime/border/internal_map.h"
#include "runtime/page/page.h"

namespace lt {
namespace {

// The events since each mark: of stacks as pictures, of all else as `diff MARK` prints it.
void add_marks(Page& page, Trace& trace, const Trace::Mark& now) {
    for (const auto& [name, mark] : trace.marks()) {
        const std::string heading = fmt::format("[{}] since the mark {}, {} ago", trace.number(), name,
                                                show_length(std::chrono::duration<double>(now.at - mark.at).count()));
        Trace::Mark before = mark, after = now;
        for (size_t i = 0; i < now.maps.size(); i++) {
            const std::string of_map = fmt::format("{}: {}", heading, now.maps[i].name);
            if (page.add_difference(mark.maps[i], now.maps[i], of_map, Page::After::has_both))
                before.maps[i].entries = after.maps[i].entries = {};
        }
        TextSink sink;
        const std::unique_ptr<Printer> text = text_printer(sink);
        compare(before, after, *text);
        if (!sink.text.empty()) page.add_text(heading, sink.text);
    }
}

void add_losses(Page& page, Trace& trace) {
    const auto tell = [&](const std::string& text) { page.notice(fmt::format("[{}] {}", trace.number(), text)); };
    for (const Missed& each : trace.session().missed()) tell(missed_fact(trace.plan(), each).text);
    for (const Loss& each : trace.session().losses())
        if (const auto fact = loss_fact(trace.plan(), each, {.stats = false, .source = "program"})) tell(fact->text);
}

}  // namespace

Status write_page(const std::vector<Trace*>& traces, const std::string& path) {
    Page page({});
    std::string scripts;
    for (Trace* trace : traces) {
        const Result<Trace::Mark> now = trace->snapshot();
        if (!now) return now.error();
        for (size_t i = 0; i < now->maps.size(); i++)
            if (!is_internal(trace->plan().maps[i]))
                page.add(now->maps[i], fmt::format("[{}] {}", trace->number(), now->maps[i].name));
        add_marks(page, *trace, *now);
        add_losses(page, *trace);
        scripts += fmt::format("[{}] {}\n", trace->number(), trim(trace->text()));
    }
    return write_file(path, page.html("lt: " + plural(traces.size(), "trace"), machine_and_time(), scripts));
}

}  // namespace lt
