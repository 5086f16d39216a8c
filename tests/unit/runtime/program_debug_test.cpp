#include "runtime/dwarf/program_debug.h"

#include <gelf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "runtime/border/kernel.h"

namespace lt {
namespace {

using Op = LocationStep::Op;
using Steps = std::vector<LocationStep>;

constexpr int64_t rsp = 152, rdi = 112, rsi = 104, rdx = 96, rcx = 88, r8 = 72, r9 = 64;  // in struct pt_regs

class Inserts : public testing::TestWithParam<const char*> {
  protected:
    Inserts() : kernel_(*open_kernel({LT_FAKE_KERNELS "/stock"})) {}

    std::string path() const { return GetParam(); }
    const ProgramScope& at(const std::string& function) {
        const auto found = kernel_->programs().user_function(path(), function);
        EXPECT_TRUE(found);
        return *kernel_->programs().program_scope(*found);
    }
    const ProgramScope& at_line(const std::string& function, uint32_t line) {
        const auto found = kernel_->programs().source_places(path(), {function, "inserts.c", line, line});
        EXPECT_TRUE(found) << found.error().what;
        return *kernel_->programs().program_scope(found->front().place);
    }
    static const ProgramVariable& named(const ProgramScope& scope, const std::string& name) {
        static const ProgramVariable none;
        const auto found = std::ranges::find(scope.variables, name, &ProgramVariable::name);
        return found == scope.variables.end() ? none : *found;
    }
    static Steps above_return(int64_t bytes) { return {{Op::saved, rsp}, {Op::constant, bytes}, {Op::add, 0}}; }

