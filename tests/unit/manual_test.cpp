// The manual pages name all that the tables name: values, functions, kinds of probe, settings, options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "stdlib/causes.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/options.h"
#include "stdlib/probes.h"
#include "stdlib/settings.h"

namespace lt {
namespace {

std::string page(const char* name) {
    std::ifstream file(std::string(LT_MANUAL "/") + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

// On a line of a macro, as a word of its own: in an entry of a list, or where several are told together.
bool names(const std::string& text, std::string_view word) {
    const std::regex line(fmt::format("(^|\\n)\\.[^\\n]*(^|[^A-Za-z0-9_]){}($|[^A-Za-z0-9_-])", word));
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

TEST(Manual, NamesEveryOption) {
    const std::string text = page("lt.1") + page("lt-stp.7");  // options of SystemTap stand in the second
    for (const OptionRow& row : option_rows()) {
        bool any = false;  // "-h,--help" stands there by one of the two
        for (size_t at = 0; at < row.names.size();) {
            const size_t end = std::min(row.names.find(',', at), row.names.size());
            const std::string_view name = row.names.substr(at, end - at);
            any |= names(text, name.substr(name.find_first_not_of('-')));
            at = end + 1;
        }
        EXPECT_TRUE(any) << row.names;
    }
}

}  // namespace
}  // namespace lt
