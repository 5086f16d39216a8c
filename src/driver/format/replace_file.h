// Gives a file another text, all at once.
#pragma once

#include <string>

#include "base/result.h"

namespace lt {

// Others see the old text or the new one, never a part. The file keeps its mode and owner. Refused: what is not a
// regular file, a file with several names, and a symbolic link to another folder.
Status replace_file(const std::string& path, const std::string& text);

}  // namespace lt
