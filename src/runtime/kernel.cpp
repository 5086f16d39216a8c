// The one Kernel there is: the running kernel and the folder of the tests differ only in where their files are and in
// how features are known, so both are read by the same code. Everything is opened when first asked for and kept.
#include "runtime/kernel.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <map>

#include "base/text.h"
#include "btf.h"
#include "btf_c.h"
#include "debug_file.h"
#include "elf_file.h"
#include "event_sources.h"
#include "feature_tests.h"
#include "kallsyms.h"
#include "kernel_binaries.h"
#include "line_places.h"
#include "mounts.h"
#include "program_debug.h"
#include "session_values.h"
#include "tracefs.h"

namespace lt {

namespace {

struct Places {
    std::string root;  // before the paths of programs
    std::string kallsyms;
    std::string btf;
    std::string modules_btf;    // the folder with one file for each module
    std::string event_sources;  // of perf events
    std::string notes;          // of the kernel, with its build id
    std::string blacklist;      // in the folder that open_blacklist gives
    Result<Folder> (*open_tracing)(const std::string& root);
    Result<Folder> (*open_blacklist)(const std::string& root);
};

Places running_kernel() {
    return {"",
            "/proc/kallsyms",
            "/sys/kernel/btf/vmlinux",
            "/sys/kernel/btf",
            "/sys/bus/event_source/devices",
            "/sys/kernel/notes",
            "kprobes/blacklist",
            [](const std::string&) { return open_tracefs(); },
            [](const std::string&) { return open_debugfs(); }};
}

Places folder_of_tests(const std::string& root) {
    return {
        root,        root + "/kallsyms", root + "/btf", root + "/modules_btf", root + "/event_source", root + "/notes",
        "blacklist", Folder::open,       Folder::open};
}

std::string running_release() {
    utsname name{};
    return ::uname(&name) == 0 ? name.release : "";
}

// "0xffffffff81000000-0xffffffff81000010\tname"
FunctionList blacklisted_names(const std::string& text) {
    std::string names;
    for (std::string_view line : split(text, '\n')) {
        const size_t tab = line.find_first_of("\t ");
        if (tab != std::string_view::npos) names.append(trim(line.substr(tab))) += '\n';
    }
    return FunctionList(std::move(names));
}

class FileKernel final : public Kernel {
  public:
    // `known`: what is to be answered about features; empty: find out.
    FileKernel(Places places, std::string release, std::vector<Answer> known, const KernelPlaces& asked)
        : places_(std::move(places)),
          release_(std::move(release)),
          known_(std::move(known)),
          debug_{{places_.root}, asked.debug_folders},
          programs_(debug_) {}
    // Instead of the kernel's own list.
    void can_trace_only(std::string list) { traceable_.emplace(std::move(list)); }

