// The conventions of a script's dialect for a run and its output: one field for each. settings.cpp sets them for each
// dialect; nothing changes them afterwards.
#pragma once

namespace lt {

struct Conventions {
    bool plain_integers = false;      // durations are plain numbers of nanoseconds
    bool c_integers = false;          // conversions of printf() without `l` print 32 bits, as in C
    bool marks_zero = false;          // %#x, %#X and %#o print their prefix before 0, too
    bool announces_attached = false;  // "Attached 2 probes" when tracing begins, which counts BEGIN and END, too
    bool positions = false;           // messages of errorf() and warnf() begin with the position in the script
    // Maps at the end:
    bool parts_maps = false;   // two empty lines come before them
    bool orders_maps = false;  // they are in the order of their names
    bool empty_maps = false;   // those that are empty are printed, too
    // The run:
    bool whole_iterators = false;  // exit() in an iterator ends the run once all objects have been seen
    bool binds_command = false;    // what the kernel can restrict to the process of -c is restricted to it
};

}  // namespace lt
