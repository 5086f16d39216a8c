// Tracepoints and the list of functions that ftrace can hook, read from tracefs. Listing does not open format files:
// there are tens of thousands of fields, and only a few are needed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_index.h"
#include "base/result.h"
#include "runtime/border/kernel.h"
#include "runtime/os/mounts.h"

namespace lt {

// The fields in a tracepoint's format file, without the common ones (common_*).
Result<std::vector<Field>> parse_format(std::string_view text, std::string_view category);

// A set of names, one per line, as the kernel lists functions: "name" or "name [module]".
class FunctionList {
  public:
    explicit FunctionList(std::string text);
    bool has(std::string_view name) const;
    bool empty() const { return names_.empty(); }

  private:
    struct Place {
        uint32_t begin, length;
    };
    std::string_view name_of(uint32_t i) const {
        return std::string_view(text_).substr(names_[i].begin, names_[i].length);
    }
    std::string text_;
    std::vector<Place> names_;
    NameIndex index_;
};

class Tracefs {
  public:
    explicit Tracefs(Folder folder) : folder_(std::move(folder)) {}

    Result<Tracepoint> tracepoint(std::string_view category, std::string_view event) const;
    // "category:event", sorted.
    std::vector<std::string> tracepoints(std::string_view category_pattern, std::string_view event_pattern) const;
    // No value if the kernel's list cannot be read.
    std::optional<bool> can_trace(std::string_view function);

  private:
    Folder folder_;
    bool read_ = false;
    std::optional<FunctionList> functions_;
};

}  // namespace lt
