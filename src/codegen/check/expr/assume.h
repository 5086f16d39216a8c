// Facts that the checker takes from this machine and that a saved plan needs to find again: offsets of fields, sizes
// and layouts of types. Members that relocation finds are not recorded here.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// Is it a kernel type, whose layout can differ in another kernel?
bool moves(const Type& type);

// Records the position of a parameter of the traced function, or of a field of the tracepoint.
void assume_field(CheckContext& c, const Field& field);

// The same for the arguments up to arg`last`, read by number. Each is read as one word, but an argument of more than
// one word moves those after it.
void assume_arguments(CheckContext& c, uint32_t last);

// Records the type of the traced function's result, or the position of a system call's field `ret`.
void assume_result(CheckContext& c, const KernelFunction& function);

// Records the size of a structure: the distance of elements, the number of bytes that are copied.
void assume_size(CheckContext& c, const Type& type);

// Records the whole layout of a structure, or of the elements of an array. Returns `whole`.
Type assume_layout(CheckContext& c, Type whole);

}  // namespace lt
