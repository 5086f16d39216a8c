// The texts are of real kernels, shortened; then damaged ones.
#include "driver/triage/readings.h"

#include <gtest/gtest.h>

namespace lt::triage {
namespace {

// Linux 5.10 and later have 17 columns after the name, 4.18 to 5.4 15, older ones 11.
TEST(Readings, diskstats_of_several_kernels) {
    const std::vector<Disk> disks = read_diskstats(
        " 254       0 vda 33056 7170 3232194 16338 33964 30391 5886920 70263 0 13464 90740 7166 65 608776 2072 1689 "
        "2066\n"
        "   7       0 loop0 11 0 50 3 0 0 0 0 0 4 3 0 0 0 0\n"
        "   8       1 sda1 100 2 800 40 50 0 400 60 1 70 100\n");
    ASSERT_EQ(disks.size(), 3u);
    EXPECT_EQ(disks[0].name, "vda");
    EXPECT_EQ(disks[0].major, 254u);
    EXPECT_EQ(disks[0].requests, 33056u + 33964 + 7166 + 1689);
    EXPECT_EQ(disks[0].sectors, 3232194u + 5886920);
    EXPECT_EQ(disks[0].busy_ms, 13464u);
    EXPECT_EQ(disks[0].flight_ms, 90740u);
    EXPECT_EQ(disks[1].requests, 11u);
    EXPECT_EQ(disks[2].minor, 1u);
    EXPECT_EQ(disks[2].flight_ms, 100u);
}

TEST(Readings, diskstats_damaged) {
    EXPECT_TRUE(read_diskstats("").empty());
    EXPECT_TRUE(read_diskstats("254 0 vda 1 2 3\n").empty());
    EXPECT_TRUE(read_diskstats("254 0 vda 1 2 3 4 5 6 7 8 9 x 11\n").empty());
    EXPECT_TRUE(read_diskstats("-1 0 vda 1 2 3 4 5 6 7 8 9 10 11\n").empty());
    EXPECT_TRUE(read_diskstats("254 99999999999 vda 1 2 3 4 5 6 7 8 9 10 11\n").empty());
    EXPECT_TRUE(read_diskstats(std::string(1 << 16, ' ')).empty());
    EXPECT_EQ(read_diskstats("254 0 v\0da 1 2 3 4 5 6 7 8 9 10 11").size(), 0u);
}

TEST(Readings, numbers) {
    const Numbers stat =
        read_numbers("usage_usec 9301\nnr_periods 12\nnr_throttled 7\nthrottled_usec 18446744073709551615\n");
    EXPECT_EQ(stat.at("nr_periods"), 12u);
    EXPECT_EQ(stat.at("throttled_usec"), UINT64_MAX);
    EXPECT_EQ(read_numbers("voluntary_ctxt_switches:\t42\n").at("voluntary_ctxt_switches:"), 42u);
    EXPECT_TRUE(read_numbers("a b c\nx -1\ny 18446744073709551616\n 1\n").empty());
}

TEST(Readings, pairs_of_lines) {
    const Numbers snmp = read_pairs(
        "Ip: Forwarding DefaultTTL InReceives\nIp: 2 64 8121\n"
        "Tcp: RtoAlgorithm MaxConn RetransSegs\nTcp: 1 -1 3\n"
        "TcpExt: SyncookiesSent ListenOverflows\nTcpExt: 0 5\n");
    EXPECT_EQ(snmp.at("Ip.InReceives"), 8121u);
    EXPECT_EQ(snmp.at("Tcp.RetransSegs"), 3u);
    EXPECT_FALSE(snmp.contains("Tcp.MaxConn"));
    EXPECT_EQ(snmp.at("TcpExt.ListenOverflows"), 5u);
    // a missing line of values does not shift the others
    const Numbers broken = read_pairs("Ip: a b\nTcp: x y\nTcp: 1 2\nUdp: p\n");
    EXPECT_EQ(broken.size(), 2u);
    EXPECT_EQ(broken.at("Tcp.y"), 2u);
    EXPECT_EQ(read_pairs("Ip: a b c\nIp: 1 2\n").size(), 2u);
    EXPECT_TRUE(read_pairs("::\n:\nIp:\nIp:\n").empty());
}

TEST(Readings, softirqs_and_interrupts) {
    const Numbers softirqs = read_softirqs(
        "                    CPU0       CPU1       \n          HI:          0          0\n       TIMER:      11655     "
        " 17409\n"
        "      NET_RX:          7          1\n");
    EXPECT_EQ(softirqs.at("TIMER"), 29064u);
    EXPECT_EQ(softirqs.size(), 3u);
    const auto devices = read_interrupts(
        "           CPU0       CPU1       \n  0:         28          0   IO-APIC   2-edge      timer\n"
        " 24:          0       5014  PCI-MSIX-0000:00:03.0 0-edge      virtio0-input.0\nNMI:          1          2   "
        "Non-maskable interrupts\n"
        "ERR:          0\n");
    EXPECT_EQ(devices.at(24), "virtio0-input.0");
    EXPECT_EQ(devices.size(), 2u);
    EXPECT_TRUE(read_interrupts("24: 1 2\n").empty());  // no name
}

TEST(Readings, pressure) {
    const auto pressure = read_pressure(
        "some avg10=73.73 avg60=63.59 avg300=50.70 total=291666160\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=12\n");
    ASSERT_TRUE(pressure);
    EXPECT_EQ(pressure->some_us, 291666160u);
    EXPECT_EQ(pressure->full_us, 12u);
    EXPECT_EQ(read_pressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n")->full_us, 0u);  // cpu before 5.13
    EXPECT_FALSE(read_pressure(""));
    EXPECT_FALSE(read_pressure("some avg10=0.00 total=x\n"));
    EXPECT_FALSE(read_pressure("total=1\n"));
}

TEST(Readings, listening_sockets) {
    EXPECT_EQ(read_listening("  sl  local_address rem_address   st tx_queue\n"
                             "   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
                             "   1: 0100007F:0CEA 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0\n"),
              (std::vector<uint16_t>{3306}));
    EXPECT_EQ(read_listening("   0: 00000000000000000000000001000000:0035 00000000000000000000000000000000:0000 0A\n"),
              (std::vector<uint16_t>{53}));
    EXPECT_TRUE(read_listening("0: 0100007F 00000000:0000 0A\n0: :12345 x 0A\n0: 1:ZZ x 0A\n").empty());
}

TEST(Readings, mounts_of_control_groups) {
    const std::vector<GroupMount> mounts = read_group_mounts(
        "35 24 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:15 - cgroup cgroup rw,cpu,cpuacct\n"
        "30 24 0:26 / /sys/fs/cgroup\\040here rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
        "24 1 0:22 / /proc rw,relatime - proc proc rw\n");
    ASSERT_EQ(mounts.size(), 2u);
    EXPECT_EQ(mounts[0].path, "/sys/fs/cgroup/cpu,cpuacct");
    EXPECT_EQ(mounts[0].controllers, (std::vector<std::string>{"rw", "cpu", "cpuacct"}));
    EXPECT_EQ(mounts[1].path, "/sys/fs/cgroup here");
    EXPECT_TRUE(mounts[1].unified);
    EXPECT_TRUE(read_group_mounts("1 2 3 4 5 6 -\n- - - - - - - -\n").empty());
    EXPECT_TRUE(read_group_mounts("35 24 0:30 / /x\\ rw - cgroup\n").empty());
}

TEST(Readings, limits) {
    const std::vector<IoLimit> limits =
        read_io_max("8:0 rbps=1048576 wbps=max riops=max wiops=20\n8:16 rbps=max wbps=max\n");
    ASSERT_EQ(limits.size(), 1u);
    EXPECT_EQ(limits[0].limits, "rbps=1048576 wiops=20");
    EXPECT_EQ(limits[0].major, 8u);
    EXPECT_EQ(read_throttle_device("7:3 10\n", "riops").at(0).limits, "riops=10");
    EXPECT_TRUE(read_throttle_device("7:3 max\n7 10\n:\n", "riops").empty());
    EXPECT_TRUE(read_io_max("x:0 rbps=1\n8: rbps=1\n8:0\n").empty());
    EXPECT_EQ(read_cpu_max("20000 100000\n")->quota_us, 20000u);
    EXPECT_FALSE(read_cpu_max("max 100000\n"));
    EXPECT_FALSE(read_cpu_max(""));
    EXPECT_FALSE(read_cpu_max("1 0\n"));
}

// The limits on one device are one, or the ranking would count the device's time once for each of them.
TEST(Readings, limits_of_version_1) {
    std::vector<IoLimit> limits;
    for (const char* name : {"rbps", "wbps"})
        for (const IoLimit& limit : read_throttle_device("8:0 1048576\n8:16 20\n", name)) add_limit(limits, limit);
    ASSERT_EQ(limits.size(), 2u);
    EXPECT_EQ(limits[0].limits, "rbps=1048576 wbps=1048576");
    EXPECT_EQ(limits[1].limits, "rbps=20 wbps=20");
    EXPECT_EQ(limits[1].minor, 16u);
}

TEST(Readings, numbers_of_devices) {
    EXPECT_EQ(read_device_number("8:16\n"), uint64_t{8} << 20 | 16);
    EXPECT_FALSE(read_device_number(""));
    EXPECT_FALSE(read_device_number("8:\n"));
}

TEST(Readings, states_of_tasks) {
    EXPECT_EQ(read_task_stat("42 (a) b (c)) D 1 42")->state, 'D');
    EXPECT_EQ(read_task_stat("42 (a) b (c)) D 1 42")->name, "a) b (c)");
    EXPECT_FALSE(read_task_stat(""));
    EXPECT_FALSE(read_task_stat("42 (a)"));
    EXPECT_FALSE(read_task_stat("42 )a( D"));
}

}  // namespace
}  // namespace lt::triage
