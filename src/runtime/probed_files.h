// The files whose functions get probes, mapped while they are attached. The kernel looks at an instruction when it
// places a probe on it, in a process that has the file mapped. Of a file that nobody runs it takes every probe, and
// when a process comes leaves out, without a word, those that cannot be placed.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lt {

class ProbedFiles {
  public:
    ProbedFiles() = default;
    ProbedFiles(const ProbedFiles&) = delete;
    ProbedFiles& operator=(const ProbedFiles&) = delete;
    ~ProbedFiles();

    // Nothing is read through the mapping. A file that cannot be mapped is left as it is: attaching to it tells why.
    void map(const std::string& path);

  private:
    std::set<std::string> known_;
    std::vector<std::pair<void*, size_t>> mappings_;
};

}  // namespace lt
