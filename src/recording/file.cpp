#include "recording/file.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "recording/file_header.h"

namespace lt {
namespace {

constexpr std::string_view magic("lt-rec\r\n", 8);
constexpr uint32_t version = 2, oldest = 1;
constexpr uint64_t largest = uint64_t{4} << 30;
constexpr int compression = 3;

struct FileStart {
    char magic[8];
    uint32_t version;
    uint32_t checksum;  // CRC-32 of everything after this structure
    uint64_t size;      // of the body before it was compressed
};
static_assert(sizeof(FileStart) == 24);

// The sections of the body, each with its size in front.
enum class Section : uint32_t { header = 1, threads, records, stacks, symbols };

struct SectionStart {
    uint32_t section, unused;
    uint64_t size;
};

struct SavedThread {
    uint32_t tid, process, own, unused;
    char comm[16];
};
static_assert(sizeof(SavedThread) == 32);

uint32_t checksum_of(std::string_view bytes) {
    uLong sum = crc32(0, nullptr, 0);
    constexpr size_t most = 1 << 30;
    for (size_t at = 0; at < bytes.size(); at += most)
        sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data() + at),
                    static_cast<uInt>(std::min(most, bytes.size() - at)));
    return static_cast<uint32_t>(sum);
}

template <class T>
void append(std::string& out, const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_section(std::string& out, Section section, std::string_view content) {
    append(out, SectionStart{static_cast<uint32_t>(section), 0, content.size()});
    out += content;
}

std::string threads_of(const Recording& recording) {
    std::string out;
    for (const RecordedThread& thread : recording.threads) {
        SavedThread saved{thread.tid, thread.process, thread.own, 0, {}};
        std::memcpy(saved.comm, thread.comm.data(), std::min(thread.comm.size(), sizeof saved.comm));
        append(out, saved);
    }
    return out;
}

std::string stacks_of(const Recording& recording) {
    std::string out;
    for (const auto& [hash, frames] : recording.stacks) {
        append(out, hash);
        append(out, uint64_t{frames.size()});
        for (const uint64_t frame : frames) append(out, frame);
    }
    return out;
}

std::string symbols_of(const Recording& recording) {
    std::string out;
    for (const auto& [address, name] : recording.symbols) {
        append(out, address);
        append(out, static_cast<uint32_t>(name.size()));
        out += name;
    }
    return out;
}

// Takes values off the front of bytes; a value that is not there is an error, and zero.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    bool done() const { return rest_.empty() || failed_; }
    bool failed() const { return failed_; }
    template <class T>
    T take() {
        T value{};
        const std::string_view bytes = text(sizeof value);
        if (!failed_) std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    std::string_view text(uint64_t size) {
        if (size > rest_.size()) failed_ = true;
        if (failed_) return {};
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

  private:
    std::string_view rest_;
    bool failed_ = false;
};

Error damaged(std::string_view what) {
    return {fmt::format("the recording is damaged: {}", what), "copy it again from where it was made", 0};
}

Status read_threads(std::string_view content, Recording& to) {
    Reader reader(content);
    while (!reader.done()) {
        const auto saved = reader.take<SavedThread>();
        const std::string_view comm(saved.comm, strnlen(saved.comm, sizeof saved.comm));
        to.threads.push_back({saved.tid, saved.process, saved.own, std::string(comm)});
    }
    if (reader.failed()) return damaged("its list of threads ends too early");
    std::ranges::stable_sort(to.threads, {}, &RecordedThread::tid);
    return Done{};
}

Status read_records(std::string_view content, Recording& to) {
    if (content.size() % sizeof(Record) != 0) return damaged("its records end too early");
    to.records.resize(content.size() / sizeof(Record));
    if (!content.empty()) std::memcpy(to.records.data(), content.data(), content.size());
    for (const Record& record : to.records) {
        if (record.kind == RecordKind::none || static_cast<uint32_t>(record.kind) >= record_kinds)
            return damaged("a record has an unknown kind");
        if (record.cpu >= to.cpus) return damaged("a record is of a CPU that the machine did not have");
        if (record.time > to.end) return damaged("a record is from after the end");
    }
    if (!std::ranges::is_sorted(to.records, {}, &Record::time)) return damaged("its records are not in order");
    return Done{};
}

Status read_stacks(std::string_view content, Recording& to) {
    Reader reader(content);
    while (!reader.done()) {
        const auto hash = reader.take<uint64_t>(), count = reader.take<uint64_t>();
        if (count > kept_frames) return damaged("a stack is too deep");
        std::vector<uint64_t>& frames = to.stacks[hash];
        for (uint64_t i = 0; i < count; i++) frames.push_back(reader.take<uint64_t>());
    }
    return reader.failed() ? Status(damaged("its stacks end too early")) : Done{};
}

Status read_symbols(std::string_view content, Recording& to) {
    Reader reader(content);
    while (!reader.done()) {
        const auto address = reader.take<uint64_t>();
        const auto size = reader.take<uint32_t>();
        to.symbols[address] = reader.text(size);
    }
    return reader.failed() ? Status(damaged("its names end too early")) : Done{};
}

Status read_section(Section section, std::string_view content, Recording& to) {
    switch (section) {
        case Section::header:
            return read_header(content, to) ? Status(Done{}) : damaged("its header does not make sense");
        case Section::threads:
            return read_threads(content, to);
        case Section::records:
            return read_records(content, to);
        case Section::stacks:
            return read_stacks(content, to);
        case Section::symbols:
            return read_symbols(content, to);
    }
    return Done{};  // of a newer lt
}

Result<std::string> body_of(std::string_view bytes, uint64_t size) {
    if (size > largest) return damaged("its size does not make sense");
    const unsigned long long said = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
    if (said != size) return damaged("its size does not agree with its content");
    std::string body(size, '\0');
    const size_t made = ZSTD_decompress(body.data(), body.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(made) || made != size) return damaged("it cannot be decompressed");
    return body;
}

}  // namespace

bool is_recording(std::string_view bytes) { return bytes.starts_with(magic); }

Result<std::string> recording_bytes(const Recording& recording) {
    std::string body;
    append_section(body, Section::header, header_text(recording));
    append_section(body, Section::threads, threads_of(recording));
    const auto* records = reinterpret_cast<const char*>(recording.records.data());
    append_section(body, Section::records, {records, recording.records.size() * sizeof(Record)});
    append_section(body, Section::stacks, stacks_of(recording));
    append_section(body, Section::symbols, symbols_of(recording));
    return file_of_body(body);
}

Result<std::string> file_of_body(std::string_view body) {
    if (body.size() > largest) return Error{"the recording is too large for a file", "keep less", 0};
    std::string out(sizeof(FileStart) + ZSTD_compressBound(body.size()), '\0');
    const size_t made = ZSTD_compress(out.data() + sizeof(FileStart), out.size() - sizeof(FileStart), body.data(),
                                      body.size(), compression);
    if (ZSTD_isError(made)) return Error{"the recording cannot be compressed", ZSTD_getErrorName(made), 0};
    out.resize(sizeof(FileStart) + made);
    FileStart start{{}, version, 0, body.size()};
    magic.copy(start.magic, sizeof start.magic);
    std::memcpy(out.data(), &start, sizeof start);
    return with_right_checksum(std::move(out));
}

std::string with_right_checksum(std::string bytes) {
    if (bytes.size() < sizeof(FileStart)) return bytes;
    const uint32_t sum = checksum_of(std::string_view(bytes).substr(sizeof(FileStart)));
    std::memcpy(bytes.data() + offsetof(FileStart, checksum), &sum, sizeof sum);
    return bytes;
}

Result<Recording> read_recording(std::string_view bytes) {
    if (!is_recording(bytes)) return Error{"this is not a recording of lt", "recordings end in .ltr", 0};
    FileStart start{};
    if (bytes.size() < sizeof start) return damaged("it ends within its first bytes");
    std::memcpy(&start, bytes.data(), sizeof start);
    if (start.version < oldest || start.version > version)
        return Error{
            fmt::format("this lt reads recordings up to version {}, and this is version {}", version, start.version),
            "read it with the lt that wrote it", 0};
    const std::string_view compressed = bytes.substr(sizeof start);
    if (checksum_of(compressed) != start.checksum) return damaged("its checksum is wrong");
    const Result<std::string> body = body_of(compressed, start.size);
    if (!body) return body.error();
    Recording recording;
    recording.format = start.version;
    Reader reader(*body);
    bool has_header = false;
    while (!reader.done()) {
        const auto section = reader.take<SectionStart>();
        const std::string_view content = reader.text(section.size);
        if (reader.failed()) break;
        const auto which = static_cast<Section>(section.section);
        if (!has_header && which != Section::header) return damaged("it does not begin with its header");
        if (has_header && which == Section::header) return damaged("it has a second header");
        if (Status read = read_section(which, content, recording); !read) return read.error();
        has_header = true;
    }
    if (reader.failed() || !has_header) return damaged("it ends too early");
    find_earlier(recording);
    return recording;
}

}  // namespace lt
