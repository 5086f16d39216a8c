#include "recording/file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "staged.h"

namespace lt {
namespace {

TEST(RecordingFile, IsReadAsItWasWritten) {
    const Recording recording = staged_recording();
    const Result<std::string> bytes = recording_bytes(recording);
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(is_recording(*bytes));
    const Result<Recording> read = read_recording(*bytes);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->script, recording.script);
    EXPECT_EQ(read->end, recording.end);
    EXPECT_EQ(read->trigger.latency, recording.trigger.latency);
    EXPECT_EQ(read->devices, recording.devices);
    EXPECT_EQ(read->stacks, recording.stacks);
    EXPECT_EQ(read->symbols, recording.symbols);
    ASSERT_EQ(read->records.size(), recording.records.size());
    EXPECT_EQ(read->records.back().time, recording.records.back().time);
    EXPECT_EQ(read->thread_text(backup), "backup (20)");
}

std::string refusal(std::string_view bytes) {
    const Result<Recording> read = read_recording(bytes);
    return read ? "" : read.error().what;
}

TEST(RecordingFile, RefusesWhatIsNotOne) {
    const std::string bytes = *recording_bytes(staged_recording());
    EXPECT_EQ(refusal(""), "this is not a recording of lt");
    EXPECT_EQ(refusal("#!/usr/bin/lt"), "this is not a recording of lt");
    EXPECT_EQ(refusal(bytes.substr(0, 10)), "the recording is damaged: it ends within its first bytes");
    EXPECT_EQ(refusal(bytes.substr(0, bytes.size() - 1)), "the recording is damaged: its checksum is wrong");
    std::string other = bytes;
    other[8] = 3;
    EXPECT_EQ(refusal(other), "this lt reads recordings up to version 2, and this is version 3");
    other = bytes;
    other[bytes.size() / 2] = static_cast<char>(other[bytes.size() / 2] ^ 1);
    EXPECT_EQ(refusal(other), "the recording is damaged: its checksum is wrong");
}

TEST(RecordingFile, RefusesRecordsThatDoNotFit) {
    Recording recording = staged_recording();
    recording.records[3].cpu = 7;
    EXPECT_EQ(refusal(*recording_bytes(recording)),
              "the recording is damaged: a record is of a CPU that the machine did not have");
    recording = staged_recording();
    recording.records[3].kind = static_cast<RecordKind>(200);
    EXPECT_EQ(refusal(*recording_bytes(recording)), "the recording is damaged: a record has an unknown kind");
    recording = staged_recording();
    std::swap(recording.records[3], recording.records[9]);
    EXPECT_EQ(refusal(*recording_bytes(recording)), "the recording is damaged: its records are not in order");
    recording = staged_recording();
    recording.cpus = 0;
    EXPECT_EQ(refusal(*recording_bytes(recording)), "the recording is damaged: its header does not make sense");
}

std::string section(uint32_t number, std::string_view content) {
    const uint32_t start[] = {number, 0};
    const uint64_t size = content.size();
    std::string out(reinterpret_cast<const char*>(start), sizeof start);
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    return out.append(content);
}

// The records fit the first header only.
TEST(RecordingFile, RefusesASecondHeader) {
    const Record record{50, 0, 0, app, 63, RecordKind::open};
    const std::string_view records(reinterpret_cast<const char*>(&record), sizeof record);
    const std::string body = section(1, R"({"cpus":64,"end":100})") + section(3, records);
    EXPECT_EQ(refusal(*file_of_body(body)), "");
    EXPECT_EQ(refusal(*file_of_body(body + section(1, R"({"cpus":1,"end":100})"))),
              "the recording is damaged: it has a second header");
}

// A new thread has its maker's name first. One that has ended by the time of the snapshot is not in the list.
TEST(Recording, ThreadsHaveTheirLastNames) {
    const auto name = [](Recording& r, uint64_t time, uint32_t tid, const char(&text)[8]) {
        uint64_t word = 0;
        std::memcpy(&word, text, sizeof text);
        add(r, RecordKind::name, time, tid, word);
    };
    constexpr uint32_t ended = 30, listed = 31;
    Recording recording;
    recording.threads = {{listed, listed, listed, "new"}};
    add(recording, RecordKind::fork, 1 * ms, ended, app, app);
    name(recording, 1 * ms, ended, "maker\0\0");
    name(recording, 2 * ms, ended, "own\0\0\0\0");
    name(recording, 2 * ms, listed, "old\0\0\0\0");
    complete(recording);
    EXPECT_EQ(recording.thread_text(ended), "own (30)");
    EXPECT_EQ(recording.thread_text(listed), "new (31)");
}

// Two waits with one stack that is lost are two. Of a short wait, and of one that was none, there is no stack.
TEST(Recording, CountsLongWaitsWithoutTheirStacks) {
    constexpr uint64_t kept = 77, replaced = 78, sleeps = 1;
    Recording recording;
    recording.stacks[kept] = {0x1000};
    const auto away = [&](uint64_t begin, uint64_t end, uint64_t state, uint64_t stack) {
        add_switch(recording, begin, 0, app, 0, state);
        add_switch(recording, end, 0, 0, app, 0, stack);
    };
    away(1 * ms, 2 * ms, sleeps, kept);
    EXPECT_EQ(lost_stacks(recording), 0U);
    away(3 * ms, 4 * ms, sleeps, replaced);
    away(5 * ms, 6 * ms, sleeps, replaced);
    EXPECT_EQ(lost_stacks(recording), 2U);
    away(7 * ms, 8 * ms, sleeps, 0);  // another thread took the place of its departure
    EXPECT_EQ(lost_stacks(recording), 3U);
    away(9 * ms, 9 * ms + 190 * us, sleeps, 0);
    away(10 * ms, 20 * ms, 0, 0);
    EXPECT_EQ(lost_stacks(recording), 3U);
}

// The number of a thread that has ended is given to a new one, which is in the list.
TEST(Recording, AnEndNamesNoThreadThatIsListed) {
    uint64_t word = 0;
    std::memcpy(&word, "old", 3);
    constexpr uint32_t ended = 30, listed = 31;
    Recording recording;
    recording.threads = {{listed, listed, listed, "new"}};
    add(recording, RecordKind::exit, 1 * ms, listed, word);
    add(recording, RecordKind::exit, 2 * ms, ended, word);
    complete(recording);
    EXPECT_EQ(recording.thread_text(listed), "new (31)");
    EXPECT_EQ(recording.thread_text(ended), "old (30)");
}

}  // namespace
}  // namespace lt
