// The maps at the end of a run.
#include "runtime/session/collect.h"

#include <gtest/gtest.h>

#include "unit/string_sink.h"

namespace lt {
namespace {

TEST(Dispatcher, AMapThatCannotBeReadLosesNoOther) {
    Plan plan;
    for (const char* name : {"@a", "@b", "@c"}) {
        PlannedMap map;
        map.name = name;
        map.value = integer_type();
        plan.maps.push_back(map);
    }
    MapActions maps;
    maps.read = [&plan](size_t index) -> Result<MapContent> {
        if (index == 1) return Error{"cannot read @b", "", 0};
        MapContent content{plan.maps[index].name, {}};
        content.entries = Entries(std::vector<MapEntry>{MapEntry{{}, Value{integer_type(), int64_t{7}}}});
        return content;
    };
    StringSink sink;
    const auto printer = text_printer(sink);
    Dispatcher dispatcher(plan, maps, *printer);
    const Status printed = dispatcher.print_maps();
    ASSERT_FALSE(printed);
    EXPECT_EQ(printed.error().what, "cannot read @b");
    EXPECT_EQ(sink.text, "@a: 7\n@c: 7\n");
    std::string listed;
    for (const ResultFact& map : dispatcher.results()) listed += map.name;
    EXPECT_EQ(listed, "@a@c");
}

}  // namespace
}  // namespace lt
