// What the records of the kernel say about processes: in order, out of order, and with some missing.
#include "runtime/names/process_history.h"

#include <gtest/gtest.h>

#include "unit/runtime/process_records.h"

namespace lt {
namespace {

constexpr uint64_t all = UINT64_MAX;

Mapping mapping_of(uint64_t begin, const std::string& name) { return {begin, begin + 0x1000, 0, 7, "08:01", name}; }

std::string names_of(const RecordedProcess* process) {
    std::string out;
    for (size_t i = 0; process != nullptr && i < process->program.mappings.size(); i++)
        out += (i == 0 ? "" : " ") + process->program.mappings[i].name;
    return process == nullptr ? "nothing" : out;
}

TEST(ProcessHistory, MappingsOfAProgramAndOfItsCopies) {
    ProcessHistory history;
    history.add({exec_record(1, 10), map_record(2, 10, mapping_of(0x1000, "/a")), fork_record(3, 11, 10),
                 map_record(4, 11, mapping_of(0x3000, "/b")), fork_record(5, 12, 10), exec_record(6, 12)},
                all);
    EXPECT_EQ(names_of(history.find(10)), "/a");
    EXPECT_EQ(names_of(history.find(11)), "/a /b");
    EXPECT_EQ(history.find(11)->parent, 10u);
    EXPECT_TRUE(history.find(11)->program.complete);
    EXPECT_EQ(names_of(history.find(12)), "");
    EXPECT_EQ(names_of(history.find(13)), "nothing");
}

// Each CPU has a ring of its own, and they are read one after another.
TEST(ProcessHistory, RecordsAreAppliedInTheOrderOfTheirTimes) {
    ProcessHistory history;
    history.add({exec_record(1, 10), map_record(2, 10, mapping_of(0x1000, "/shell")), exec_record(4, 11),
                 map_record(5, 11, mapping_of(0x1000, "/a"))},
                3);
    EXPECT_EQ(names_of(history.find(11)), "nothing") << "later records wait for those from other CPUs";
    history.add({fork_record(3, 11, 10)}, 5);
    EXPECT_EQ(names_of(history.find(11)), "/a");
    EXPECT_EQ(history.find(11)->parent, 10u);
}

TEST(ProcessHistory, AForkThatComesLateReplacesNothingNewer) {
    ProcessHistory history;
    history.add({exec_record(1, 10), map_record(2, 10, mapping_of(0x1000, "/shell")), exec_record(5, 11),
                 map_record(6, 11, mapping_of(0x1000, "/a")), map_record(6, 12, mapping_of(0x3000, "/b"))},
                all);
    history.add({fork_record(3, 11, 10), fork_record(4, 12, 10)}, all);
    EXPECT_EQ(names_of(history.find(11)), "/a");
    EXPECT_EQ(history.find(11)->parent, 10u);
    EXPECT_EQ(names_of(history.find(12)), "/shell /b") << "its parent's, and what it has mapped since";
    history.add({exit_record(7, 12), fork_record(8, 12, 11)}, all);
    EXPECT_EQ(names_of(history.find(12)), "/a") << "another process with that number";
}

// The exec of a process may be among what is lost.
TEST(ProcessHistory, ALossForgetsRunningProcesses) {
    ProcessHistory history;
    history.add({exec_record(1, 10), map_record(2, 10, mapping_of(0x1000, "/shell")), fork_record(3, 11, 10),
                 fork_record(3, 12, 10), exit_record(4, 12)},
                all);
    EXPECT_EQ(history.lost(), 0u);
    EXPECT_EQ(history.lost_until(), 0u);
    history.add({loss_record(5, 100), loss_record(6, 20)}, all);
    EXPECT_EQ(history.lost(), 120u);
    EXPECT_EQ(history.lost_until(), 6u);
    EXPECT_EQ(names_of(history.find(10)), "nothing");
    EXPECT_EQ(names_of(history.find(11)), "nothing");
    EXPECT_EQ(names_of(history.find(12)), "/shell") << "it had ended before";
    history.add({exec_record(7, 11), map_record(8, 11, mapping_of(0x1000, "/a"))}, all);
    EXPECT_EQ(names_of(history.find(11)), "/a");
    EXPECT_TRUE(history.find(11)->program.complete);
}

// A process with many mappings can start children without an end, each of which has all of them.
TEST(ProcessHistory, EndedProcessesWithManyMappingsAreForgottenEarlier) {
    constexpr uint32_t mappings = 1024, kept = ProcessHistory::most_ended_mappings / mappings, first = 11;
    ProcessHistory history;
    std::vector<ProcessRecord> records{exec_record(1, 10)};
    for (uint32_t i = 0; i < mappings; i++) records.push_back(map_record(2, 10, mapping_of(0x1000 * (i + 1), "/a")));
    history.add(std::move(records), all);
    for (uint32_t pid = first; pid <= first + kept; pid++)
        history.add({fork_record(pid, pid, 10), exit_record(pid, pid)}, all);
    EXPECT_EQ(names_of(history.find(first)), "nothing");
    ASSERT_NE(history.find(first + 1), nullptr);
    EXPECT_EQ(history.find(first + 1)->program.mappings.size(), mappings);
    EXPECT_NE(history.find(first + kept), nullptr);
    EXPECT_EQ(history.find(10)->program.mappings.size(), mappings) << "it runs";
}

}  // namespace
}  // namespace lt
