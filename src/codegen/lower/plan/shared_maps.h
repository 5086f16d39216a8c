// Maps that are created on first use, once for the whole program. Each function returns the map's index.
#pragma once

#include "codegen/lower/unit.h"

namespace lt {

// The ring buffer, which carries records to the runtime.
uint32_t ring_map(Unit& unit);
// Makes it large enough for records of this many bytes.
void fit_ring(Unit& unit, uint32_t record);
// Memory for the buffers of functions, at least `size` bytes.
uint32_t frame_map(Unit& unit, uint32_t size);
// The threads that --follow follows.
uint32_t family_map(Unit& unit);
// Where the runtime puts a stuck span for the block of its timeout.
uint32_t stuck_map(Unit& unit);
// Counts openings and closes for each span.
uint32_t books_map(Unit& unit);
constexpr uint32_t book_size = 16;  // u64 opened, u64 closed
// Counts the events that sampling skips.
uint32_t left_out_map(Unit& unit);
// The current generation of each map that has generations.
uint32_t generations_map(Unit& unit);
// Does a span report its longest wait?
bool reports_waits(const Typed& typed);
// For `why`: the threads that have been inside a span, what each CPU is in, and the functions in which threads wait.
uint32_t why_threads_map(Unit& unit);
uint32_t why_cpus_map(Unit& unit);
uint32_t why_places_map(Unit& unit);
// Does the script take snapshots of the flight recorder? Then its own programs write into the recorder, too.
bool keeps_records(const Unit& unit);
struct KeepMaps {
    uint32_t rings, slots;
};
KeepMaps keep_maps(Unit& unit);
// The number of maps that have generations so far.
uint32_t generations(const Unit& unit);

}  // namespace lt
