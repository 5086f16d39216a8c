// Values as JSON, added to the end of a string. Bytes that are no UTF-8 become U+FFFD; what is not ASCII is escaped, so
// that no terminal obeys it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/buckets.h"
#include "runtime/value.h"

namespace lt {

// `plain`: as bpftrace, an enumeration's value is a number.
void append_json(std::string& out, const Value& value, bool plain = false);
// What hist_log() or hist_linear() shows of samples: an array of buckets.
void append_buckets(std::string& out, const Value& samples, SampleHistogram which);
void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, const std::vector<std::string>& texts);

// The parts of a key as bpftrace writes them, joined with commas: "bash,3". Commas and backslashes inside a part of
// several get a backslash, so that different keys have different texts.
std::string json_key(const std::vector<Value>& parts, bool plain = false);

}  // namespace lt
