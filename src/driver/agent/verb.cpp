#include "driver/agent/verb.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/diag.h"
#include "driver/agent/agent.h"

namespace lt {

int agent_verb(int argc, const char* const* argv) {
    Error error;
    int status = 2;
    const Result<Command> command = read_command(argc, argv);
    const Result<agent::AgentOptions> options =
        command ? agent::agent_options(*command) : Result<agent::AgentOptions>(command.error());
    if (options) {
        Result<std::unique_ptr<agent::Agent>> agent = agent::Agent::open(*command);
        if (agent) return (*agent)->run();
        error = agent.error();
        status = 1;
    } else {
        error = options.error();
    }
    Diags diags;
    diags.error({}, error.what).hint = error.hint;
    if (!error.what.empty()) fmt::print(stderr, "{}", draw({}, diags.all().front(), false));
    return status;
}

}  // namespace lt
