// Names for the addresses of processes that are only known from records.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "runtime/names/symbolize.h"
#include "runtime/os/descriptor.h"
#include "runtime/os/mounts.h"
#include "runtime/print/show.h"
#include "unit/runtime/process_records.h"

extern "C" __attribute__((noinline)) int lt_test_first_name(int n) { return n + 2; }

namespace lt {
namespace {

constexpr uint32_t process = 5'000'000;  // larger than all numbers that the kernel gives
constexpr std::string_view first_name = "lt_test_first_name", other_name = "lt_test_other_name";

uint64_t address() { return reinterpret_cast<uint64_t>(lt_test_first_name); }

// This program, with another name for its function if that is asked for.
void write_program(const std::string& path, bool renamed) {
    const Result<std::string> self = read_text("/proc/self/exe");
    std::string bytes = self ? *self : "";
    for (size_t at = bytes.find(first_name); renamed && at != bytes.npos; at = bytes.find(first_name, at))
        bytes.replace(at, other_name.size(), other_name);
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string device_of(const struct stat& file) {
    return fmt::format("{:02x}:{:02x}", major(file.st_dev), minor(file.st_dev));
}

// A file mapped as this program maps the code of its function.
Mapping mapping_of(const std::string& path) {
    const Result<std::string> maps = read_text("/proc/self/maps");
    struct stat about{};
    ::stat(path.c_str(), &about);
    for (Mapping& mapping : code_mappings(maps ? std::string_view(*maps) : std::string_view())) {
        if (address() < mapping.begin || address() >= mapping.end) continue;
        return {mapping.begin, mapping.end, mapping.offset, about.st_ino, device_of(about), path};
    }
    return {};
}

std::string name_at(Symbolizer& symbolizer, uint32_t pid, uint64_t time = Symbolizer::just_now) {
    const std::vector<Frame> frames = symbolizer.process(pid, std::vector<uint64_t>{address()}, time);
    return frames.empty() ? "" : frames[0].function;
}

TEST(SymbolizerHistory, AStackFromBeforeAnExecHasTheNamesOfThatProgram) {
    const std::string first = testing::TempDir() + fmt::format("lt-first-{}", getpid());
    const std::string other = testing::TempDir() + fmt::format("lt-other-{}", getpid());
    write_program(first, false);
    write_program(other, true);
    auto history = std::make_unique<ProcessHistory>();
    history->add({exec_record(10, process), map_record(11, process, mapping_of(first)), exec_record(20, process),
                  map_record(21, process, mapping_of(other))},
                 30);
    Symbolizer symbolizer;
    symbolizer.use(std::move(history));
    EXPECT_EQ(name_at(symbolizer, process, 15), first_name);
    EXPECT_EQ(name_at(symbolizer, process, 25), other_name);
    EXPECT_EQ(name_at(symbolizer, process), other_name);
    EXPECT_EQ(name_at(symbolizer, process, 15), first_name) << "still, after the later program was named";
    EXPECT_EQ(name_at(symbolizer, process, 5), "") << "from before the first program that is known";
    std::remove(first.c_str());
    std::remove(other.c_str());
}

// This process runs, so its mappings are read; but those of before an exec are not.
TEST(SymbolizerHistory, ARunningProcessThatHasCalledExec) {
    const auto self = static_cast<uint32_t>(getpid());
    const std::string other = testing::TempDir() + fmt::format("lt-other-{}", getpid());
    write_program(other, true);
    auto history = std::make_unique<ProcessHistory>();
    history->add({exec_record(10, self), map_record(11, self, mapping_of(other)), exec_record(20, self)}, 30);
    Symbolizer symbolizer;
    symbolizer.use(std::move(history));
    EXPECT_EQ(name_at(symbolizer, self, 15), other_name);
    EXPECT_EQ(name_at(symbolizer, self, 25), first_name);
    std::remove(other.c_str());
}

// As in two subvolumes of btrfs, whose mappings show one device.
TEST(SymbolizerHistory, TwoFilesWithOneDeviceAndInode) {
    const Descriptor one = mount_nowhere("tmpfs"), two = mount_nowhere("tmpfs");
    if (!one || !two) GTEST_SKIP() << "needs root";
    const std::string first = fmt::format("/proc/{}/fd/{}/program", getpid(), one.get());
    const std::string other = fmt::format("/proc/{}/fd/{}/program", getpid(), two.get());
    write_program(first, false);
    write_program(other, true);
    Mapping of_first = mapping_of(first), of_other = mapping_of(other);
    if (of_first.inode == 0 || of_first.inode != of_other.inode) GTEST_SKIP() << "the files have different numbers";
    of_first.device = of_other.device = "00:7f";
    auto history = std::make_unique<ProcessHistory>();
    history->add({exec_record(10, process), map_record(11, process, of_first), exec_record(20, process + 1),
                  map_record(21, process + 1, of_other)},
                 30);
    Symbolizer symbolizer;
    symbolizer.use(std::move(history));
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(name_at(symbolizer, process), first_name);
        EXPECT_EQ(name_at(symbolizer, process + 1), other_name);
    }
}

// A file of ours with the same path and number is another one if it is on another disk.
TEST(SymbolizerHistory, AFileOnAnotherDeviceIsAnotherFile) {
    const std::string first = testing::TempDir() + fmt::format("lt-first-{}", getpid());
    write_program(first, false);
    struct stat about{};
    ASSERT_EQ(::stat(first.c_str(), &about), 0);
    Mapping mapping = mapping_of(first);
    mapping.device = "fe:01";
    auto history = std::make_unique<ProcessHistory>();
    history->add({exec_record(10, process), map_record(11, process, mapping)}, 30);
    Symbolizer symbolizer;
    symbolizer.use(std::move(history));
    const bool is_other = major(about.st_dev) != 0 && device_of(about) != mapping.device;
    EXPECT_EQ(name_at(symbolizer, process), is_other ? "" : first_name);
    std::remove(first.c_str());
}

// The list of the functions that this process would have compiled.
class CompiledFunctions {
  public:
    ~CompiledFunctions() { std::remove(path_.c_str()); }
    void write(const std::string& text) const { std::ofstream(path_) << text; }
    static std::string at(Symbolizer& symbolizer, uint64_t place) {
        const auto frames = symbolizer.process(static_cast<uint32_t>(getpid()), std::vector<uint64_t>{place});
        return frames.empty() ? "" : frames[0].function;
    }

