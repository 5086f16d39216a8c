// The cache of plans: it returns exactly what was kept, or nothing, whoever writes, however damaged, and whenever
// killed.
#include "driver/cache/plan_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "driver/cache/kept_plan.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

class PlanCacheTest : public testing::Test {
  protected:
    PlanCacheTest() {
        ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
        fs::create_directories(folder_);
    }
    ~PlanCacheTest() override {
        fs::remove_all(folder_);
        ::unsetenv("XDG_CACHE_HOME");
    }
    fs::path plans() const { return folder_ / "lt" / "plans"; }
    // The only file.
    fs::path file() const { return fs::directory_iterator(plans())->path(); }
    size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(plans()), {})); }

    const fs::path folder_ = fs::temp_directory_path() / ("lt-cache-" + std::to_string(::getpid()));
};

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator(in), {});
}

void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(PlanCacheTest, FindsWhatWasKeptUnderItsKey) {
    const auto cache = PlanCache::open();
    ASSERT_TRUE(cache);
    EXPECT_FALSE(cache->find("a"));
    cache->keep("a", std::string("one\0two", 7));
    cache->keep("b", "");
    EXPECT_EQ(cache->find("a"), std::string("one\0two", 7));
    EXPECT_EQ(cache->find("b"), "");
    cache->keep("a", "three");
    EXPECT_EQ(PlanCache::open()->find("a"), "three");
    EXPECT_EQ(files(), 2U);
}

TEST_F(PlanCacheTest, ADamagedFileIsNotThere) {
    const auto cache = PlanCache::open();
    cache->keep("key", "value");
    const std::string good = bytes_of(file());
    for (size_t at = 0; at < good.size(); at++) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        write(file(), bad);
        const auto found = cache->find("key");
        EXPECT_TRUE(!found || *found == "value") << at;  // nothing looks at the header's padding
        write(file(), good.substr(0, at));
        EXPECT_FALSE(cache->find("key")) << at;
    }
    write(file(), good);
    EXPECT_EQ(cache->find("key"), "value");
    // the file of another key
    cache->keep("other", "value of another");
    for (const auto& entry : fs::directory_iterator(plans())) write(entry.path(), good);
    EXPECT_FALSE(cache->find("other"));
}

TEST_F(PlanCacheTest, TrustsNobodyElse) {
    PlanCache::open()->keep("key", "value");
    const fs::path kept = file();
    ::chmod(kept.c_str(), 0622);
    EXPECT_FALSE(PlanCache::open()->find("key"));
    ::chmod(kept.c_str(), 0600);
    fs::rename(kept, folder_ / "elsewhere");
    fs::create_symlink(folder_ / "elsewhere", kept);
    EXPECT_FALSE(PlanCache::open()->find("key"));
    fs::remove(kept);
    ::mkfifo(kept.c_str(), 0600);  // nobody waits for it
    EXPECT_FALSE(PlanCache::open()->find("key"));
    ::chmod(plans().c_str(), 0777);
    EXPECT_FALSE(PlanCache::open());
    ::chmod(plans().c_str(), 0700);
    ::chmod((folder_ / "lt").c_str(), 0720);
    EXPECT_FALSE(PlanCache::open());
    ::chmod((folder_ / "lt").c_str(), 0700);
    EXPECT_TRUE(PlanCache::open());
    fs::rename(folder_ / "lt", folder_ / "moved");
    fs::create_directory_symlink(folder_ / "moved", folder_ / "lt");
    EXPECT_FALSE(PlanCache::open());
}

TEST_F(PlanCacheTest, TrustsNoOtherUser) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    PlanCache::open()->keep("key", "value");
    ASSERT_EQ(::chown(file().c_str(), 1, 1), 0);
    EXPECT_FALSE(PlanCache::open()->find("key"));
    ASSERT_EQ(::chown(file().c_str(), 0, 0), 0);
    EXPECT_TRUE(PlanCache::open()->find("key"));
    ASSERT_EQ(::chown(plans().c_str(), 1, 1), 0);
    EXPECT_FALSE(PlanCache::open());
    ASSERT_EQ(::chown(plans().c_str(), 0, 0), 0);
    EXPECT_TRUE(PlanCache::open());
    // He could replace what is in his folder, as with the home of another user.
    ASSERT_EQ(::chown(folder_.c_str(), 1, 1), 0);
    EXPECT_FALSE(PlanCache::open());
}

TEST_F(PlanCacheTest, IsBounded) {
    const auto cache = PlanCache::open();
    for (int i = 0; i < 300; i++) cache->keep("key " + std::to_string(i), "value");
    EXPECT_LE(files(), 128U);
    EXPECT_TRUE(cache->find("key 299"));
    for (int i = 0; i < 8; i++) cache->keep("large " + std::to_string(i), std::string(15 << 20, 'x'));
    uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(plans())) bytes += entry.file_size();
    EXPECT_LE(bytes, uintmax_t{64} << 20);
    cache->keep("too large", std::string(17 << 20, 'x'));
    EXPECT_FALSE(cache->find("too large"));
    EXPECT_TRUE(cache->find("large 7"));
}

std::string numbered(int i) { return std::string(100'000, static_cast<char>('a' + i % 26)); }

// Two processes write while they are killed at any moment.
TEST_F(PlanCacheTest, AKilledWriterLeavesAnOldOrANewValue) {
    const auto cache = PlanCache::open();
    cache->keep("key", numbered(0));
    std::mt19937 random(1);
    for (int round = 0; round < 200; round++) {
        pid_t writers[2] = {};
        for (pid_t& writer : writers) {
            writer = ::fork();
            if (writer != 0) continue;
            for (int i = 0;; i++) cache->keep("key", numbered(i));
        }
        ::usleep(static_cast<useconds_t>(random() % 3000));
        for (const pid_t writer : writers) ::kill(writer, SIGKILL);
        for (const pid_t writer : writers) ::waitpid(writer, nullptr, 0);
        const auto found = cache->find("key");
        ASSERT_TRUE(found);
        ASSERT_EQ(*found, numbered(found->front() - 'a'));
    }
    // What is left of them goes once it is old.
    const timespec old[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    for (const auto& entry : fs::directory_iterator(plans()))
        if (entry.path().filename().string().starts_with("new-")) ::utimensat(AT_FDCWD, entry.path().c_str(), old, 0);
    cache->keep("key", "last");
    EXPECT_EQ(files(), 1U);
}

TEST(KeptPlan, ComesBackAsItWas) {
    KeptPlan kept;
    kept.names["sh"] = "/bin/sh";
    kept.files["/bin/sh"] = "1:2 3 4 5";
    Diag& warning = kept.diags.warning({1, 5}, "a `warning`");
    warning.notes = {{{2, 3}, "a note"}};
    warning.hint = "a hint";
    kept.diags.note({}, "a note of its own");
    kept.saved = {.version = "1", .source = {"-e", "text"}, .plans = {Plan{}}, .releases = {"6.1"}};
    const auto bytes = to_bytes(kept);
    ASSERT_TRUE(bytes);
    const auto again = kept_plan(*bytes, "1");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->names, kept.names);
    EXPECT_EQ(again->files, kept.files);
    EXPECT_EQ(again->diags.all(), kept.diags.all());
    EXPECT_EQ(again->saved.source.text, "text");
    EXPECT_FALSE(kept_plan(*bytes, "2"));
    EXPECT_FALSE(kept_plan(bytes->substr(1), "1"));
    kept.diags.note({}, "no UTF-8: \xff");
    EXPECT_FALSE(to_bytes(kept));
}

}  // namespace
}  // namespace lt
