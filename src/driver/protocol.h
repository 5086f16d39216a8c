// The lines that are spoken on the control socket, as lt-ctl(1) describes them: a request is an object with a command,
// the reply is the command's results, an object a line, and a last line that says that it is done or went wrong.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "trace.h"

namespace lt {

std::string request_line(const std::string& command, bool json);

// What answers the line of a request, however wrong that may be.
std::string reply(Traces& traces, std::string_view request);

std::string error_line(const Error& error);

// A line of a reply, as its reader sees it.
struct ReplyLine {
    enum class Kind { result, done, error } kind = Kind::result;
    std::string text;  // of a result in text form; else the line as it stands
    Error error;
};
Result<ReplyLine> read_reply(const std::string& line);

}  // namespace lt
