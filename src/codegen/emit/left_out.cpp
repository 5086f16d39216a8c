// LLVM's BPF target mentions the parser of `opt`'s command line, and so the linker would take every pass that LLVM has,
// each with its options, which are registered at each start. The target calls it only for such a command line.
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/ErrorHandling.h>

namespace llvm {

class PassBuilder {
  public:
    static Expected<bool> parseSinglePassOption(StringRef params, StringRef option, StringRef pass);
};

Expected<bool> PassBuilder::parseSinglePassOption(StringRef, StringRef, StringRef) {
    report_fatal_error("lt has no command line of passes");
}

}  // namespace llvm
