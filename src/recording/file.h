// The files of recordings, described in ltr(5). A file with another version, a wrong checksum or content that does not
// fit together is refused with the reason.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "recording/recording.h"

namespace lt {

bool is_recording(std::string_view bytes);
Result<std::string> recording_bytes(const Recording& recording);
Result<Recording> read_recording(std::string_view bytes);

// For tests: the same file with the checksum that its bytes have, and a file with this body.
std::string with_right_checksum(std::string bytes);
Result<std::string> file_of_body(std::string_view body);

}  // namespace lt
