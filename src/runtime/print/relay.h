// A printer that passes on what it does not print itself.
#pragma once

#include "runtime/print/printer.h"

namespace lt {

class Relay : public Printer {
  public:
    explicit Relay(Printer& next) : next_(next) {}

    void at(std::optional<int64_t> time) override { next_.at(time); }
    void text(std::string_view text) override { next_.text(text); }
    void text(MadeBy by, std::string_view text) override { next_.text(by, text); }
    void complaint(const Complaint& complaint) override { next_.complaint(complaint); }
    void map(const MapContent& content) override { next_.map(content); }
    void open_spans(const OpenSpans& open) override { next_.open_spans(open); }
    void value(const Value& value) override { next_.value(value); }
    void histogram(const Value& samples, SampleHistogram which) override { next_.histogram(samples, which); }
    void maps_follow() override { next_.maps_follow(); }
    void attached(size_t probes) override { next_.attached(probes); }
    void lost(const LossFact& loss) override { next_.lost(loss); }
    void missed(const MissedFact& missed) override { next_.missed(missed); }
    void account(const AccountFact& account) override { next_.account(account); }
    void fact(const Fact& fact) override { next_.fact(fact); }
    void run(const RunFact& run) override { next_.run(run); }
    void flush() override { next_.flush(); }

  protected:
    Printer& next_;
};

}  // namespace lt
