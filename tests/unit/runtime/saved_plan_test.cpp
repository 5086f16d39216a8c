// A plan in a file: what is read is what was written, whatever else the bytes are is one Error, and what a plan assumes
// is asked of the kernel that runs it.
#include "runtime/plan/saved_plan.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <zlib.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>

#include "compile/compile.h"
#include "runtime/plan/saved_rung.h"
#include "runtime/plan/sound.h"

namespace lt {
namespace {

constexpr std::string_view version = "7.0";
constexpr size_t header = 24, sum_at = 12, size_at = 16;

// As much of a plan's forms as fits into one program.
constexpr const char* script = R"(
param slow = 10ms "what is slow"
BEGIN { @s = "text"; @n[comm, pid] = 1; @t = (1, "x"); printf("%d %s\n", pid, comm); print(curtask->comm); }
t:sched:sched_switch /args.prev_pid > 0/ { @[args.prev_comm] = count(); @d[args.next_prio] = dist(nsecs % 100); }
k:vfs_read < @ns = hist(latency); @l = lhist(arg2, 0, 100, 10); @k[kstack] = sum(args.count); >
sc:read > slow < print((args.fd, latency)); printf("%s\n", strftime("%H", nsecs)); print(usym(1)); print(ntop(1)); >
interval:ms:100 { print(@d); clear(@n); exit(); }
)";

std::unique_ptr<Kernel> stock() {
    auto kernel = open_kernel({LT_FAKE_KERNELS "/stock"});
    return kernel ? *std::move(kernel) : nullptr;
}

SavedPlan compiled(Kernel& kernel, const char* text = script) {
    utsname machine{};
    ::uname(&machine);
    SavedPlan saved{std::string(version), machine.machine, {"x.lt", text}};
    saved.releases = {kernel.release()};
    Diags diags;
    CompileOptions options;
    options.resolve.accounts = true;
    saved.plans.push_back(compile(saved.source, kernel, options, diags).plan);
    for (const Diag& d : diags.all()) ADD_FAILURE() << draw(saved.source, d, false);
    return saved;
}

// With a small object: what is in it is libbpf's affair.
SavedPlan small(Kernel& kernel) {
    SavedPlan saved = compiled(kernel);
    saved.plans.front().object.resize(16);
    return saved;
}

void mend(std::string& bytes) {
    const uint64_t size = bytes.size() - header;
    const auto sum = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()) + header, static_cast<size_t>(size)));
    std::memcpy(bytes.data() + sum_at, &sum, sizeof sum);
    std::memcpy(bytes.data() + size_at, &size, sizeof size);
}

std::string with_body(const std::string& bytes, const std::string& body) {
    std::string out = bytes.substr(0, header) + body;
    mend(out);
    return out;
}

TEST(SavedPlan, IsReadAsItWasWritten) {
    const auto kernel = stock();
    const SavedPlan saved = compiled(*kernel);
    const std::string bytes = to_bytes(saved);
    Result<SavedPlan> again = saved_plan(bytes, version);
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(to_bytes(*again), bytes);
    EXPECT_EQ(dump(again->plans.front()), dump(saved.plans.front()));
    EXPECT_EQ(again->plans.front().object, saved.plans.front().object);
    EXPECT_EQ(again->plans.front().assumed, saved.plans.front().assumed);
    EXPECT_EQ(again->source.text, saved.source.text);
    const Status fits = fit(again->plans.front(), *again, 0, *kernel);
    EXPECT_TRUE(fits) << fits.error().what;
}

TEST(SavedPlan, CutShortIsAnError) {
    const auto kernel = stock();
    const std::string bytes = to_bytes(small(*kernel));
    for (size_t size = 0; size < bytes.size(); size++) {
        ASSERT_FALSE(saved_plan(std::string_view(bytes).substr(0, size), version)) << size;
        if (size < header) continue;
        std::string mended = bytes.substr(0, size);
        mend(mended);
        ASSERT_FALSE(saved_plan(mended, version)) << size;
    }
}

