// The only implementation of Kernel: the running kernel and the tests' folder differ only in where files are and how
// features are found, so the same code reads both. Everything is opened on first use and kept.
#include "runtime/border/kernel.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "base/text.h"
#include "runtime/bpf/loaded_programs.h"
#include "runtime/btf/btf.h"
#include "runtime/btf/btf_c.h"
#include "runtime/btf/btf_scan.h"
#include "runtime/kernel/feature_tests.h"
#include "runtime/kernel/kallsyms.h"
#include "runtime/kernel/tracefs.h"
#include "runtime/os/mounts.h"
#include "runtime/programs/debug_file.h"
#include "runtime/system/file_machine.h"
#include "runtime/system/file_programs.h"

namespace lt {
namespace {

struct Places {
    std::string root;  // before paths of programs
    std::string kallsyms;
    std::string btf;
    std::string modules_btf;    // a folder with one file per module
    std::string event_sources;  // of perf events
    std::string notes;          // the kernel's, with its build id
    std::string blacklist;      // in the folder from open_blacklist
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

// The structures that BPF programs see as their contexts, and what the kernel passes to them instead.
struct BpfContext {
    std::string_view compiled, passed;
};
constexpr std::array contexts{
    BpfContext{"struct xdp_md", "struct xdp_buff"},
    BpfContext{"struct __sk_buff", "struct sk_buff"},
    BpfContext{"struct bpf_sock", "struct sock"},
    BpfContext{"struct bpf_sock_addr", "struct bpf_sock_addr_kern"},
    BpfContext{"struct bpf_sock_ops", "struct bpf_sock_ops_kern"},
    BpfContext{"struct bpf_sockopt", "struct bpf_sockopt_kern"},
    BpfContext{"struct bpf_sysctl", "struct bpf_sysctl_kern"},
    BpfContext{"struct bpf_sk_lookup", "struct bpf_sk_lookup_kern"},
    BpfContext{"struct sk_msg_md", "struct sk_msg"},
    BpfContext{"struct sk_reuseport_md", "struct sk_reuseport_kern"},
    BpfContext{"struct bpf_perf_event_data", "struct bpf_perf_event_data_kern"},
};

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
    // `known`: the answers about features; empty: test for them.
    FileKernel(Places places, std::string release, std::vector<Answer> known, const KernelPlaces& asked)
        : places_(std::move(places)),
          release_(std::move(release)),
          known_(std::move(known)),
          debug_{{places_.root}, asked.debug_folders},
          programs_(places_.root, debug_),
          machine_(places_.root, places_.event_sources, known_.empty()) {}
    // Replaces the kernel's own list.
    void can_trace_only(std::string list) { traceable_.emplace(std::move(list)); }

    Programs& programs() override { return programs_; }
    Machine& machine() override { return machine_; }
    Answer can(Feature feature) override;
    std::string release() override { return release_; }
    bool runs() const override { return known_.empty(); }
    std::optional<KernelFunction> function(std::string_view name, std::string_view module) override;
    std::vector<std::string> functions(std::string_view pattern, std::string_view module) override {
        return bpf_function(pattern) ? bpf_functions(pattern) : kallsyms().names(pattern, module);
    }
    std::optional<bool> traceable(std::string_view function) override;
    bool ambiguous(std::string_view name) override {
        return (!runs() || kallsyms_ || !names_one_symbol(std::string(name))) && kallsyms().find(name).size() > 1;
    }
    std::vector<NamedCode> named_code(std::string_view name) override { return kallsyms().named_code(name); }
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
    std::vector<std::string> iterators() override;
    Result<Tracepoint> tracepoint(std::string_view category, std::string_view event) override;
    std::optional<KernelFunction> raw_tracepoint(std::string_view event) override;
    std::vector<std::string> raw_tracepoints(std::string_view pattern) override;
    std::vector<std::string> tracepoints(std::string_view category_pattern, std::string_view event_pattern) override;
    Result<std::string> debug_file() override;

  private:
    const Kallsyms& kallsyms();
    Btf* btf(const std::string& module = {});
    std::optional<Type> type_of_module(std::string_view name);
    std::vector<std::string> modules_with_types() const;
    Result<Tracefs>& tracefs();
    Answer find_out(Feature feature);
    bool describe(KernelFunction& function);
    std::vector<std::string> bpf_functions(std::string_view pattern);
    Type as_kernel_passes(const Type& type);