    Answer can(Feature feature) override;
    std::string release() override { return release_; }
    bool runs() const override { return known_.empty(); }
    bool renumbers_processes() const override { return runs() && pid_namespace().second != 0; }
    std::optional<KernelFunction> function(std::string_view name, std::string_view module) override;
    std::vector<std::string> functions(std::string_view pattern, std::string_view module) override {
        return kallsyms().names(pattern, module);
    }
    std::optional<bool> traceable(std::string_view function) override;
    bool ambiguous(std::string_view function) override { return kallsyms().find(function).size() > 1; }
    bool blacklisted(std::string_view function) override;
    std::optional<Type> type(std::string_view name) override;
    std::vector<std::string> types(std::string_view pattern) override {
        const Btf* types = btf();
        return types != nullptr ? types->tagged(pattern) : std::vector<std::string>();
    }
    const std::vector<Member>& members(const Type& structure) override;
    Type whole(Type type) override;
    std::optional<Constant> constant(std::string_view name) override;
    void declare(Declared declared) override { declared_ = std::move(declared); }
    std::string c_types(const std::set<std::string, std::less<>>& words) override {
        Btf* types = btf();
        return types ? lt::c_types(types->file().types, words) : "";
    }
    std::optional<uint64_t> symbol(std::string_view name) override;
    Result<uint64_t> cgroup(const std::string& path) override;
    std::vector<std::string> iterators() override;
    Result<Tracepoint> tracepoint(std::string_view category, std::string_view event) override;
    std::optional<KernelFunction> raw_tracepoint(std::string_view event) override;
    std::vector<std::string> raw_tracepoints(std::string_view pattern) override;
    std::vector<std::string> tracepoints(std::string_view category_pattern, std::string_view event_pattern) override;
    Result<std::string> binary(std::string_view name) override;
    Result<std::string> build(const std::string& path) override { return build_of(places_.root + path); }
    Result<UserFunction> user_function(const std::string& path, std::string_view name) override;
    Result<UserFunction> user_address(const std::string& path, uint64_t address) override;
    Result<UserSymbol> user_symbol(const std::string& path, std::string_view name, uint64_t offset) override {
        const Result<ElfFile>& elf = file(path);
        return elf ? elf->symbol(name, offset) : elf.error();
    }
    std::vector<std::string> user_functions(const std::string& path, std::string_view pattern) override;
    std::vector<std::string> cpp_functions(const std::string& path, std::string_view pattern) override;
    Result<std::string> debug_file() override;
    Result<std::vector<SourcePlace>> source_places(const std::string& path, const SourceQuery& query) override;
    const Result<ProgramScope>& program_scope(const UserFunction& place) override { return programs_.scope(place); }
    std::optional<ProgramVariable> program_global(const std::string& path, uint64_t offset,
                                                  const std::string& name) override {
        return programs_.global(path, offset, name);
    }
    std::optional<Type> program_type(const std::string& path, std::string_view name) override {
        return programs_.type(path, name);
    }
    Result<std::vector<Marker>> markers(const std::string& path) override;
    std::vector<std::string> mapped_files(int process) override {
        return process != 0 ? lt::mapped_files(process)
               : runs()     ? files_of_all_processes()
                            : std::vector<std::string>();
    }
    std::vector<std::string> binaries(const std::string& pattern) override {
        return places_.root.empty() ? find_binaries(pattern) : std::vector<std::string>();
    }
    Result<std::string> event_source(const std::string& file_name) override {
        return read_text(fmt::format("{}/{}", places_.event_sources, file_name));
    }
    std::vector<std::string> source_events() override { return lt::source_events(places_.event_sources); }

  private:
    const Kallsyms& kallsyms();
    Btf* btf(const std::string& module = {});
    std::vector<std::string> modules_with_types() const;
    Result<Tracefs>& tracefs();
    const Result<ElfFile>& file(const std::string& path);
    Answer find_out(Feature feature);
    bool describe(KernelFunction& function);