TEST(SavedPlan, ChangedIsAnErrorOrAPlan) {
    const auto kernel = stock();
    const std::string bytes = to_bytes(small(*kernel));
    std::mt19937 random(1);
    for (size_t at = 0; at < bytes.size(); at++) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
        ASSERT_FALSE(saved_plan(changed, version)) << at;
        if (at < header) continue;
        mend(changed);
        Result<SavedPlan> read = saved_plan(changed, version);  // whichever, but no crash
        if (!read) continue;
        for (Plan& plan : read->plans) {
            dump(plan);
            (void)fit(plan, *read, 0, *kernel);
        }
    }
}

TEST(SavedPlan, WhatNobodyWritesIsAnError) {
    const auto kernel = stock();
    const std::string bytes = to_bytes(small(*kernel));
    const std::string deep(1 << 20, '\x81'), texts(1 << 20, '\x7f'), binaries(1 << 20, '\x5f'), tags(1 << 20, '\xc1');
    const std::string many("\x9b\xff\xff\xff\xff\xff\xff\xff\xff", 9),
        long_text("\x7b\x7f\xff\xff\xff\xff\xff\xff\xff", 9);
    const std::string map("\xbb\x80\x00\x00\x00\x00\x00\x00\x01\x61\x61\x01", 12),
        number("\xfb\x7f\xf0\0\0\0\0\0\0", 9);
    for (const std::string& body : {deep, texts, binaries, tags, many, long_text, map, number, std::string("\xa0"),
                                    std::string("\xf6"), std::string("\xff"), std::string()}) {
        const Result<SavedPlan> read = saved_plan(with_body(bytes, body), version);
        ASSERT_FALSE(read);
        EXPECT_FALSE(read.error().what.empty());
    }
}

TEST(SavedPlan, OfAnotherVersionOrFormIsRefused) {
    const auto kernel = stock();
    std::string bytes = to_bytes(small(*kernel));
    const auto other = saved_plan(bytes, "8.0");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().what, "it was saved by lt 7.0, and this is lt 8.0");
    bytes[8]++;
    const auto format = saved_plan(bytes, version);
    ASSERT_FALSE(format);
    EXPECT_EQ(format.error().what, "it has format 7, and this lt reads format 6");
}

TEST(SavedPlan, ThatPointsNowhereIsRefused) {
    const auto kernel = stock();
    const SavedPlan good = small(*kernel);
    ASSERT_TRUE(sound(good.plans.front())) << sound(good.plans.front()).error().what;
    const auto refused = [&](auto change) {
        Plan plan = good.plans.front();
        change(plan);
        return !sound(plan);
    };
    EXPECT_TRUE(refused([](Plan& p) { p.maps[0].key_size++; }));
    EXPECT_TRUE(refused([](Plan& p) { p.maps[0].value.size = 3, p.maps[0].value.kind = Kind::integer; }));
    EXPECT_TRUE(refused([](Plan& p) { p.probes[0].rungs.clear(); }));
    EXPECT_TRUE(refused([](Plan& p) { p.probes[0].of_span = 9; }));
    const auto waits_for = [](int signal) {
        return [signal](Plan& p) { p.probes[0].when = When::signal, p.probes[0].signal = signal; };
    };
    EXPECT_TRUE(refused(waits_for(SIGALRM)));  // what runs several scripts does not block it to its end
    EXPECT_FALSE(refused(waits_for(SIGUSR2)));
    EXPECT_TRUE(refused([](Plan& p) { p.events[0].size = 4; }));
    EXPECT_TRUE(refused([](Plan& p) { p.events[0].divisor = 0; }));
    EXPECT_TRUE(refused([](Plan& p) { p.events[0].kind = EventKind::map, p.events[0].map = 99; }));
    EXPECT_TRUE(refused([](Plan& p) { p.losses[0] = {LossKind::map_full, 99}; }));
    EXPECT_TRUE(refused([](Plan& p) { p.params[0].offset = 1 << 20; }));
    EXPECT_TRUE(refused([](Plan& p) { p.param_bytes.clear(); }));
    EXPECT_TRUE(refused([](Plan& p) { p.params[0].type = string_type(8); }));  // a text that is set has 64 bytes
    EXPECT_TRUE(refused([](Plan& p) { p.spans.clear(); }));
    EXPECT_TRUE(refused([](Plan& p) { p.counters.emplace_back(); }));
    EXPECT_TRUE(refused([](Plan& p) { p.assumed[0].type = Type{Kind::array, 8}; }));
    EXPECT_TRUE(refused([](Plan& p) { p.assumed[0].type = array_type(Type{}, 0); }));
    EXPECT_TRUE(refused([](Plan& p) { p.assumed[0].type = pointer_type(Type{Kind::tuple, 8}); }));
    EXPECT_TRUE(refused([](Plan& p) { p.assumed.push_back({Assumed::feature, "", "", {}, feature_count}); }));
    // a histogram of a value that is none: its buckets would be read after the record
    EXPECT_TRUE(refused([](Plan& p) {
        const auto event = std::ranges::find(p.events, EventKind::value, &PlannedEvent::kind);
        event->kind = EventKind::histogram;
        event->fields[0].type.aggregation = Aggregation::hist;
    }));
}

