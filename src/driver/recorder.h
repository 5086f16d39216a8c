// What is entered and shown in the console, line by line with the time of day, in a file that tells it afterwards.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

class Recorder {
  public:
    // What the file has already stays before it.
    static Result<std::unique_ptr<Recorder>> open(const std::string& path);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void entered(std::string_view text);  // at the prompt; may have several lines
    void shown(std::string_view text);    // written line by line, as soon as each is whole
    const std::string& path() const { return path_; }
    bool failed() const { return failed_; }  // not all could be written

  private:
    Recorder(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
    void line(std::string_view text);

    const std::string path_;
    std::FILE* const file_;
    std::string begun_;  // a line that is not whole yet
    bool failed_ = false;
};

}  // namespace lt
