// The machine, or a tests' folder that stands for one.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/border/machine.h"
#include "runtime/os/mounts.h"
#include "runtime/os/pid_namespace.h"
#include "runtime/system/event_sources.h"
#include "runtime/system/kernel_binaries.h"
#include "runtime/system/mapped_files.h"

namespace lt {

class FileMachine final : public Machine {
  public:
    // `root` is prepended to all paths; `runs`: it is this machine, with processes.
    FileMachine(std::string root, std::string event_sources, bool runs)
        : root_(std::move(root)), event_sources_(std::move(event_sources)), runs_(runs) {}

    Result<uint64_t> cgroup(const std::string& path) override;
    Result<std::string> binary(std::string_view name) override;
    std::vector<std::string> binaries(const std::string& pattern) override {
        asked_.changing = true;
        return root_.empty() ? find_binaries(pattern) : std::vector<std::string>();
    }
    std::vector<std::string> mapped_files(int process) override {
        asked_.changing = true;
        return process != 0 ? lt::mapped_files(process) : runs_ ? files_of_all_processes() : std::vector<std::string>();
    }
    Result<std::string> event_source(const std::string& file_name) override {
        return read_text(fmt::format("{}/{}", event_sources_, file_name));
    }
    std::vector<std::string> source_events() override { return lt::source_events(event_sources_); }
    Asked asked() const override { return asked_; }
    bool renumbers_processes() const override { return runs_ && pid_namespace().second != 0; }

  private:
    std::string root_;
    std::string event_sources_;  // the folder
    bool runs_;
    Asked asked_;
};

}  // namespace lt