// The word of the last bit field ends after the structure; a field has no more bits than its word, which is a number.
TEST(SavedPlan, BitFieldsLieInTheirStructure) {
    const auto kernel = stock();
    const SavedPlan saved = compiled(
        *kernel,
        "struct __attribute__((packed)) s { uint16_t a; uint32_t b : 11; }; BEGIN { print(*(struct s *)curtask); }");
    Plan plan = saved.plans.front();
    EXPECT_TRUE(sound(plan)) << sound(plan).error().what;
    Member* last = nullptr;
    for (PlannedEvent& event : plan.events)
        for (EventField& field : event.fields)
            if (field.type.kind == Kind::structure) last = &field.type.shape->members.back();
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->bit_size, 11);
    const uint8_t begin = std::exchange(last->bit_offset, uint8_t{22});
    EXPECT_FALSE(sound(plan));
    last->bit_offset = begin;
    EXPECT_TRUE(sound(plan));
    last->type = string_type(100);
    EXPECT_FALSE(sound(plan));
}

// What is told of a plan in which one thing is otherwise than here.
std::string told(Kernel& kernel, const char* text, Assumed what, void (*change)(Assumption&),
                 KernelTypes types = KernelTypes::looked_up) {
    SavedPlan saved = compiled(kernel, text);
    Plan& plan = saved.plans.front();
    for (Assumption& a : plan.assumed) {
        if (a.what != what) continue;
        change(a);
        const Status fits = fit(plan, saved, 0, kernel, types);
        return fits ? "it fits" : fits.error().what;
    }
    return "nothing of this is assumed";
}

TEST(SavedPlan, IsRefusedWhereTheKernelDiffers) {
    const auto kernel = stock();
    const auto other_number = [](Assumption& a) { a.number += 8; };
    const auto other_type = [](Assumption& a) { a.type.size *= 2; };
    EXPECT_EQ(told(*kernel, "t:sched:sched_switch { print(args.prev_state); }", Assumed::field, other_number),
              "t:sched:sched_switch: prev_state is at 32 here, and was at 40 when the plan was made");
    EXPECT_EQ(told(*kernel, "k:vfs_read { print(args.count); }", Assumed::parameter, other_number),
              "k:vfs_read: count is arg2 here, and was arg10 when the plan was made");
    EXPECT_EQ(told(*kernel, "kr:vfs_read { print(retval); }", Assumed::result, other_type),
              "the result of vfs_read is i64 here, and was i128 when the plan was made");
    EXPECT_EQ(told(*kernel, "BEGIN { print(curtask->prio); }", Assumed::member, other_type),
              "struct task_struct: prio is i32 here, and was i64 when the plan was made");
    EXPECT_EQ(told(*kernel, "BEGIN { print(sizeof(struct qstr)); }", Assumed::size, other_number),
              "struct qstr has 16 bytes here, and had 24 when the plan was made");
    EXPECT_EQ(told(*kernel, "BEGIN { print(offsetof(struct qstr, name)); }", Assumed::offset, other_number),
              "struct qstr: name is at 8 here, and was at 16 when the plan was made");
    EXPECT_EQ(told(*kernel, "BEGIN { print(curtask->load); }", Assumed::layout,
                   [](Assumption& a) { a.type.shape->members[1].offset = 12; }),
              "struct load_weight.inv_weight is at 8 here, and was at 12 when the plan was made");
    EXPECT_EQ(told(*kernel, "interval:ms:9 { while (pid < 3) { } }", Assumed::feature,
                   [](Assumption& a) { a.number = static_cast<uint64_t>(Feature::uprobe_session); }),
              "the plan needs uprobe_session: this kernel has no uprobe sessions (Linux 6.13)");
    EXPECT_EQ(told(*kernel, "k:vfs_read { @[pid] = count(); }", Assumed::kernel_ids, [](Assumption&) {}), "it fits");
    EXPECT_EQ(told(*kernel, "u:/bin/program:main { @[ustack] = count(); }", Assumed::kernel_ids, [](Assumption&) {}),
              "it fits");
    EXPECT_EQ(
        told(*kernel, "t:sched:sched_wakeup { @[comm(args.pid)] = count(); }", Assumed::kernel_ids, [](Assumption&) {}),
        "it fits");
    EXPECT_EQ(told(*kernel, "k:vfs_read { @[comm] = count(); }", Assumed::kernel_ids, [](Assumption&) {}),
              "nothing of this is assumed");
    EXPECT_EQ(
        told(*kernel, "u:/bin/program:main+4 { print(1); }", Assumed::file, [](Assumption& a) { a.name = "other"; })
            .substr(0, 22),
        "/bin/program is build ");
}