    Places places_;
    std::string release_;
    std::vector<Answer> known_;
    std::map<Feature, Answer> found_out_;
    std::optional<Kallsyms> kallsyms_;
    std::optional<Result<Btf>> btf_;
    std::map<std::string, Result<Btf>> modules_;  // after btf_, on which they are built
    std::map<std::string, std::optional<Type>, std::less<>> types_;
    std::map<std::pair<std::string, uint32_t>, std::vector<Member>> members_;
    std::map<std::string, std::optional<Constant>, std::less<>> constants_;
    Declared declared_;
    std::optional<Result<Tracefs>> tracefs_;
    std::optional<FunctionList> blacklist_;
    std::map<std::string, Result<ElfFile>> files_;
    DebugPlaces debug_;
    ProgramDebugs programs_;
    std::optional<FunctionList> traceable_;
    std::optional<Result<std::string>> debug_file_;
};

std::optional<uint64_t> FileKernel::symbol(std::string_view name) {
    const Result<std::string> text = read_text(places_.kallsyms);
    for (std::string_view line : split(text ? std::string_view(*text) : std::string_view(), '\n')) {
        const auto words = split(line.substr(0, line.find('\t')), ' ');
        uint64_t address = 0;
        if (words.size() < 3 || words[2] != name) continue;
        std::from_chars(words[0].data(), words[0].data() + words[0].size(), address, 16);
        return address != 0 ? std::optional(address) : std::nullopt;
    }
    return {};
}

Result<uint64_t> FileKernel::cgroup(const std::string& path) {
    struct stat about{};
    const std::string full = places_.root + path;
    if (::stat(full.c_str(), &about) != 0) return system_error("there is no control group " + path, errno);
    return uint64_t{about.st_ino};
}

// ---- what is read when first asked for

const Kallsyms& FileKernel::kallsyms() {
    if (!kallsyms_) {
        const Result<std::string> text = read_text(places_.kallsyms);
        kallsyms_.emplace(text ? std::string_view(*text) : std::string_view());
    }
    return *kallsyms_;
}

Btf* FileKernel::btf(const std::string& module) {
    if (!btf_) btf_.emplace(Btf::load(places_.btf));
    if (!*btf_) return nullptr;
    if (module.empty()) return &**btf_;
    auto at = modules_.find(module);
    if (at == modules_.end()) {
        const std::string path = fmt::format("{}/{}", places_.modules_btf, module);
        at = modules_.emplace(module, Btf::load_module(path, **btf_, module)).first;
    }
    return at->second ? &*at->second : nullptr;
}

Result<Tracefs>& FileKernel::tracefs() {
    if (!tracefs_) {
        Result<Folder> folder = places_.open_tracing(places_.root);
        tracefs_.emplace(folder ? Result<Tracefs>(Tracefs(*std::move(folder))) : folder.error());
    }
    return *tracefs_;
}

const Result<ElfFile>& FileKernel::file(const std::string& path) {
    auto at = files_.find(path);
    if (at != files_.end()) return at->second;
    at = files_.emplace(path, ElfFile::open(places_.root + path, path)).first;
    if (at->second && at->second->is_stripped()) at->second->add_debug_symbols(path, debug_);
    return at->second;
}

// ---- features

Answer FileKernel::can(Feature feature) {
    if (!known_.empty()) return known_[static_cast<size_t>(feature)];
    const auto at = found_out_.find(feature);
    return at != found_out_.end() ? at->second : found_out_.emplace(feature, find_out(feature)).first->second;
}

Answer FileKernel::find_out(Feature feature) {
    FunctionFacts facts;
    facts.type_id = [this](std::string_view name) {
        Btf* types = btf();
        return types != nullptr ? types->function_id(name) : 0;
    };
    return try_feature(feature, facts);
}

// ---- functions

std::optional<KernelFunction> FileKernel::function(std::string_view name, std::string_view module) {
    KernelFunction function;
    function.name = name;
    function.module = module == "vmlinux" ? "" : module;
    if (!is_glob(module) && describe(function)) return function;
    const std::vector<Symbol> found = kallsyms().find(name, module);
    if (found.empty()) return std::nullopt;
    // Modules come last in the file, so the kernel's own is taken before them.
    function.module = found.front().module;
    if (!function.module.empty() || is_glob(module)) describe(function);
    return function;
}

// False where there is no type information about it.
bool FileKernel::describe(KernelFunction& function) {
    Btf* types = btf(function.module);
    auto prototype = types != nullptr ? types->function(function.name) : std::nullopt;
    if (!prototype) return false;
    function.in_btf = true;
    function.parameters = std::move(prototype->parameters);
    function.result = prototype->result;
    return true;
}

std::optional<bool> FileKernel::traceable(std::string_view function) {
    if (traceable_) return traceable_->has(function);
    Result<Tracefs>& tracing = tracefs();
    return tracing ? tracing->can_trace(function) : std::nullopt;
}

bool FileKernel::blacklisted(std::string_view function) {
    if (!blacklist_) {
        const Result<Folder> folder = places_.open_blacklist(places_.root);
        const Result<std::string> text = folder ? folder->read(places_.blacklist) : folder.error();
        blacklist_.emplace(text ? blacklisted_names(*text) : FunctionList(""));
    }
    return blacklist_->has(function);
}

// ---- types

std::optional<Type> FileKernel::type(std::string_view name) {
    if (const auto own = declared_.types.find(name); own != declared_.types.end()) return own->second;
    auto at = types_.find(name);
    if (at == types_.end()) {
        const Btf* types = btf();
        at = types_.emplace(name, types != nullptr ? find_type(types->file(), name) : std::nullopt).first;
    }
    return at->second;
}

// One of which only the name is known may be defined in another file.
const std::vector<Member>& FileKernel::members(const Type& structure) {
    const Shape& shape = *structure.shape;
    if (shape.declared) return declared_.shapes[shape.number - 1].members;
    if (of_program(shape)) return programs_.members(shape);
    auto at = members_.find({shape.module, shape.number});
    if (shape.number == 0) {
        const std::optional<Type> found = type(shape.name);
        static const std::vector<Member> none;
        return found && found->shape && found->shape->number != 0 && !found->shape->declared ? members(*found) : none;
    }
    if (at == members_.end()) {
        const Btf* types = btf(shape.module);
        at = members_
                 .emplace(std::pair(shape.module, shape.number),
                          types != nullptr ? members_of(types->file(), shape.number) : std::vector<Member>{})
                 .first;
    }
    return at->second;
}

Type FileKernel::whole(Type type) {
    if (!type.shape || pointee(type) != nullptr) return type;
    for (Type& part : type.shape->parts) part = whole(part);
    if (type.kind == Kind::structure && type.shape->members.empty()) {
        type.shape->members = members(type);
        for (Member& member : type.shape->members) member.type = whole(member.type);
    }
    if (type.view == View::enumeration && type.shape->declared) {
        type.shape->enumerators = declared_.shapes[type.shape->number - 1].enumerators;
    } else if (type.view == View::enumeration && of_program(*type.shape)) {
        type.shape->enumerators = programs_.enumerators(*type.shape);
    } else if (type.view == View::enumeration && type.shape->enumerators.empty()) {
        const Btf* types = btf(type.shape->module);
        if (types != nullptr) type.shape->enumerators = enumerators_of(types->file(), type.shape->number);
    }
    return type;
}

std::optional<Constant> FileKernel::constant(std::string_view name) {
    if (const auto own = declared_.constants.find(name); own != declared_.constants.end()) return own->second;
    auto at = constants_.find(name);
    if (at == constants_.end()) {
        const Btf* types = btf();
        at = constants_.emplace(name, types != nullptr ? find_constant(types->file(), name) : std::nullopt).first;
    }
    return at->second;
}

std::vector<std::string> FileKernel::iterators() {
    Btf* types = btf();
    if (types == nullptr) return {};
    std::vector<std::string> names = types->structures("bpf_iter__");
    std::erase_if(names, [&](const std::string& name) { return types->function_id("bpf_iter_" + name) == 0; });
    return names;
}

// ---- tracepoints

Result<Tracepoint> FileKernel::tracepoint(std::string_view category, std::string_view event) {
    std::vector<Field> no_fields;
    Result<Tracefs>& tracing = tracefs();
    if (!tracing) return tracing.error_in("tracepoints");
    Result<Tracepoint> found = tracing->tracepoint(category, event);
    // The file of the format says only that it is an enumeration; what its values are called is in BTF.
    for (Field& field : found ? found->fields : no_fields) {
        if (!field.c_type.starts_with("enum ") || field.type.kind != Kind::integer) continue;
        const std::optional<Type> named = type(field.c_type);
        if (named && named->view == View::enumeration && named->size == field.type.size) field.type = *named;
    }
    return found;
}

std::vector<std::string> FileKernel::tracepoints(std::string_view category_pattern, std::string_view event_pattern) {
    Result<Tracefs>& tracing = tracefs();
    return tracing ? tracing->tracepoints(category_pattern, event_pattern) : std::vector<std::string>{};
}

std::optional<KernelFunction> FileKernel::raw_tracepoint(std::string_view event) {
    Btf* types = btf();
    auto prototype = types != nullptr ? types->raw_tracepoint(event) : std::nullopt;
    KernelFunction out;
    for (const std::string& module : prototype ? std::vector<std::string>{} : modules_with_types()) {
        types = btf(module);
        if (types == nullptr || !(prototype = types->raw_tracepoint(event))) continue;
        out.module = module;
        break;
    }
    if (!prototype) return std::nullopt;
    out.name = event;
    out.in_btf = true;
    out.parameters = std::move(prototype->parameters);
    return out;
}

std::vector<std::string> FileKernel::raw_tracepoints(std::string_view pattern) {
    const Btf* types = btf();
    std::vector<std::string> names = types != nullptr ? types->raw_tracepoints(pattern) : std::vector<std::string>{};
    for (const std::string& module : modules_with_types()) {
        if (const Btf* more = btf(module)) std::ranges::move(more->raw_tracepoints(pattern), std::back_inserter(names));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> FileKernel::modules_with_types() const {
    std::vector<std::string> names = names_in(places_.modules_btf);
    std::erase(names, "vmlinux");
    return names;
}

// ---- programs

// In a folder of tests the programs are in its bin, and are called as if the folder were the whole file system.
Result<std::string> FileKernel::binary(std::string_view name) {
    if (places_.root.empty()) return find_binary(name);
    const std::string path = name.starts_with('/') ? std::string(name) : fmt::format("/bin/{}", name);
    if (::access((places_.root + path).c_str(), R_OK) == 0) return path;
    return Error{fmt::format("no program or library {} is found", name), ""};
}

Result<UserFunction> FileKernel::user_function(const std::string& path, std::string_view name) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->function(name) : elf.error();
}

Result<UserFunction> FileKernel::user_address(const std::string& path, uint64_t address) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->at_address(address) : elf.error();
}

std::vector<std::string> FileKernel::user_functions(const std::string& path, std::string_view pattern) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->functions(pattern) : std::vector<std::string>{};
}

std::vector<std::string> FileKernel::cpp_functions(const std::string& path, std::string_view pattern) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->cpp_functions(pattern) : std::vector<std::string>{};
}