    Places places_;
    std::string release_;
    std::vector<Answer> known_;
    std::map<Feature, Answer> found_out_;
    std::optional<Kallsyms> kallsyms_;
    std::optional<Result<Btf>> btf_;
    std::map<std::string, Result<Btf>> modules_;  // after btf_, which they depend on
    std::map<std::string, std::optional<Type>, std::less<>> types_;
    std::map<std::pair<std::string, uint32_t>, std::vector<Member>> members_;
    std::map<std::string, std::optional<Constant>, std::less<>> constants_;
    std::map<std::string, KernelFunction, std::less<>> raw_tracepoints_;  // those that were found: a module may come
    Declared declared_;
    std::optional<Result<Tracefs>> tracefs_;
    std::optional<FunctionList> blacklist_;
    DebugPlaces debug_;
    FilePrograms programs_;
    FileMachine machine_;
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

// ---- what is read on first use

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

// ---- features

Answer FileKernel::can(Feature feature) {
    if (!known_.empty()) return known_[static_cast<size_t>(feature)];
    const auto at = found_out_.find(feature);
    return at != found_out_.end() ? at->second : found_out_.emplace(feature, find_out(feature)).first->second;
}

Answer FileKernel::find_out(Feature feature) {
    FunctionFacts facts;
    facts.type_id = [this](std::string_view name) {
        if (!btf_) return function_in_btf(places_.btf, name);
        return *btf_ ? (*btf_)->function_id(name) : 0;
    };
    return try_feature(feature, facts);
}

// ---- functions

std::optional<KernelFunction> FileKernel::function(std::string_view name, std::string_view module) {
    KernelFunction function;
    function.name = name;
    if (const auto of_bpf = bpf_function(name)) {
        if (bpf_functions(name).empty()) return {};
        function.module = fmt::format("{}{}", bpf_module, of_bpf->program);
        describe(function);
        return function;
    }
    function.module = module == "vmlinux" ? "" : module;
    if (!is_glob(module) && describe(function)) return function;
    const std::vector<Symbol> found = kallsyms().find(name, module);
    if (found.empty()) return std::nullopt;
    // Modules come last in the file, so the kernel's own functions win.
    function.module = found.front().module;
    if (!function.module.empty() || is_glob(module)) describe(function);
    return function;
}

// False if there is no type information about it.
bool FileKernel::describe(KernelFunction& function) {
    Btf* types = btf(function.module);
    const auto of_bpf = bpf_function(function.name);
    auto prototype = types != nullptr ? types->function(of_bpf ? of_bpf->name : function.name) : std::nullopt;
    if (!prototype) return false;
    function.in_btf = true;
    function.parameters = std::move(prototype->parameters);
    function.result = prototype->result;
    for (Field& field : function.parameters)
        if (of_bpf) field.type = as_kernel_passes(field.type);
    return true;
}

// Programs without type information have the name with which they were loaded.
std::vector<std::string> FileKernel::bpf_functions(std::string_view pattern) {
    std::vector<std::string> names;
    const auto add = [&](uint32_t program, std::string_view name) {
        std::string whole = fmt::format("{}:{}", program, name);
        if (!name.empty() && glob_match(pattern, whole)) names.push_back(std::move(whole));
    };
    for (const bpf::LoadedProgram& program : runs() ? bpf::loaded_programs() : std::vector<bpf::LoadedProgram>{}) {
        const std::string module = fmt::format("{}{}", bpf_module, program.id);
        if (program.types != 0 && !modules_.contains(module))
            modules_.emplace(module, Btf::load_loaded(program.types, module));
        const Btf* types = program.types != 0 ? btf(module) : nullptr;
        if (types == nullptr) add(program.id, program.name);
        for (const uint32_t function : types != nullptr ? program.functions : std::vector<uint32_t>{})
            add(program.id, types->function_name(function));
    }
    return names;
}

// A BPF program is compiled with the context of its kind, and perhaps with structures of another kernel, or parts of
// them. One that shares most members with the kernel's of its name is that one; its layout is the running kernel's.
Type FileKernel::as_kernel_passes(const Type& type) {
    const Type* to = pointee(type);
    if (to == nullptr || !to->shape || to->shape->name.empty()) return type;
    const auto* context = std::ranges::find(contexts, to->shape->name, &BpfContext::compiled);
    const std::optional<Type> found = this->type(context == contexts.end() ? to->shape->name : context->passed);
    if (!found || !found->shape) return type;
    const std::vector<Member>& here = members(*found);
    const std::vector<Member>& own = members(*to);
    const auto shared = static_cast<size_t>(std::ranges::count_if(
        own, [&](const Member& member) { return std::ranges::find(here, member.name, &Member::name) != here.end(); }));
    return 2 * shared >= own.size() || context != contexts.end() ? pointer_type(*found) : type;
}

std::optional<bool> FileKernel::traceable(std::string_view function) {
    if (traceable_) return traceable_->has(function);
    return tracefs() ? tracefs()->can_trace(function) : std::nullopt;
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
        auto found = types != nullptr ? find_type(types->file(), name) : std::nullopt;
        at = types_.emplace(name, found || types == nullptr ? std::move(found) : type_of_module(name)).first;
    }
    return at->second;
}

// A structure that the kernel itself does not have may belong to a loaded module.
std::optional<Type> FileKernel::type_of_module(std::string_view name) {
    if (!name.starts_with("struct ") && !name.starts_with("union ")) return {};
    std::set<std::string> modules;
    std::error_code none;
    for (std::filesystem::directory_iterator at(places_.modules_btf, none), end; !none && at != end; at.increment(none))
        modules.insert(at->path().filename().string());
    modules.erase("vmlinux");
    for (const std::string& module : modules) {
        const Btf* types = btf(module);
        if (auto found = types != nullptr ? find_own_structure(types->file(), name) : std::nullopt) return found;
    }
    return {};
}

// A structure that is only declared here may be defined in another file.
const std::vector<Member>& FileKernel::members(const Type& structure) {
    const Shape& shape = *structure.shape;
    if (shape.declared) return declared_.shapes[shape.number - 1].members;
    if (of_program(shape)) return programs_.debugs().members(shape);
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
        type.shape->enumerators = programs_.debugs().enumerators(*type.shape);
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
    // The format file only says that it is an enumeration; the names of its values are in BTF.
    for (Field& field : found ? found->fields : no_fields) {
        if (!field.c_type.starts_with("enum ") || field.type.kind != Kind::integer) continue;
        const std::optional<Type> named = type(field.c_type);
        if (named && named->view == View::enumeration && named->size == field.type.size) field.type = *named;
    }
    return found;
}

std::vector<std::string> FileKernel::tracepoints(std::string_view category_pattern, std::string_view event_pattern) {
    return tracefs() ? tracefs()->tracepoints(category_pattern, event_pattern) : std::vector<std::string>{};
}

std::optional<KernelFunction> FileKernel::raw_tracepoint(std::string_view event) {
    if (const auto known = raw_tracepoints_.find(event); known != raw_tracepoints_.end()) return known->second;
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
    return raw_tracepoints_.emplace(event, std::move(out)).first->second;
}

std::vector<std::string> FileKernel::raw_tracepoints(std::string_view pattern) {
    const Btf* types = btf();
    std::vector<std::string> names = types != nullptr ? types->raw_tracepoints(pattern) : std::vector<std::string>{};
    for (const std::string& module : modules_with_types()) {
        if (const Btf* more = btf(module)) std::ranges::move(more->raw_tracepoints(pattern), std::back_inserter(names));
    }
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> FileKernel::modules_with_types() const {
    std::vector<std::string> names = names_in(places_.modules_btf);
    std::erase(names, "vmlinux");
    return names;
}

Result<std::string> FileKernel::debug_file() {
    if (!debug_file_) {
        const Result<std::string> notes = read_text(places_.notes);
        debug_file_ = find_kernel_debug_file(debug_, release_, notes ? build_id_in_notes(*notes) : "");
    }
    return *debug_file_;
}

Result<std::unique_ptr<FileKernel>> open_folder(const KernelPlaces& places) {
    const std::string& root = places.root;
    const Result<std::string> release = read_text(root + "/release");
    if (!release) {
        Error error = release.error_in("a kernel's folder");
        error.hint =
            "`lt --describe FOLDER` or `lt-run --describe FOLDER`, on a machine with that kernel, makes such a folder";
        return error;
    }
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
