// The manual pages name all that the tables name: values, functions, kinds of probe, settings, options; docs/kernels.md
// names the features of kernels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>

#include "base/text.h"
#include "runtime/border/kernel.h"
#include "stdlib/causes.h"
#include "stdlib/flag_sets.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/options.h"
#include "stdlib/probes.h"
#include "stdlib/settings.h"

namespace lt {
namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string page(const char* name) { return text_of(std::string(LT_MANUAL "/") + name); }

// The entry of a list, up to the next one, as one line; empty if there is none.
std::string list_entry(const std::string& text, const std::string& head) {
    const size_t begin = text.find("\n.It " + head + "\n");
    if (begin == text.npos) return "";
    std::string out = text.substr(begin + 1, text.find("\n.It ", begin + 1) - begin - 1);
    std::ranges::replace(out, '\n', ' ');
    return out;
}

// On a line of a macro, as a word of its own: in an entry of a list, or where several are told together.
bool names(const std::string& text, std::string_view word) {
    const std::regex line(fmt::format("(^|\\n)\\.[^\\n]*(^|[^A-Za-z0-9_]){}($|[^A-Za-z0-9_-])", word));
    return std::regex_search(text, line);
}

// "--stats" in `.It Fl t , -stats`.
bool has_option(const std::string& text, std::string_view name) {
    const std::regex line(fmt::format("\\n\\.[^\\n]*\\bFl( [^ \\n]+ ,)* (Fl )?{}(\\n| )", name.substr(1)));
    return std::regex_search(text, line);
}

TEST(Manual, NamesEveryValueAndFunction) {
    const std::string text = page("lt-language.7");
    for (const VariableRow& row : variable_rows())
        EXPECT_TRUE(names(text, row.id == Variable::arg ? "arg0" : row.name)) << row.name;
    for (const FunctionRow& row : function_rows()) EXPECT_TRUE(names(text, row.name)) << row.name;
}

TEST(Manual, NamesEveryCause) {
    const std::string text = page("lt-language.7");
    for (const CauseRow& row : cause_rows()) EXPECT_TRUE(names(text, row.name)) << row.name;
}

TEST(Manual, NamesEveryKindOfProbeAndSetting) {
    const std::string text = page("lt-language.7");
    for (const ProbeRow& row : probe_rows()) EXPECT_TRUE(names(text, row.name)) << row.name;
    for (const SettingRow& row : setting_rows()) EXPECT_TRUE(names(text, row.name)) << row.name;
}

// The entry of arg0 names the kinds whose probes have arguments by number, and those only.
TEST(Manual, NamesTheKindsWithNumberedArguments) {
    const std::string own = list_entry(page("lt-language.7"), "Ic arg0 , arg1 No ...");
    ASSERT_FALSE(own.empty());
    for (const ProbeRow& row : probe_rows())
        EXPECT_EQ(std::regex_search(own, std::regex(fmt::format(" {} ", row.name))), row.arguments) << row.name;
}

// Where a setting has an entry of its own, the entry says which values it takes.
TEST(Manual, NamesTheValuesOfSettings) {
    const std::string text = page("lt-language.7");
    for (const SettingRow& row : setting_rows()) {
        const std::string own = list_entry(text, fmt::format("Ic {}", row.name));
        if (!own.empty()) {
            EXPECT_NE(own.find(row.values), own.npos) << row.name;
        }
    }
    EXPECT_FALSE(list_entry(text, "Ic max_strlen").empty());
}

TEST(Manual, NamesEverySetOfFlags) {
    const std::string text = list_entry(page("lt-language.7"), "Fn flag_names number set");
    for (const FlagSet& set : flag_sets()) EXPECT_NE(text.find(fmt::format(" {} ", set.name)), text.npos) << set.name;
}

TEST(Manual, NamesEveryUnsafeFunction) {
    const std::string of_page = list_entry(page("lt.1"), "Fl -unsafe");
    for (const FunctionRow& row : function_rows()) {
        if (!row.unsafe) continue;
        EXPECT_NE(of_page.find(row.name), of_page.npos) << row.name;
        EXPECT_NE(option_row(Option::unsafe).sentence.find(row.name), std::string_view::npos) << row.name;
    }
}

TEST(Manual, NamesEveryRefusedOption) {
    const std::string text = page("lt.1") + page("lt-stp.7");
    for (const RefusedOption& row : refused_options())
        for (const std::string_view name : split(row.names, ','))
            EXPECT_TRUE(names(text, name.substr(name.find_first_not_of('-')))) << name;
}

TEST(Manual, NamesEveryVariableOfTheEnvironment) {
    const std::string text = page("lt.1") + page("lt-agent.1");
    const std::regex read("getenv\\(\"([A-Z_]+)\"\\)");
    size_t found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LT_SOURCE "/src/driver")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string source = text_of(entry.path());
        for (std::sregex_iterator at(source.begin(), source.end(), read), end; at != end; ++at, found++)
            EXPECT_TRUE(names(text, (*at)[1].str())) << entry.path() << " reads " << (*at)[1].str();
    }
    EXPECT_GT(found, 5U);
}

TEST(Manual, NamesEveryTypeOfJson) {
    const std::string text = page("lt.1") + page("lt-ctl.1");
    constexpr std::array<std::string_view, 4> makers{R"(fact{")", R"(fact({")", R"(begin(")", R"(begin_facts(")"};
    size_t found = 0;
    const auto look = [&](const std::filesystem::path& path, const std::string& source, std::string_view maker) {
        for (size_t at = source.find(maker); at != source.npos; at = source.find(maker, at + 1), found++) {
            const size_t begin = at + maker.size();
            const std::string name = source.substr(begin, source.find('"', begin) - begin);
            EXPECT_TRUE(names(text, name)) << path << " makes " << name;
        }
    };
    for (const char* folder : {"/src/driver", "/src/runtime"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(LT_SOURCE + std::string(folder)))
            if (entry.path().extension() == ".cpp")
                for (const std::string_view maker : makers) look(entry.path(), text_of(entry.path()), maker);
    EXPECT_GT(found, 15U);
}

TEST(Manual, NamesEveryFeatureOfKernels) {
    const std::string text = text_of(LT_SOURCE "/docs/kernels.md");
    for (uint8_t i = 0; i < feature_count; i++) {
        const std::string_view name = feature_name(static_cast<Feature>(i));
        EXPECT_NE(text.find(fmt::format("`{}`", name)), text.npos) << name;
    }
}

TEST(Manual, NamesEveryOption) {
    const std::string text = page("lt.1") + page("lt-stp.7");  // options of SystemTap stand in the second
    for (const OptionRow& row : option_rows())
        for (const std::string_view name : split(row.names, ','))
            EXPECT_TRUE(has_option(text, name)) << name << " of " << row.names;
}

}  // namespace
}  // namespace lt
