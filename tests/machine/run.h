// Runs hand-written instructions as the program "main", and says what came of it in one comparable value.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>

#include "machine/assemble.h"
#include "machine/world/machine.h"

namespace lt::machine {

inline Machine machine_of(Assembler& a, unsigned cpus = 1) {
    auto m = Machine::create(a.object(), cpus);
    if (!m) throw std::runtime_error(m.error().what);
    return std::move(*m);
}

inline Result<uint64_t> run_code(const std::vector<Instruction>& code, std::span<const uint8_t> context = {}) {
    Assembler a;
    a.function("main") << code;
    return machine_of(a).run("main", context);
}

inline testing::AssertionResult returns(uint64_t expected, const Result<uint64_t>& result) {
    if (!result) return testing::AssertionFailure() << result.error().what;
    if (*result == expected) return testing::AssertionSuccess();
    return testing::AssertionFailure() << std::hex << *result << " instead of " << expected;
}

inline testing::AssertionResult refuses(std::string_view reason, const Result<uint64_t>& result) {
    if (result) return testing::AssertionFailure() << "returned " << std::hex << *result;
    if (result.error().what.find(reason) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << result.error().what;
}

inline uint64_t negative(int code) { return static_cast<uint64_t>(-int64_t{code}); }

template <class T>
Bytes bytes_of(T value) {
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    return Bytes(first, first + sizeof value);
}

}  // namespace lt::machine