  private:
    std::string path_ = fmt::format("/tmp/perf-{}.map", getpid());
};

TEST(SymbolizerHistory, AnAddressThatGetsAnotherCompiledFunction) {
    CompiledFunctions functions;
    Symbolizer symbolizer;
    functions.write("1000 20 old\n");
    EXPECT_EQ(functions.at(symbolizer, 0x1004), "old");
    functions.write("1000 20 another\n2000 20 more\n");
    std::this_thread::sleep_for(Symbolizer::may_have_changed * 2);
    EXPECT_EQ(functions.at(symbolizer, 0x1004), "another");
    EXPECT_EQ(functions.at(symbolizer, 0x2004), "more");
}

TEST(SymbolizerHistory, CompiledFunctionsEndWithTheirProgram) {
    CompiledFunctions functions;
    auto history = std::make_unique<ProcessHistory>();
    ProcessHistory& records = *history;
    Symbolizer symbolizer;
    symbolizer.use(std::move(history));
    functions.write("1000 20 old\n");
    EXPECT_EQ(functions.at(symbolizer, 0x1004), "old");
    functions.write("2000 20 new\n");
    records.add({exec_record(10, static_cast<uint32_t>(getpid()))}, 30);
    EXPECT_EQ(functions.at(symbolizer, 0x1004), "");
    EXPECT_EQ(functions.at(symbolizer, 0x2004), "new");
}

// A run can last for months.
TEST(SymbolizerHistory, KeepsALimitedNumberOfProcesses) {
    Symbolizer symbolizer;
    const auto self = static_cast<uint32_t>(getpid());
    for (uint32_t i = 0; i < 10'000; i++) {
        EXPECT_EQ(name_at(symbolizer, process + i), "");
        if (i % 1000 == 0) {
            EXPECT_EQ(name_at(symbolizer, self), first_name);
        }
    }
    EXPECT_EQ(symbolizer.processes(), size_t{Symbolizer::most_processes});
}

TEST(SymbolizerHistory, KeepsALimitedNumberOfFiles) {
    constexpr uint32_t count = Symbolizer::most_files + 50;
    const std::filesystem::path folder = testing::TempDir() + fmt::format("lt-files-{}", getpid());
    std::filesystem::create_directory(folder);
    auto history = std::make_unique<ProcessHistory>();
    const Mapping own = mapping_of("/proc/self/exe");
    for (uint32_t i = 0; i < count; i++) {
        const std::string path = folder / std::to_string(i);
        std::ofstream(path) << "no program";
        struct stat about{};
        ASSERT_EQ(::stat(path.c_str(), &about), 0);
        const Mapping mapping{own.begin, own.end, own.offset, about.st_ino, device_of(about), path};
        history->add({exec_record(10, process + i), map_record(11, process + i, mapping)}, 30);
    }
    Symbolizer symbolizer;
    symbolizer.use(std::move(history));
    for (uint32_t i = 0; i < count; i++) EXPECT_EQ(name_at(symbolizer, process + i), "");
    EXPECT_EQ(symbolizer.files(), size_t{Symbolizer::most_files});
    std::filesystem::remove_all(folder);
}

// Processes that wait, each with a list of one compiled function.
class Compilers {
  public:
    explicit Compilers(size_t count) {
        for (size_t i = 0; i < count; i++) {
            const pid_t child = ::fork();
            if (child == 0) {
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                for (;;) ::pause();
            }
            if (child > 0) pids.push_back(static_cast<uint32_t>(child));
        }
        for (const uint32_t pid : pids) std::ofstream(path(pid)) << "1000 20 compiled\n";
    }
    ~Compilers() {
        for (const uint32_t pid : pids) {
            ::kill(static_cast<pid_t>(pid), SIGKILL);
            ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
            std::remove(path(pid).c_str());
        }
    }
    Compilers(const Compilers&) = delete;
    Compilers& operator=(const Compilers&) = delete;

