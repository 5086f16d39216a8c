// What the kernel's verifier says, in words of the user's program.
#pragma once

#include <string_view>

namespace lt {

struct VerifierWords {
    std::string_view part;    // of what the verifier says (kernel/bpf/verifier.c)
    std::string_view why;     // completes "the verifier refuses X: "
    std::string_view advice;  // what the user can change
};

// Never fails: what is not known is a mistake of ours.
const VerifierWords& verifier_words(std::string_view complaint);

}  // namespace lt
