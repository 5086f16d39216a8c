// Fuzzers of what lt reads from files that anybody may have written (libFuzzer, run by `./dev fuzz
// plan|elf|dwarf|btf|ltr`): whatever a file holds, it is refused or answers, and nothing is read or written beside it.
// LT_DAMAGE says which.
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "recording/explain.h"
#include "recording/file.h"
#include "recording/view/html.h"
#include "recording/view/trace_events.h"
#include "recording/view/waterfall.h"
#include "runtime/dwarf/program_debug.h"
#include "runtime/btf/btf.h"
#include "runtime/btf/btf_sound.h"
#include "runtime/plan/saved_plan.h"
#include "runtime/programs/elf_file.h"
#include "runtime/programs/perf_map.h"
#include "runtime/replay/recorded_events.h"

namespace lt {
namespace {

constexpr size_t most_asked = 16;  // functions of a file

// A file with these bytes, that has a path.
class File {
  public:
    explicit File(std::span<const uint8_t> bytes) : fd_(::memfd_create("damaged", MFD_CLOEXEC)) {
        if (fd_ < 0 || ::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    }
    ~File() { ::close(fd_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

  private:
    int fd_;
};

// What libbpf gets of a plan.
void object(std::span<const uint8_t> bytes) {
    if (!is_sound_object(bytes)) return;
    bpf_object* opened = bpf_object__open_mem(bytes.data(), bytes.size(), nullptr);
    if (opened) bpf_object__close(opened);
}

// Damage that a checksum would tell of is not what is looked for: it is made to fit.
void plan(std::span<const uint8_t> bytes) {
    struct Header {
        char magic[8];
        uint32_t format, sum;
        uint64_t size;
    } header{};
    if (bytes.size() < sizeof header) return;
    const auto body = bytes.subspan(sizeof header);
    static const std::string good = to_bytes({});
    std::memcpy(&header, good.data(), offsetof(Header, sum));  // of this lt
    header.sum = static_cast<uint32_t>(crc32_z(0, body.data(), body.size()));
    header.size = body.size();
    std::string file(reinterpret_cast<const char*>(&header), sizeof header);
    file.append(reinterpret_cast<const char*>(body.data()), body.size());
    const Result<SavedPlan> saved = saved_plan(file, LT_VERSION);
    if (!saved) return;
    for (const Plan& each : saved->plans) object(each.object);
}

void elf(std::span<const uint8_t> bytes) {
    const File file(bytes);
    Result<ElfFile> opened = ElfFile::open(file.path(), "x");
    if (!opened) return;
    opened->add_debug_symbols(file.path(), {{"/nowhere"}, {}});
    opened->markers();
    opened->cpp_functions("*");
    size_t asked = 0;
    for (const std::string& name : opened->functions("*")) {
        const Result<UserFunction> found = opened->function(name);
        if (found) {
            opened->name_at_offset(found->offset + 1, true);
            std::ignore = opened->symbol(name, found->offset);
        }
        if (++asked == most_asked) break;
    }
}

void dwarf(std::span<const uint8_t> bytes) {
    const File file(bytes);
    const Result<ElfFile> opened = ElfFile::open(file.path(), file.path());
    Result<std::unique_ptr<ProgramDebug>> debug = ProgramDebug::open({{""}, {}}, file.path());
    if (!opened || !debug) return;
    size_t asked = 0;
    for (const std::string& name : opened->functions("*")) {
        const Result<UserFunction> found = opened->function(name);
        if (found) static_cast<void>((*debug)->scope(*found));
        if (found) (*debug)->global(found->offset, "counter");
        if (++asked == most_asked) break;
    }
    for (const char* name : {"struct outer", "struct node", "enum color", "number_t"}) {
        const std::optional<Type> type = (*debug)->types().named(name);
        if (type && type->shape) (*debug)->types().members(type->shape->number);
    }
}

void btf(std::span<const uint8_t> bytes) {
    if (!is_sound_btf(bytes)) return;
    const File file(bytes);
    Result<Btf> types = Btf::load(file.path());
    if (!types) return;
    types->function("vfs_read");
    types->raw_tracepoints("*");
    for (const std::string& name : types->tagged("*"))
        if (const auto type = find_type(types->file(), name); type && type->shape)
            members_of(types->file(), type->shape->number);
}

void perf_map(std::span<const uint8_t> bytes) {
    const PerfMap map(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    for (const uint64_t address : {uint64_t{0}, uint64_t{0x1000}, ~uint64_t{0}}) map.at(address);
}

// Everything that reads a recording says it.
void ask(const Recording& recording) {
    const Explainer explainer(recording);
    for (const Trigger& call : recording.triggers()) {
        const Explanation explanation = explainer.explain(call);
        explanation_text(recording, explanation);
        waterfall(recording, explainer, explanation, {});
        html_page(recording, explainer, explanation);
    }
    trace_events(recording, explainer);
    const ThreadHistory threads(recording);
    for (const RecordedEvent& event : recorded_events())
        for (const Record& record : recording.records)
            if (record.kind == event.kind) context_of(event, event.values(record, threads));
}

// The damage is in what was compressed, and in the file as it is.
void ltr(std::span<const uint8_t> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (const Result<std::string> file = file_of_body(text))
        if (const Result<Recording> recording = read_recording(*file)) ask(*recording);
    if (const Result<Recording> recording = read_recording(with_right_checksum(std::string(text)))) ask(*recording);
}

struct Target {
    std::string_view name;
    void (*run)(std::span<const uint8_t> bytes);
};
constexpr std::array targets{Target{"plan", plan},   Target{"object", object}, Target{"elf", elf},
                             Target{"dwarf", dwarf}, Target{"btf", btf},       Target{"perf-map", perf_map},
                             Target{"ltr", ltr}};

int be_silent(libbpf_print_level, const char*, va_list) { return 0; }

}  // namespace
}  // namespace lt

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    libbpf_set_print(lt::be_silent);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const char* wanted = std::getenv("LT_DAMAGE");
    for (const lt::Target& target : lt::targets)
        if (wanted && target.name == wanted) target.run({data, size});
    return 0;
}
