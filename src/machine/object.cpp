// Reads a relocatable ELF object as the compiler writes it. All executable sections are concatenated, so that a call
// from one to another only needs a new distance.
#include "machine/object.h"

#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "base/rows.h"
#include "machine/btf_maps.h"

namespace lt::machine {
namespace {

struct ElfDeleter {
    void operator()(Elf* e) const { elf_end(e); }
};

struct Section {
    size_t index = 0;
    std::string name;
    GElf_Shdr header{};
    Elf_Data* data = nullptr;

    std::span<const uint8_t> bytes() const {
        if (!data || !data->d_buf) return {};
        return {static_cast<const uint8_t*>(data->d_buf), data->d_size};
    }
    bool is_code() const {
        return header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR) != 0 && header.sh_size > 0;
    }
};

struct Symbol {
    std::string name;
    GElf_Sym sym{};
    int type() const { return GELF_ST_TYPE(sym.st_info); }
    bool weak() const { return GELF_ST_BIND(sym.st_info) == STB_WEAK; }
};

Error bad_object(std::string what) { return {std::move(what), "", 0}; }

bool begins(std::string_view name, std::string_view prefix) {
    return name == prefix || (name.starts_with(prefix) && name[prefix.size()] == '.');
}

bool is_data_name(std::string_view name) {
    return begins(name, ".data") || begins(name, ".bss") || begins(name, ".rodata");
}

Instruction decode_instruction(const uint8_t* slot) {
    Instruction i;
    i.code = slot[0];
    i.dst = slot[1] & 0xf;
    i.src = static_cast<uint8_t>(slot[1] >> 4);
    std::memcpy(&i.off, slot + 2, sizeof i.off);
    std::memcpy(&i.imm, slot + 4, sizeof i.imm);
    return i;
}

class Reader {
  public:
    explicit Reader(std::span<const uint8_t> elf) : image_(elf.begin(), elf.end()) {}

    Result<Object> read() {
        for (auto stage : {&Reader::open, &Reader::read_sections, &Reader::read_symbols, &Reader::read_code,
                           &Reader::read_data, &Reader::read_maps, &Reader::read_relocations})
            if (auto done = (this->*stage)(); !done) return done.error_in("BPF object");
        return std::move(object_);
    }

  private:
    Status open();
    Status read_sections();
    Status read_symbols();
    Status read_code();
    Status read_data();
    Status read_maps();
    Status read_relocations();

    void add_functions(const Section& section);
    Status relocate_section(const Section& relocations);
    Status relocate(const Section& target, const GElf_Rel& relocation);
    Status relocate_call(size_t at, const Symbol& symbol);
    Status relocate_load(size_t at, const Symbol& symbol);
    Result<Reference> resolve(const Symbol& symbol, uint64_t offset) const;
    const Section* section_named(std::string_view name) const;

    std::vector<char> image_;
    std::unique_ptr<Elf, ElfDeleter> elf_;
    std::vector<Section> sections_;
    std::vector<Symbol> symbols_;
    std::map<size_t, size_t> code_begin_;   // section index -> first instruction
    std::map<size_t, size_t> data_index_;   // section index -> index in Object::data
    std::map<uint64_t, size_t> map_index_;  // offset in .maps -> index in Object::maps
    std::optional<size_t> maps_section_;
    Object object_;
};

Status Reader::open() {
    elf_version(EV_CURRENT);
    elf_.reset(elf_memory(image_.data(), image_.size()));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) return bad_object("not an ELF file");
    GElf_Ehdr header;
    if (!gelf_getehdr(elf_.get(), &header)) return bad_object(elf_errmsg(-1));
    if (header.e_machine != EM_BPF || header.e_type != ET_REL) return bad_object("not a relocatable file for BPF");
    if (header.e_ident[EI_DATA] != ELFDATA2LSB) return bad_object("not little-endian");
    return Done{};
}

