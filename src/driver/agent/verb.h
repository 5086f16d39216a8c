// The command `lt agent`.
#pragma once

namespace lt {

// `lt agent [options] FILE|DIR...`; argv starts at the word. Returns the exit status.
int agent_verb(int argc, const char* const* argv);

}  // namespace lt
