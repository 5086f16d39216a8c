// Maps the files whose functions get probes while they are attached. The kernel checks an instruction only when it
// places a probe in a process that has the file mapped. If no process has it mapped, the kernel accepts every probe,
// and later silently skips those that it cannot place.
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

    // Nothing is read through the mapping. A file that cannot be mapped is skipped: attaching to it reports the reason.
    void map(const std::string& path);

  private:
    std::set<std::string> known_;
    std::vector<std::pair<void*, size_t>> mappings_;
};

}  // namespace lt
