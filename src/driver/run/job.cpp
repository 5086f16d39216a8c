#include "driver/run/job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "driver/cli/progress.h"
#include "driver/target/chosen_kernel.h"

namespace lt {
namespace {

bool colored() {
    const char* wish = std::getenv("BPFTRACE_COLOR");
    if (wish != nullptr && std::string_view(wish) == "always") return true;
    if (wish != nullptr && std::string_view(wish) == "never") return false;
    return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace

Job::Job(const Command& command_in, Source source_in, std::unique_ptr<PlanMaker> maker_in, const Shared& shared_in)
    : command(command_in),
      source(std::move(source_in)),
      maker(std::move(maker_in)),
      shared(shared_in),
      stages(shared.alone && shared.messages == stderr && !command.has(Option::quiet) && Progress::has_terminal()),
      kernel(shared.kernel) {}

bool refuse(Job& job, const Error& error) {
    job.diags.error({}, error.what).hint = error.hint;
    return false;
}

bool all_right(Job& job, const Status& status) { return status || refuse(job, status.error()); }

void draw_diags(Job& job) {
    std::fflush(stdout);
    job.diags.fold(job.drawn);
    for (; job.drawn < job.diags.all().size(); job.drawn++) {
        const Diag& diag = job.diags.all()[job.drawn];
        if (diag.severity == Severity::warning && job.command.has(Option::no_warnings)) continue;
        fmt::print(job.shared.messages, "{}", draw(job.source, diag, colored()));
    }
}

bool open_chosen_kernel(Job& job) {
    if (job.kernel) return true;
    Result<std::unique_ptr<Kernel>> kernel = chosen_kernel(job.command);
    if (!kernel) return refuse(job, kernel.error());
    job.own_kernel = *std::move(kernel);
    job.kernel = job.own_kernel.get();
    return true;
}

}  // namespace lt
