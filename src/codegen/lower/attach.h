// The attachments of a body's programs.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// The attachments of one of the body's programs: one for each location that it serves, and one for each exit of a
// function whose returns are found by decoding. Also records what the plan assumes about the files of those locations.
std::vector<Attachment> attachments(const BodyContext& c, const std::string& program, bool at_return);

}  // namespace lt