    std::vector<uint32_t> pids;

  private:
    static std::string path(uint32_t pid) { return fmt::format("/tmp/perf-{}.map", pid); }
};

TEST(SymbolizerHistory, KeepsALimitedNumberOfListsOfCompiledFunctions) {
    const Compilers compilers(Symbolizer::most_lists + 1);
    ASSERT_EQ(compilers.pids.size(), Symbolizer::most_lists + 1);
    const uint32_t first = compilers.pids.front();
    const std::vector<uint64_t> place{0x1004};
    Symbolizer symbolizer;
    ASSERT_EQ(symbolizer.process(first, place).at(0).function, "compiled");
    const uint64_t version = symbolizer.compiled_version(first);
    for (const uint32_t pid : compilers.pids) EXPECT_EQ(symbolizer.process(pid, place).at(0).function, "compiled");
    const uint64_t again = symbolizer.compiled_version(first);
    EXPECT_NE(again, version) << "the list was read again";
    EXPECT_EQ(symbolizer.compiled_version(first), again) << "and is kept now";
}

// Its exec may be among the lost records.
TEST(SymbolizerHistory, AChildFromBeforeALossHasNoNames) {
    const auto self = static_cast<uint32_t>(getpid());
    auto history = std::make_unique<ProcessHistory>();
    ProcessHistory& records = *history;
    records.add({fork_record(10, process, self)}, 30);
    Symbolizer symbolizer;
    symbolizer.use(std::move(history));
    EXPECT_EQ(name_at(symbolizer, process), first_name) << "it has its parent's mappings";
    records.add({loss_record(40, 1)}, 50);
    EXPECT_EQ(name_at(symbolizer, process), "");
}

}  // namespace
}  // namespace lt