// A plan from the cache, whose key names the boot and the modules.
TEST(SavedPlan, TypesOfTheSameKernelAreNotLookedUp) {
    const auto kernel = stock();
    const auto other_number = [](Assumption& a) { a.number += 8; };
    const auto other_type = [](Assumption& a) { a.type.size *= 2; };
    constexpr KernelTypes same = KernelTypes::same;
    EXPECT_EQ(told(*kernel, "BEGIN { print(curtask->prio); }", Assumed::member, other_type, same), "it fits");
    EXPECT_EQ(told(*kernel, "k:vfs_read { print(args.count); }", Assumed::parameter, other_number, same), "it fits");
    EXPECT_EQ(told(*kernel, "t:sched:sched_switch { print(args.prev_state); }", Assumed::field, other_number, same),
              "t:sched:sched_switch: prev_state is at 32 here, and was at 40 when the plan was made");
}

TEST(SavedPlan, PlacesAreOfTheKindThatTheirWayAttachesTo) {
    for (const WayRow& row : way_rows()) {
        const SavedAttachment any{.program = "p", .function = "f", .event = "e", .number = 1, .table = "t"};
        const Rung rung = from_saved({row.way, "", {any}});
        const size_t kind = rung.attachments.front().site.index();
        EXPECT_EQ(kind, row.way == Way::system_call ? Site(CallSite{}).index() : static_cast<size_t>(row.site))
            << row.name;
    }
}

uint64_t& number(Attachment& a) {
    auto* const program = std::get_if<ProgramSite>(&a.site);
    return program ? program->offset : std::get<TracepointSite>(a.site).id;
}

TEST(SavedPlan, TakesWhatOtherMachinesNumberOtherwise) {
    const auto kernel = stock();
    SavedPlan saved =
        compiled(*kernel, "t:sched:sched_switch { @n = sum(args.prev_state); } u:/bin/program:main { @ = count(); }");
    Plan& plan = saved.plans.front();
    std::vector<uint64_t> before;
    for (PlannedProbe& probe : plan.probes)
        for (Rung& rung : probe.rungs)
            for (Attachment& a : rung.attachments) before.push_back(std::exchange(number(a), 7));
    const Status fits = fit(plan, saved, 0, *kernel);
    ASSERT_TRUE(fits) << fits.error().what;
    std::vector<uint64_t> after;
    for (PlannedProbe& probe : plan.probes)
        for (Rung& rung : probe.rungs)
            for (Attachment& a : rung.attachments) after.push_back(number(a));
    EXPECT_EQ(after, before);  // the id, and the offset in a file whose build nobody knows
}

}  // namespace
}  // namespace lt
