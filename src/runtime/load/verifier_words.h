// Translates the verifier's messages.
#pragma once

#include <string_view>

namespace lt {

struct VerifierWords {
    std::string_view part;    // of the verifier's message (kernel/bpf/verifier.c)
    std::string_view why;     // completes "the verifier refuses X: "
    std::string_view advice;  // what the user can change
};

// Always returns a row: an unknown message counts as a bug in lt.
const VerifierWords& verifier_words(std::string_view complaint);

// Would the verifier accept the program if there were less of it? `code`: of the failed load.
bool is_too_long(int code, std::string_view complaint);

}  // namespace lt
