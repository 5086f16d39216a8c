// Logs the console's input and output to a file, line by line with the time of day.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

class Recorder {
  public:
    // Appends to the file.
    static Result<std::unique_ptr<Recorder>> open(const std::string& path);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void entered(std::string_view text);  // at the prompt; may have several lines
    void shown(std::string_view text);    // each line is written once it is complete
    const std::string& path() const { return path_; }
    bool failed() const { return failed_; }  // some lines could not be written

  private:
    Recorder(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
    void line(std::string_view text);

    const std::string path_;
    std::FILE* const file_;
    std::string begun_;  // an incomplete line
    bool cut_ = false;   // the last line that was written is incomplete
    bool failed_ = false;
};

}  // namespace lt
