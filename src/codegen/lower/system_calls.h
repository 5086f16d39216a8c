// Bodies that serve many system calls with one program, and programs that are called by system call number.
#pragma once

#include <functional>

#include "codegen/lower/context.h"

namespace lt {

// Is the program attached to the end of system calls?
bool at_calls_end(const ResolvedPlace& place, bool at_return);
// Runs the work if the body serves this call: a system call in its list, or a function that has begun. Where programs
// linger, not after the run. Around all that a script's program does.
void where_called(Lowering& l, const std::function<void()>& work);
// The index of the location where the program runs, among the locations that it serves.
ir::Value place_index(Lowering& l);
// 1 in a call by the numbers of 64-bit programs, 0 in one of a 32-bit program. `path` leads from the task to the word
// that distinguishes them.
ir::Value is_wide_call(Lowering& l, const std::vector<Member>& path);
// A field that the records of all system calls share: the number, or the result.
ir::Value call_value(Lowering& l, const Field& field);
// Turns the attachments of the rung into rows of a table of programs by system call number, and adds them to `all`,
// which contains the rows of other calls of the same pattern. The first call at each end creates the table and the
// program that reads it.
void call_by_number(const BodyContext& c, std::vector<Attachment> all, Rung& rung);

}  // namespace lt
