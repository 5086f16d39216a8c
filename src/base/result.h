// Refusals by the machine: a value, or an Error whose sentence grows on the way up ("cannot attach k:x:
// perf_event_open: ...").
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace lt {

struct Error {
    std::string what;
    std::string hint;       // what the user can do; may be empty
    int code = 0;           // errno if a system call failed, else 0
    std::string line = {};  // where in the script, if it is about the script; empty: unknown
};

// "doing: strerror(code)"
inline Error system_error(const std::string& doing, int code) { return {doing + ": " + std::strerror(code), "", code}; }

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() & { return std::get<0>(state_); }
    const T& operator*() const& { return std::get<0>(state_); }
    T operator*() && { return std::get<0>(std::move(state_)); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }
    const Error& error() const { return std::get<1>(state_); }

    // The same error, as part of a larger operation: "doing: message".
    Error error_in(const std::string& undertaking) const {
        Error e = error();
        e.what = undertaking + ": " + e.what;
        return e;
    }

  private:
    std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace lt
