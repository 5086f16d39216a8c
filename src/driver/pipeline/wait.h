// `lt wait SPAN`: blocks until something happens once; the exit status says whether it did.
#pragma once

#include "base/source.h"

namespace lt {

// The script to wait with: the text itself if it is a script, else the text with a block that prints a line for each
// event or span. If neither parses, the text is returned unchanged.
Source waiting_program(const Source& text);

}  // namespace lt