Status Reader::read_sections() {
    size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) return bad_object(elf_errmsg(-1));
    for (Elf_Scn* scn = elf_nextscn(elf_.get(), nullptr); scn; scn = elf_nextscn(elf_.get(), scn)) {
        Section s;
        s.index = elf_ndxscn(scn);
        if (!gelf_getshdr(scn, &s.header)) return bad_object(elf_errmsg(-1));
        if (const char* name = elf_strptr(elf_.get(), names, s.header.sh_name)) s.name = name;
        s.data = elf_getdata(scn, nullptr);
        if (s.name == ".maps") maps_section_ = s.index;
        sections_.push_back(std::move(s));
    }
    return Done{};
}

Status Reader::read_symbols() {
    for (const Section& s : sections_) {
        if (s.header.sh_type != SHT_SYMTAB || s.header.sh_entsize == 0) continue;
        const int count = static_cast<int>(s.header.sh_size / s.header.sh_entsize);
        for (int i = 0; i < count; ++i) {
            Symbol symbol;
            if (!gelf_getsym(s.data, i, &symbol.sym)) return bad_object(elf_errmsg(-1));
            const char* name = elf_strptr(elf_.get(), s.header.sh_link, symbol.sym.st_name);
            if (name) symbol.name = name;
            symbols_.push_back(std::move(symbol));
        }
        return Done{};
    }
    return bad_object("no symbol table");
}

Status Reader::read_code() {
    for (const Section& s : sections_) {
        if (!s.is_code()) continue;
        const auto bytes = s.bytes();
        if (bytes.size() % instruction_bytes != 0) return bad_object(s.name + ": not a whole number of instructions");
        code_begin_[s.index] = object_.code.size();
        for (size_t at = 0; at < bytes.size(); at += instruction_bytes)
            object_.code.push_back(decode_instruction(bytes.data() + at));
        add_functions(s);
    }
    return Done{};
}

void Reader::add_functions(const Section& section) {
    const size_t base = code_begin_.at(section.index);
    for (const Symbol& s : symbols_) {
        if (s.type() != STT_FUNC || s.sym.st_shndx != section.index) continue;
        const size_t begin = base + s.sym.st_value / instruction_bytes;
        const size_t end = std::min(begin + s.sym.st_size / instruction_bytes, object_.code.size());
        object_.functions.push_back({s.name, section.name, begin, end, base});
    }
}

Status Reader::read_data() {
    for (const Section& s : sections_) {
        if ((s.header.sh_flags & SHF_ALLOC) == 0 || !is_data_name(s.name)) continue;
        DataSection data;
        data.name = s.name;
        data.read_only = begins(s.name, ".rodata");
        data.bytes.assign(s.bytes().begin(), s.bytes().end());
        data.bytes.resize(s.header.sh_size);
        for (const Symbol& symbol : symbols_)
            if (symbol.type() == STT_OBJECT && symbol.sym.st_shndx == s.index)
                data.variables.push_back({symbol.name, symbol.sym.st_value, symbol.sym.st_size});
        data_index_[s.index] = object_.data.size();
        object_.data.push_back(std::move(data));
    }
    return Done{};
}

const Section* Reader::section_named(std::string_view name) const { return find_row(sections_, name, &Section::name); }

Status Reader::read_maps() {
    if (!maps_section_) return Done{};
    const Section* btf = section_named(".BTF");
    if (!btf) return bad_object("section .maps, but no BTF to describe it");
    auto maps = read_map_definitions(btf->bytes());
    if (!maps) return maps.error();
    object_.maps = std::move(*maps);
    for (const Symbol& s : symbols_) {
        if (s.type() != STT_OBJECT || s.sym.st_shndx != *maps_section_) continue;
        const auto found = std::ranges::find_if(object_.maps, [&](const MapDefinition& m) { return m.name == s.name; });
        if (found == object_.maps.end()) return bad_object(fmt::format("map {}: not described by BTF", s.name));
        map_index_[s.sym.st_value] = static_cast<size_t>(found - object_.maps.begin());
    }
    return Done{};
}

Status Reader::read_relocations() {
    for (const Section& s : sections_)
        if (s.header.sh_type == SHT_REL)
            if (auto done = relocate_section(s); !done) return done;
    return Done{};
}

