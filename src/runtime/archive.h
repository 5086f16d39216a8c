// Programs and libraries inside of zip archives, as Android's packages have them: "base.apk!/lib/x86_64/libapp.so".
// What is stored uncompressed is mapped from the archive itself, so a uprobe lies in the archive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

// The archive and the name in it; no name: the path is of a plain file.
struct ArchivePath {
    std::string archive;
    std::string name = {};
};
ArchivePath archive_path(std::string_view path);

struct StoredFile {
    uint64_t offset = 0;  // in the archive
    uint64_t size = 0;
};
// The archive is not trusted. An error says what is wrong with it, without its name.
Result<StoredFile> stored_file(int archive, std::string_view name);

}  // namespace lt