Result<std::string> FileKernel::debug_file() {
    if (!debug_file_) {
        const Result<std::string> notes = read_text(places_.notes);
        debug_file_ = find_kernel_debug_file(debug_, release_, notes ? build_id_in_notes(*notes) : "");
    }
    return *debug_file_;
}

Result<std::vector<SourcePlace>> FileKernel::source_places(const std::string& path, const SourceQuery& query) {
    const Result<ElfFile>& elf = file(path);
    if (!elf) return elf.error();
    Result<std::vector<LinePlace>> found = programs_.lines(path, query);
    if (!found) return found.error();
    std::vector<SourcePlace> out;
    for (LinePlace& line : *found) {
        if (Result<UserFunction> f = elf->at_address(line.address)) {
            f->inlined = line.inlined;
            out.push_back({*std::move(f), std::move(line.text)});
        }
    }
    return out;
}

Result<std::vector<Marker>> FileKernel::markers(const std::string& path) {
    const Result<ElfFile>& elf = file(path);
    if (!elf) return elf.error();
    return elf->markers();
}

Result<std::unique_ptr<FileKernel>> open_folder(const KernelPlaces& places) {
    const std::string& root = places.root;
    const Result<std::string> release = read_text(root + "/release");
    if (!release) return release.error_in("a kernel's folder");
    const Result<std::string> text = read_text(root + "/features");
    if (!text) return text.error_in("a kernel's folder");
    Result<std::vector<Answer>> features = parse_features(*text);
    if (!features) return features.error_in(root + "/features");
    return std::make_unique<FileKernel>(folder_of_tests(root), std::string(trim(*release)), *std::move(features),
                                        places);
}

}  // namespace

Result<std::unique_ptr<Kernel>> open_kernel(const KernelPlaces& places) {
    Result<std::unique_ptr<FileKernel>> kernel =
        places.root.empty()
            ? std::make_unique<FileKernel>(running_kernel(), running_release(), std::vector<Answer>{}, places)
            : open_folder(places);
    if (!kernel) return kernel.error();
    if (!places.traceable.empty()) {
        Result<std::string> list = read_text(places.traceable);
        if (!list) return list.error_in("the list of functions that can be traced");
        (*kernel)->can_trace_only(*std::move(list));
    }
    return std::unique_ptr<Kernel>(*std::move(kernel));
}

}  // namespace lt