Status Reader::relocate_section(const Section& relocations) {
    const auto target =
        std::ranges::find_if(sections_, [&](const Section& s) { return s.index == relocations.header.sh_info; });
    if (target == sections_.end()) return bad_object(relocations.name + ": relocates no section");
    if (data_index_.contains(target->index)) return bad_object(target->name + ": data that holds addresses");
    if (!target->is_code() || relocations.header.sh_entsize == 0) return Done{};
    const int count = static_cast<int>(relocations.header.sh_size / relocations.header.sh_entsize);
    for (int i = 0; i < count; ++i) {
        GElf_Rel relocation;
        if (!gelf_getrel(relocations.data, i, &relocation)) return bad_object(elf_errmsg(-1));
        if (auto done = relocate(*target, relocation); !done)
            return done.error_in(fmt::format("{}, offset {:#x}", target->name, relocation.r_offset));
    }
    return Done{};
}

Status Reader::relocate(const Section& target, const GElf_Rel& relocation) {
    const size_t at = code_begin_.at(target.index) + relocation.r_offset / instruction_bytes;
    const size_t symbol = GELF_R_SYM(relocation.r_info);
    if (at >= object_.code.size() || symbol >= symbols_.size()) return bad_object("relocation out of bounds");
    const uint8_t code = object_.code[at].code;
    if (code == call_code) return relocate_call(at, symbols_[symbol]);
    if (code == load_wide) return relocate_load(at, symbols_[symbol]);
    return bad_object(fmt::format("relocation of an instruction with code {:#x}", code));
}

// The distance in the instruction counts from the symbol: -1 for a function's own symbol, its position minus one for a
// section's. A kernel function has no code here: a program that calls it cannot run, others can.
Status Reader::relocate_call(size_t at, const Symbol& symbol) {
    if (symbol.sym.st_shndx == SHN_UNDEF) {
        object_.code[at].src = BPF_PSEUDO_KFUNC_CALL;
        return Done{};
    }
    const auto section = code_begin_.find(symbol.sym.st_shndx);
    Instruction& call = object_.code[at];
    if (section == code_begin_.end()) {  // a kernel function: refused when it is called
        call.src = BPF_PSEUDO_KFUNC_CALL;
        return Done{};
    }
    const int64_t target =
        static_cast<int64_t>(section->second + symbol.sym.st_value / instruction_bytes) + call.imm + 1;
    call.src = BPF_PSEUDO_CALL;
    call.imm = static_cast<int32_t>(target - static_cast<int64_t>(at) - 1);
    return Done{};
}

Status Reader::relocate_load(size_t at, const Symbol& symbol) {
    auto reference = resolve(symbol, symbol.sym.st_value + static_cast<uint32_t>(object_.code[at].imm));
    if (!reference) return reference.error();
    reference->instruction = at;
    object_.references.push_back(*reference);
    return Done{};
}

Result<Reference> Reader::resolve(const Symbol& symbol, uint64_t offset) const {
    const size_t section = symbol.sym.st_shndx;
    if (section == SHN_UNDEF && symbol.weak()) return Reference{};
    if (const auto data = data_index_.find(section); data != data_index_.end())
        return Reference{0, ReferenceKind::data, data->second, offset};
    if (maps_section_ == section)
        if (const auto map = map_index_.find(offset); map != map_index_.end())
            return Reference{0, ReferenceKind::map, map->second, 0};
    if (const auto code = code_begin_.find(section); code != code_begin_.end())
        if (const Function* f = object_.function_at(code->second + offset / instruction_bytes))
            return Reference{0, ReferenceKind::function, static_cast<size_t>(f - object_.functions.data()), 0};
    return bad_object(fmt::format("reference to {}, which is not a map, data or a function", symbol.name));
}

}  // namespace

Result<Object> Object::read(std::span<const uint8_t> elf) { return Reader(elf).read(); }

const Function* Object::function(std::string_view name) const { return find_row(functions, name, &Function::name); }

const Function* Object::function_at(size_t instruction) const {
    return find_row(functions, instruction, &Function::begin);
}

}  // namespace lt::machine
