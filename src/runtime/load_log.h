// What libbpf and the verifier say while an object is loaded: caught instead of printed, and read for the one line that
// matters.
#pragma once

#include <bpf/libbpf.h>

#include <string>
#include <string_view>

namespace lt {

// Between construction and destruction, what libbpf would print in this thread is kept.
class LogCapture {
  public:
    LogCapture();
    ~LogCapture();
    LogCapture(const LogCapture&) = delete;
    LogCapture& operator=(const LogCapture&) = delete;

    const std::string& text() const { return text_; }

  private:
    std::string text_;
    libbpf_print_fn_t before_;
};

class LoadLog {
  public:
    explicit LoadLog(std::string text);

    std::string program() const;             // the one that failed, as libbpf names it; may be empty
    bool verified() const;                   // did the verifier come as far as the program's instructions?
    std::string verifier_complaint() const;  // the last line of its log that says something
    std::string line() const;                // of the program, which the verifier quotes before that; may be empty
    const std::string& verifier() const { return verifier_; }  // its log; empty: it was not asked, or was silent
    const std::string& whole() const { return text_; }

  private:
    std::string text_;
    std::string verifier_;
};

}  // namespace lt
