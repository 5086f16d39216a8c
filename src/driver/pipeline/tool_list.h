// `lt tools`: the tools that there are, and what this kernel cannot do of them.
#pragma once

namespace lt {

// `lt tools [WORD]`, `lt tools --kernel DIR`
int list_tools(int argc, const char* const* argv);

}  // namespace lt