    std::unique_ptr<Kernel> kernel_;
};

TEST_P(Inserts, ParametersAtTheEntryAreWhereTheCallerPutThem) {
    const ProgramScope& row = at("write_row");
    EXPECT_TRUE(row.at_entry);
    EXPECT_EQ(row.function, "write_row");
    EXPECT_EQ(row.c_result, "int");
    EXPECT_EQ(row.result, integer_type(4, true));
    const std::vector<std::pair<std::string, int64_t>> general{{"table", rdi},  {"mode", rsi}, {"row", rdx},
                                                               {"length", rcx}, {"a", r8},     {"b", r9}};
    for (size_t i = 0; i < general.size(); i++) {
        EXPECT_EQ(row.variables[i].name, general[i].first);
        EXPECT_TRUE(row.variables[i].is_value) << general[i].first;
        EXPECT_EQ(row.variables[i].steps, (Steps{{Op::saved, general[i].second}})) << general[i].first;
    }
    EXPECT_FALSE(named(row, "c").is_value);
    EXPECT_EQ(named(row, "c").steps, above_return(8));
    EXPECT_EQ(named(row, "d").steps, above_return(16));
    EXPECT_EQ(named(row, "table").c_type, "TABLE *");
    EXPECT_EQ(named(row, "row").c_type, "const char *");
    EXPECT_EQ(named(row, "d").type, integer_type(1, true));
    EXPECT_FALSE(named(row, "local").missing.empty());
}

TEST_P(Inserts, FloatingPointTakesNoGeneralRegisterAndLargeValuesLieOnTheStack) {
    const ProgramScope& measure = at("measure");
    EXPECT_EQ(named(measure, "weight").steps, (Steps{{Op::saved, rdi}}));
    EXPECT_NE(named(measure, "load").missing.find("floating-point"), std::string::npos);
    EXPECT_EQ(named(measure, "load").c_type, "double");
    EXPECT_EQ(named(measure, "by_value").steps, above_return(8));
    EXPECT_EQ(named(measure, "by_value").type.size, 104U);
}

TEST_P(Inserts, MembersLieWhereTheCompilerPutThem) {
    const Type* table = pointee(named(at("write_row"), "table").type);
    ASSERT_NE(table, nullptr);
    const std::vector<Member> members = kernel_->members(*table);
    std::vector<std::pair<std::string, uint32_t>> places;
    for (const Member& m : members) places.emplace_back(m.name, m.offset);
    EXPECT_EQ(places, (std::vector<std::pair<std::string, uint32_t>>{{"table_name", 0},
                                                                     {"schema", 8},
                                                                     {"mode", 24},
                                                                     {"columns", 32},
                                                                     {"as_int", 80},
                                                                     {"as_bytes", 80},
                                                                     {"next", 88},
                                                                     {"load", 96}}));
    EXPECT_EQ(members[1].type, string_type(16));
    EXPECT_EQ(members[7].type.kind, Kind::none);
    const Type* column = element(members[3].type);
    ASSERT_NE(column, nullptr);
    const std::vector<Member> parts = kernel_->members(*column);
    EXPECT_EQ(parts[1].bit_size, 3);
    EXPECT_EQ(parts[2].bit_size, 5);
    EXPECT_EQ((parts[2].offset * 8U) + parts[2].bit_offset, 35U);
    EXPECT_TRUE(parts[2].type.is_signed);
    const Type mode = kernel_->whole(members[2].type);
    ASSERT_EQ(mode.shape->enumerators.size(), 2U);
    EXPECT_EQ(mode.shape->enumerators[1].name, "READ_WRITE");
    EXPECT_EQ(mode.shape->enumerators[1].value, 3);
    // what lies behind an address is asked for by the same way
    EXPECT_EQ(kernel_->members(*pointee(members[6].type)), members);
    EXPECT_EQ(kernel_->programs().program_type(path(), 0, "struct table")->size, 104U);
    EXPECT_EQ(kernel_->programs().program_type(path(), 0, "TABLE")->shape->number, table->shape->number);
    EXPECT_FALSE(kernel_->programs().program_type(path(), 0, "struct chair"));
}

TEST_P(Inserts, VariablesOfTheFileAreReachedFromTheInstruction) {
    const uint64_t offset = kernel_->programs().user_function(path(), "write_row")->offset;
    const auto limit = kernel_->programs().program_global(path(), offset, "public_limit");
    ASSERT_TRUE(limit);
    ASSERT_EQ(limit->steps.size(), 1U);
    EXPECT_EQ(limit->steps[0].op, Op::code);
    EXPECT_EQ(limit->steps[0].number, kernel_->programs().user_symbol(path(), "public_limit", offset)->distance);
    EXPECT_NE(kernel_->programs().program_global(path(), offset, "of_thread")->missing.find("thread"),
              std::string::npos);
    EXPECT_FALSE(kernel_->programs().program_global(path(), offset, "nowhere"));
}

TEST_P(Inserts, AFunctionThatReturnsNothingSaysSo) {
    EXPECT_EQ(at("nothing").c_result, "void");
    EXPECT_EQ(at("nothing").result.kind, Kind::none);
}

INSTANTIATE_TEST_SUITE_P(EitherWay, Inserts, testing::Values("/bin/inserts0", "/bin/inserts2"));

class Plain : public Inserts {};
class Optimized : public Inserts {};

TEST_P(Plain, InsideOfAFunctionVariablesAreInItsFrame) {
    const ProgramScope& line = at_line("write_row", 53);
    EXPECT_FALSE(line.at_entry);
    for (const char* name : {"local", "a", "table"}) {
        EXPECT_EQ(named(line, name).missing, "") << name;
        EXPECT_FALSE(named(line, name).is_value) << name;
    }
}

TEST_P(Optimized, WhatIsLostIsRefusedByItsReason) {
    EXPECT_EQ(named(at("measure"), "sum").missing, "is optimized out at this location");
    EXPECT_NE(named(at_line("write_row", 53), "a").missing.find("DW_OP_entry_value"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(O0, Plain, testing::Values("/bin/inserts0"));
INSTANTIATE_TEST_SUITE_P(O2, Optimized, testing::Values("/bin/inserts2"));

// Bytes of the sections that are read here are changed at random. Whatever is answered, it is answered.
class Damaged : public testing::Test {
  protected:
    struct Piece {
        uint64_t offset, size;
    };

    Damaged() {
        std::ifstream in(LT_FAKE_KERNELS "/stock/bin/inserts2", std::ios::binary);
        whole_.assign(std::istreambuf_iterator<char>(in), {});
        elf_version(EV_CURRENT);
        Elf* elf = elf_memory(whole_.data(), whole_.size());
        size_t names = 0;
        elf_getshdrstrndx(elf, &names);
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
            GElf_Shdr header{};
            const std::string name = elf_strptr(elf, names, gelf_getshdr(section, &header)->sh_name);
            if (name.starts_with(".debug_") || name == ".eh_frame")
                pieces_.push_back({header.sh_offset, header.sh_size});
        }
        elf_end(elf);
    }

    std::string damaged(unsigned seed) const {
        std::mt19937 random(seed);
        std::string bytes = whole_;
        for (int i = 0; i < 12; i++) {
            const Piece& piece = pieces_[random() % pieces_.size()];
            bytes[piece.offset + random() % piece.size] = static_cast<char>(random());
        }
        return bytes;
    }

    static size_t ask(const std::string& path) {
        ProgramDebugs programs({{""}, {}});
        size_t answers = 0;
        const Result<ElfFile> file = ElfFile::open(path, path);
        for (const std::string& name : file->functions("*")) {
            const Result<ProgramScope>& scope = programs.scope(*file->function(name));
            for (const ProgramVariable& v : scope ? scope->variables : std::vector<ProgramVariable>{}) {
                const Type* to = pointee(v.type);
                answers += 1 + (to && to->shape ? programs.members(*to->shape).size() : 0);
            }
        }
        const auto lines = programs.lines(path, {"*", "*", 1, UINT32_MAX, false, false});
        for (const LinePlace& line : lines ? *lines : std::vector<LinePlace>{})
            if (const auto place = file->at_address(line.address)) answers += programs.scope(*place) ? 1 : 0;
        programs.lines(path, {"*", "*", 0, 0, false, true}) ? answers++ : answers;
        return answers + (programs.type(path, 0, "struct table") ? 1 : 0) + (programs.global(path, 0, "sink") ? 1 : 0);
    }

    std::string whole_;
    std::vector<Piece> pieces_;
};

TEST_F(Damaged, DebugInformationIsAnsweredFromAllTheSame) {
    const std::string path = testing::TempDir() + "damaged-inserts";
    size_t answers = 0;
    const char* more = std::getenv("LT_DAMAGES");
    const unsigned rounds = more != nullptr ? static_cast<unsigned>(std::stoul(more)) : 40;
    for (unsigned seed = 0; seed < rounds; seed++) {
        std::ofstream(path, std::ios::binary) << damaged(seed);
        answers += ask(path);
    }
    EXPECT_GT(answers, rounds);
    std::remove(path.c_str());
}

}  // namespace
}  // namespace lt
