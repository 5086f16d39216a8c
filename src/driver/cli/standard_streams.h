// Standard input, output and error, which may be closed, full or gone.
#pragma once

namespace lt {

// Called before anything is opened. Opens descriptors 0 to 2 if they are closed, so that no file of lt's gets their
// numbers; writing to them then fails. From here on writing to `stdout` and `stderr` never fails for its caller, and
// control characters in messages on `stderr` are escaped (base/visible.h). SIGPIPE is ignored: when the reader of
// `stdout` has gone, the process ends as if by that signal.
void prepare_standard_streams();

// From here on the process continues when the reader of `stdout` has gone: further output is dropped without an error. For
// a run that prints there but also writes files; it ends by itself when its reader has gone.
void outlive_reader();

// The exit status of the process: `status`, or 1 with a message if output was lost.
int status_of_streams(int status);

}  // namespace lt
