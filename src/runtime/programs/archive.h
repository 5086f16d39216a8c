// Programs and libraries inside of zip archives, such as Android's packages: "base.apk!/lib/libapp.so". A file that is
// stored uncompressed is mapped from the archive itself, so uprobes go into the archive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

// The archive and the name inside it; no name: the path is that of a plain file.
struct ArchivePath {
    std::string archive;
    std::string name = {};
};
ArchivePath archive_path(std::string_view path);

struct StoredFile {
    uint64_t offset = 0;  // in the archive
    uint64_t size = 0;
};
// The archive is not trusted. The error describes the problem, without the archive's name.
Result<StoredFile> stored_file(int archive, std::string_view name);

}  // namespace lt
