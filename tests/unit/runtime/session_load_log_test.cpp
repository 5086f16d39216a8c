// The one line that matters, out of what libbpf says when a load fails.
#include "runtime/load/load_log.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

const char* const refused = R"(libbpf: prog 'begin_0': BPF program load failed: Permission denied
libbpf: prog 'begin_0': -- BEGIN PROG LOAD LOG --
0: R1=ctx() R10=fp0
; return *(int *)bpf_map_lookup_elem(&m, &k); @ t.bpf.c:20
5: (61) r0 = *(u32 *)(r0 +0)
R0 invalid mem access 'map_value_or_null'
processed 6 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
-- END PROG LOAD LOG --
libbpf: prog 'begin_0': failed to load: -13
libbpf: failed to load object 'lt'
)";

const char* const no_place = R"(libbpf: prog 'entry_1': -- BEGIN PROG LOAD LOG --
processed 0 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
-- END PROG LOAD LOG --
libbpf: prog 'entry_1': failed to load: -22
)";

TEST(LoadLog, OfTheVerifier) {
    LoadLog log(refused);
    EXPECT_EQ(log.program(), "begin_0");
    EXPECT_TRUE(log.verified());
    EXPECT_EQ(log.verifier_complaint(), "R0 invalid mem access 'map_value_or_null'");
    EXPECT_EQ(log.line(), "return *(int *)bpf_map_lookup_elem(&m, &k);");
    EXPECT_TRUE(log.verifier().starts_with("0: R1=ctx()"));
    EXPECT_TRUE(log.verifier().ends_with("mark_read 0\n"));
}

TEST(LoadLog, OfThePlace) {
    LoadLog log(no_place);
    EXPECT_EQ(log.program(), "entry_1");
    EXPECT_FALSE(log.verified());
    EXPECT_EQ(log.verifier_complaint(), "");
}

TEST(LoadLog, WithoutVerifier) {
    LoadLog log("libbpf: map 'm': failed to create: Operation not permitted(-1)\n");
    EXPECT_EQ(log.program(), "");
    EXPECT_FALSE(log.verified());
    EXPECT_TRUE(log.verifier().empty());
}

}  // namespace
}  // namespace lt
