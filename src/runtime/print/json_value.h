// Values as JSON, appended to a string. Invalid UTF-8 becomes U+FFFD; everything outside of ASCII is escaped, so that
// no terminal obeys it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/values/buckets.h"
#include "runtime/values/value.h"

namespace lt {

// The version of the member `exponential` of a distribution, see lt(1).
constexpr int exponential_version = 1;

// `plain`: as bpftrace, print an enumeration's value as a number.
void append_json(std::string& out, const Value& value, bool plain = false);
// The samples as printed by hist_log() or hist_linear(): an array of buckets.
void append_buckets(std::string& out, const Value& samples, SampleHistogram which);
void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, const std::vector<std::string>& texts);

// The parts of a key as bpftrace writes them, joined with commas: "bash,3". If there are several, commas and
// backslashes inside a part get a backslash, so that different keys have different texts.
std::string json_key(const std::vector<Value>& parts, bool plain = false);

}  // namespace lt
