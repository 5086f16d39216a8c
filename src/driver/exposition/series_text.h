// The lines of one series, which both text forms have in common.
#pragma once

#include <string>

#include "driver/exposition/metrics.h"

namespace lt {

struct TextForm {
    std::string (*bound)(double bound);
    // Do sums of negative numbers, which are not counters, stand here? A histogram has its count only beside its sum.
    bool sums_negative;
    bool exemplars;  // are there any in this form?
};

// The index of the bucket of a histogram that its exemplar is in; the last one has no bound.
size_t exemplar_bucket(const Family& family, const Exemplar& exemplar);
// The labels of an exemplar with those of its trace, cut to the characters that an exemplar may have.
Labels exemplar_labels(const Exemplar& exemplar);

void append_series(std::string& out, const Family& family, const MetricSeries& series, const TextForm& form);

}  // namespace lt
