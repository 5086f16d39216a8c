#include "driver/agent/verb.h"

#include "driver/agent/agent.h"
#include "driver/cli/failure.h"

namespace lt {

int agent_verb(int argc, const char* const* argv) {
    const Result<Command> command = read_command(argc, argv);
    if (!command) return misuse(command.error());
    if (const Result<agent::AgentOptions> options = agent::agent_options(*command); !options)
        return misuse(options.error());
    const Result<std::unique_ptr<agent::Agent>> agent = agent::Agent::open(*command);
    return agent ? (*agent)->run() : failure(agent.error());
}

}  // namespace lt
