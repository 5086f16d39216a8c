// Finds the cgroup of a container.
#pragma once

#include <string>

#include "base/result.h"

namespace lt {

// Where to look for containers.
struct ContainerPlaces {
    std::string cgroups;                                // the root of cgroup version 2
    std::string docker = "/var/lib/docker/containers";  // ID/config.v2.json
    std::string podman = "/var/lib/containers/storage/overlay-containers/containers.json";
};

// The cgroup folder of a container. `name` is a name that docker, podman, LXC or systemd-machined knows, or an id of at
// least 12 digits.
Result<std::string> container_folder(const std::string& name, const ContainerPlaces& places);

}  // namespace lt
