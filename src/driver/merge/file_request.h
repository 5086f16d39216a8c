// The command line of a verb that reads files which `lt -f json` has written: the files, options about output, and the
// verb's own options.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/cli/command.h"

namespace lt {

struct FileRequest {
    Command output;  // the options about output
    std::vector<std::string> files;
};

// An option as it stands in the command line.
struct OptionWord {
    std::string_view name;                                   // "--hosts"
    std::function<std::optional<std::string_view>()> value;  // what follows `=`, or the next word; none: neither
};

// The first word is the verb. Without tables, options about them are refused. `takes_own` says whether the option is
// one of the verb's own, and takes it then.
Result<FileRequest> read_file_request(std::span<const char* const> words, bool has_tables,
                                      const std::function<Result<bool>(OptionWord&)>& takes_own);

}  // namespace lt
