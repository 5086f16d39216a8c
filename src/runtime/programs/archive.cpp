// The format is that of PKWARE's APPNOTE.TXT: a record at the end with the position of the directory, an entry for each
// file in the directory, and a header before each file. Archives beyond 4 GiB (zip64) are not supported.
#include "runtime/programs/archive.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace lt {
namespace {

constexpr std::string_view separator = "!/";
constexpr uint32_t end_mark = 0x06054b50, entry_mark = 0x02014b50, header_mark = 0x04034b50;
constexpr size_t end_size = 22, entry_size = 46, header_size = 30;
constexpr size_t most_comment = 0xffff, most_directory = 64 << 20;

std::string bytes_at(int file, uint64_t offset, size_t size) {
    std::string bytes(size, '\0');
    size_t have = 0;
    for (ssize_t n = 1; n > 0 && have < size; have += static_cast<size_t>(std::max<ssize_t>(n, 0)))
        n = ::pread(file, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    bytes.resize(have);
    return bytes;
}

// Little-endian; zero beyond the end.
uint32_t number_at(std::string_view bytes, size_t at, size_t size) {
    uint32_t n = 0;
    for (size_t i = 0; i < size && at + i < bytes.size(); i++)
        n |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
    return n;
}

Error damaged() { return {"is not a zip archive that can be read", "", 0}; }

Result<std::string> directory(int archive) {
    struct stat about{};
    if (::fstat(archive, &about) != 0 || about.st_size < static_cast<off_t>(end_size)) return damaged();
    const auto whole = static_cast<uint64_t>(about.st_size);
    const size_t size = std::min<uint64_t>(whole, end_size + most_comment);
    const std::string tail = bytes_at(archive, whole - size, size);
    for (size_t at = tail.size() < end_size ? 0 : tail.size() - end_size + 1; at-- > 0;) {
        if (number_at(tail, at, 4) != end_mark) continue;
        const uint32_t length = number_at(tail, at + 12, 4), offset = number_at(tail, at + 16, 4);
        if (length > most_directory || offset > whole || length > whole - offset) return damaged();
        return bytes_at(archive, offset, length);
    }
    return damaged();
}

}  // namespace

ArchivePath archive_path(std::string_view path) {
    const size_t at = path.find(separator);
    const bool is_plain = at == path.npos || ::access(std::string(path).c_str(), F_OK) == 0;
    if (is_plain) return {std::string(path)};
    return {std::string(path.substr(0, at)), std::string(path.substr(at + separator.size()))};
}

Result<StoredFile> stored_file(int archive, std::string_view name) {
    const Result<std::string> entries = directory(archive);
    if (!entries) return entries.error();
    for (size_t at = 0; at + entry_size <= entries->size() && number_at(*entries, at, 4) == entry_mark;) {
        const size_t length = number_at(*entries, at + 28, 2);
        const bool is_it = std::string_view(*entries).substr(at + entry_size, length) == name;
        if (!is_it) {
            at += entry_size + length + number_at(*entries, at + 30, 2) + number_at(*entries, at + 32, 2);
            continue;
        }
        if (number_at(*entries, at + 10, 2) != 0)
            return Error{fmt::format("has {} compressed, so no process runs it from there", quoted(name)),
                         "store it uncompressed: `zip -0`", 0};
        const uint64_t header = number_at(*entries, at + 42, 4);
        const std::string own = bytes_at(archive, header, header_size);
        if (own.size() < header_size || number_at(own, 0, 4) != header_mark) return damaged();
        return StoredFile{header + header_size + number_at(own, 26, 2) + number_at(own, 28, 2),
                          number_at(*entries, at + 24, 4)};
    }
    return Error{fmt::format("has no file {}", quoted(name)), "", 0};
}

}  // namespace lt
