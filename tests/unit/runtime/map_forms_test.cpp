// An object whose maps are not of the kinds and sizes that its plan says is refused: the kernel would write beside the
// values that lt reads.
#include "runtime/load/map_forms.h"

#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "compile/compile.h"
#include "runtime/border/kernel.h"

namespace lt {
namespace {

// One map of each kind, stacks, counters, calls, and a span between two events.
constexpr const char* script = R"(
k:vfs_read { @n[comm] = count(); @last[comm] = nsecs; @all = count(); @one = pid; @s[kstack] = sum(counter("cs")); }
k:vfs_read < @ns = hist(latency); >
t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @woken = count(); >
)";

class MapForms : public testing::Test {
  protected:
    MapForms() {
        auto kernel = open_kernel({LT_FAKE_KERNELS "/stock"});
        if (!kernel) return;
        Source source{"x.lt", script};
        Diags diags;
        plan_ = compile(source, **kernel, CompileOptions(), diags).plan;
        for (const Diag& d : diags.all()) ADD_FAILURE() << draw(source, d, false);
    }

    // Not loaded, which needs no privileges.
    bool agrees(const std::function<void(bpf_object*)>& change) const {
        const std::unique_ptr<bpf_object, void (*)(bpf_object*)> object(
            bpf_object__open_mem(plan_.object.data(), plan_.object.size(), nullptr), bpf_object__close);
        if (!object) return false;
        change(object.get());
        return static_cast<bool>(maps_agree(plan_, object.get()));
    }
    bool agrees_with(const char* symbol, bpf_map_type type) const {
        return agrees([&](bpf_object* object) {
            bpf_map* map = bpf_object__find_map_by_name(object, symbol);
            EXPECT_EQ(map ? bpf_map__set_type(map, type) : -1, 0) << symbol;
        });
    }
    bool agrees_with(const char* symbol, uint32_t value_size) const {
        return agrees([&](bpf_object* object) {
            bpf_map* map = bpf_object__find_map_by_name(object, symbol);
            EXPECT_EQ(map ? bpf_map__set_value_size(map, value_size) : -1, 0) << symbol;
        });
    }

    Plan plan_;
};

TEST_F(MapForms, ThoseOfTheCompilerAgree) {
    EXPECT_TRUE(agrees([](bpf_object*) {}));
    EXPECT_TRUE(agrees_with("at_last", BPF_MAP_TYPE_LRU_HASH));
    EXPECT_TRUE(agrees_with("at_n", BPF_MAP_TYPE_LRU_PERCPU_HASH));
}

TEST_F(MapForms, OtherKindsAreRefused) {
    EXPECT_FALSE(agrees_with("at_n", BPF_MAP_TYPE_HASH));
    EXPECT_FALSE(agrees_with("at_last", BPF_MAP_TYPE_PERCPU_HASH));
    EXPECT_FALSE(agrees_with("at_last", BPF_MAP_TYPE_LRU_PERCPU_HASH));
    EXPECT_FALSE(agrees_with("at_all", BPF_MAP_TYPE_ARRAY));
    EXPECT_FALSE(agrees_with("at_one", BPF_MAP_TYPE_PERCPU_ARRAY));
    EXPECT_FALSE(agrees_with("lt_stacks", BPF_MAP_TYPE_PERCPU_HASH));
    EXPECT_FALSE(agrees_with("lt_counter_0", BPF_MAP_TYPE_HASH));
    EXPECT_FALSE(agrees_with("lt_books", BPF_MAP_TYPE_HASH));
    EXPECT_FALSE(agrees_with(plan_.spans.back().symbol.c_str(), BPF_MAP_TYPE_PERCPU_HASH));
}

TEST_F(MapForms, OtherSizesAreRefused) {
    for (const char* symbol : {"at_n", "at_last", "at_all", "at_one", "lt_stacks"})
        EXPECT_FALSE(agrees_with(symbol, 24U)) << symbol;
    EXPECT_FALSE(agrees_with(plan_.spans.back().symbol.c_str(), span_opening_header - 8));
}

}  // namespace
}  // namespace lt
