// Captures what libbpf and the verifier print while an object is loaded, and finds the one line that matters.
#pragma once

#include <bpf/libbpf.h>

#include <string>

namespace lt {

// While this exists, it captures what libbpf prints in this thread.
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

    std::string program() const;             // the one that failed, in libbpf's spelling; may be empty
    bool verified() const;                   // the verifier has reached the program's instructions
    std::string verifier_complaint() const;  // the last meaningful line of its log
    std::string line() const;                // the program line that the verifier quotes before that; may be empty
    const std::string& verifier() const { return verifier_; }  // its log; empty: it did not run, or printed nothing
    const std::string& whole() const { return text_; }

  private:
    std::string text_;
    std::string verifier_;
};

}  // namespace lt
