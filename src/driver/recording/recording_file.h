// `lt why FILE.ltr` and `lt view FILE.ltr`: what a snapshot of the flight recorder says.
#pragma once

#include <string>

#include "base/result.h"
#include "recording/explain.h"
#include "recording/recording.h"

namespace lt {

Result<Recording> read_recording_file(const std::string& path);

// Is this the name of a recording, rather than a script or a span?
bool names_recording(const std::string& word);

// Prints where the file is from, then each late call in it.
Status explain_file(const std::string& path);

// `lt view FILE [--call N] [--html FILE | --perfetto FILE]`; the words after `view`. Returns the exit status.
int view(int argc, const char* const* argv);

}  // namespace lt
