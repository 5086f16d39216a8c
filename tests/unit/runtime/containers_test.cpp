// Containers by what docker, podman, LXC and systemd leave on the machine.
#include "runtime/system/containers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/os/mounts.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

class Containers : public testing::Test {
  protected:
    Containers() {
        char name[] = "/tmp/lt-containers.XXXXXX";
        root_ = mkdtemp(name);
        places_ = {root_ + "/cgroup", root_ + "/docker", root_ + "/podman.json"};
        folder("cgroup");
    }
    ~Containers() override { fs::remove_all(root_); }

    std::string folder(const std::string& below) {
        fs::create_directories(root_ + "/" + below);
        return root_ + "/" + below;
    }
    void file(const std::string& below, const std::string& text) { std::ofstream(root_ + "/" + below) << text; }
    std::string found(const std::string& name) {
        const auto folder = container_folder(name, places_);
        return folder ? folder->substr(places_.cgroups.size()) : folder.error().what;
    }

    const std::string id_ = "0123456789ab" + std::string(52, 'c');
    std::string root_;
    ContainerPlaces places_;
};

TEST_F(Containers, DockerByNameAndById) {
    folder("docker/" + id_);
    file("docker/" + id_ + "/config.v2.json", R"({"ID": "x", "Name": "/web"})");
    folder("docker/" + std::string(64, 'd'));
    file("docker/" + std::string(64, 'd') + "/config.v2.json", "{ half of a");
    folder("cgroup/system.slice/docker-" + id_ + ".scope/below-" + id_);
    EXPECT_EQ(found("web"), "/system.slice/docker-" + id_ + ".scope");
    EXPECT_EQ(found("0123456789ab"), "/system.slice/docker-" + id_ + ".scope");
    EXPECT_EQ(found("0123456789a"), "there is no running container `0123456789a`");
    EXPECT_EQ(found("we"), "there is no running container `we`");
}

TEST_F(Containers, PodmanByName) {
    file("podman.json", R"([{"id": ")" + id_ + R"(", "names": ["one", "db"]}, 7, {"names": "db"}])");
    folder("cgroup/machine.slice/libpod-conmon-" + id_ + ".scope");
    folder("cgroup/machine.slice/libpod-" + id_ + ".scope/container");
    EXPECT_EQ(found("db"), "/machine.slice/libpod-" + id_ + ".scope");
}

TEST_F(Containers, MachinesByName) {
    folder("cgroup/lxc.payload.mail");
    folder("cgroup/machine.slice/machine-build.scope/payload");
    EXPECT_EQ(found("mail"), "/lxc.payload.mail");
    EXPECT_EQ(found("build"), "/machine.slice/machine-build.scope");
}

TEST_F(Containers, OlderLxcHasAFolderForAll) {
    folder("cgroup/lxc/old");
    folder("cgroup/lxc.payload/less-old");
    folder("cgroup/lxc.monitor/old");
    folder("cgroup/other/web");
    EXPECT_EQ(found("old"), "/lxc/old");
    EXPECT_EQ(found("less-old"), "/lxc.payload/less-old");
    EXPECT_EQ(found("web"), "there is no running container `web`");
}

TEST_F(Containers, UnitsHaveEscapedNames) {
    folder("cgroup/machine.slice/machine-web\\x2d1.scope");
    folder("cgroup/machine.slice/systemd-nspawn@web-2.service/payload");
    folder("cgroup/machine.slice/systemd-nspawn@web\\x2d3.service");
    folder("cgroup/machine.slice/machine-a\\x2.scope");
    folder("cgroup/a\\x2");
    EXPECT_EQ(found("web-1"), "/machine.slice/machine-web\\x2d1.scope");
    EXPECT_EQ(found("web-2"), "/machine.slice/systemd-nspawn@web-2.service");
    EXPECT_EQ(found("web-3"), "/machine.slice/systemd-nspawn@web\\x2d3.service");
    EXPECT_EQ(found("web"), "there is no running container `web`");
}

// As cgroups do while others look at them.
TEST_F(Containers, FoldersThatDisappearDoNotEndTheWalk) {
    for (const char* name : {"a", "b", "c"}) folder(std::string("cgroup/") + name);
    size_t seen = 0;
    walk_folders(places_.cgroups, [&](const fs::path& each) {
        seen++;
        fs::remove(each);
        return Visit::below;
    });
    EXPECT_EQ(seen, 3u);
    folder("cgroup/d/e");
    std::vector<std::string> names;
    walk_folders(places_.cgroups, [&](const fs::path& each) {
        names.push_back(each.filename());
        return names.size() < 2 ? Visit::below : Visit::end;
    });
    EXPECT_EQ(names, (std::vector<std::string>{"d", "e"}));
}

TEST_F(Containers, MoreThanOneIsNotGuessed) {
    folder("cgroup/a/lxc.payload.mail");
    folder("cgroup/b/lxc.payload.mail");
    EXPECT_EQ(found("mail").substr(0, 34), "`mail` is more than one container:");
}

}  // namespace
}  // namespace lt
