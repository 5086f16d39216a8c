// The lines on the control socket, as lt-ctl(1) describes them: a request is an object with a command; the reply is the
// command's results, one object per line, and a last line that says done or failed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "driver/report/trace.h"

namespace lt {

std::string request_line(const std::string& command, bool json);

// The reply to a request's line, even if it is malformed.
std::string reply(Traces& traces, std::string_view request);

std::string error_line(const Error& error);

// A line of a reply, parsed.
struct ReplyLine {
    enum class Kind { result, done, error } kind = Kind::result;
    std::string text;  // the text of a result in text form, else the whole line
    Error error;
};
Result<ReplyLine> read_reply(const std::string& line);

}  // namespace lt
