// Where the processes of a container are found.
#pragma once

#include <string>

#include "base/result.h"

namespace lt {

// Where containers are looked for.
struct ContainerPlaces {
    std::string cgroups;                                // the root of cgroup version 2
    std::string docker = "/var/lib/docker/containers";  // ID/config.v2.json
    std::string podman = "/var/lib/containers/storage/overlay-containers/containers.json";
};

// The folder of a container's cgroup. `name` is a name that docker, podman, LXC or systemd's machines know, or an id of
// at least 12 digits.
Result<std::string> container_folder(const std::string& name, const ContainerPlaces& places);

}  // namespace lt
