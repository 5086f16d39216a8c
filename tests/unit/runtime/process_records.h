// Records of the kernel about processes, as they stand in its ring buffers.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/names/process_history.h"
#include "runtime/programs/mapping.h"

namespace lt {

inline void put_bytes(std::vector<uint8_t>& out, const void* bytes, size_t size) {
    const auto* from = static_cast<const uint8_t*>(bytes);
    out.insert(out.end(), from, from + size);
}

inline ProcessRecord record_of(uint32_t type, uint16_t misc, uint64_t time, const std::vector<uint8_t>& body) {
    const size_t size = sizeof(perf_event_header) + body.size() + sizeof time;
    const perf_event_header header{type, misc, static_cast<uint16_t>(size)};
    ProcessRecord record{time, {}};
    put_bytes(record.bytes, &header, sizeof header);
    put_bytes(record.bytes, body.data(), body.size());
    put_bytes(record.bytes, &time, sizeof time);
    return record;
}

inline ProcessRecord task_record(uint32_t type, uint64_t time, uint32_t pid, uint32_t parent) {
    const uint32_t numbers[] = {pid, parent, pid, parent};
    std::vector<uint8_t> body;
    put_bytes(body, numbers, sizeof numbers);
    put_bytes(body, &time, sizeof time);
    return record_of(type, 0, time, body);
}

inline ProcessRecord fork_record(uint64_t time, uint32_t pid, uint32_t parent) {
    return task_record(PERF_RECORD_FORK, time, pid, parent);
}

inline ProcessRecord exit_record(uint64_t time, uint32_t pid) { return task_record(PERF_RECORD_EXIT, time, pid, 1); }

inline ProcessRecord exec_record(uint64_t time, uint32_t pid) {
    const uint32_t numbers[] = {pid, pid};
    std::vector<uint8_t> body;
    put_bytes(body, numbers, sizeof numbers);
    put_bytes(body, "program", sizeof "program");
    return record_of(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, time, body);
}

inline ProcessRecord map_record(uint64_t time, uint32_t pid, const Mapping& mapping) {
    uint32_t device[2] = {};
    std::sscanf(mapping.device.c_str(), "%x:%x", &device[0], &device[1]);
    const uint32_t process[] = {pid, pid}, rights[] = {5, 2};
    const uint64_t range[] = {mapping.begin, mapping.end - mapping.begin, mapping.offset}, file[] = {mapping.inode, 0};
    std::vector<uint8_t> body;
    put_bytes(body, process, sizeof process);
    put_bytes(body, range, sizeof range);
    put_bytes(body, device, sizeof device);
    put_bytes(body, file, sizeof file);
    put_bytes(body, rights, sizeof rights);
    put_bytes(body, mapping.name.c_str(), mapping.name.size() + 1);
    body.resize((body.size() + 7) / 8 * 8);
    return record_of(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, time, body);
}

inline ProcessRecord loss_record(uint64_t time, uint64_t count) {
    const uint64_t numbers[] = {1, count};
    std::vector<uint8_t> body;
    put_bytes(body, numbers, sizeof numbers);
    return record_of(PERF_RECORD_LOST, 0, time, body);
}

}  // namespace lt
