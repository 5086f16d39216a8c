// Sends the ring buffer's records to the printer, in order, and performs their effects: text, maps printed, cleared or
// zeroed, the end of the run. Decoding is separate from the source of records: the tests' interpreter has no kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/result.h"
#include "recording/recording.h"
#include "runtime/border/plan.h"
#include "runtime/bpf/ring_buffer.h"
#include "runtime/load/object.h"
#include "runtime/maps/maps.h"
#include "runtime/names/naming.h"
#include "runtime/names/stacks.h"
#include "runtime/print/printer.h"
#include "runtime/values/decode.h"
#include "runtime/values/value.h"

namespace lt {

// Operations on the plan's maps, each by index.
struct MapActions {
    std::function<Result<MapContent>(size_t)> read;
    std::function<Result<MapContent>(size_t, std::span<const uint8_t>)> find;  // one key; no entry if it does not exist
    std::function<Status(size_t, bool)> clear;                      // true: only what the last read() returned
    std::function<Status(size_t, bool)> zero;                       // likewise
    std::function<Result<OpenSpans>(size_t)> open;                  // of a span
    std::function<std::vector<Frame>(const Stack&)> frames;         // innermost first
    std::function<std::vector<Frame>(const Stack&)> latest_frames;  // of a stack that was taken just now
    SymbolAt symbol;
};

class Dispatcher {
  public:
    // Plan and printer must outlive it.
    Dispatcher(const Plan& plan, MapActions maps, Printer& printer)
        : plan_(plan), maps_(std::move(maps)), printer_(printer) {}

    // A record, with its percentiles as they are now.
    Result<Event> read(std::span<const uint8_t> record);
    Status handle(std::span<const uint8_t> record, Event event);
    Status handle(std::span<const uint8_t> record);
    // Ends the run after this many results, as exit() does; 0: never.
    void end_after(uint64_t results) { most_results_ = results; }
    bool enough() const { return most_results_ != 0 && results_ >= most_results_; }
    void complain_to(std::FILE* messages, bool warnings) {
        messages_ = messages;
        warnings_ = warnings;
    }
    // Called for snapshot(); may be left unset.
    void on_snapshot(std::function<void(const Trigger&)> take) { snapshot_ = std::move(take); }
    // The time of day minus the monotonic clock, of another machine or time.
    void use_clock(int64_t unix_offset) { unix_offset_ = unix_offset; }
    bool exit_called() const { return exit_called_; }
    // Nothing more is to be read.
    bool is_over() const { return exit_called_ && (!plan_.stops_at_exit || failed_ || enough()); }
    int exit_status() const { return failed_ ? 1 : exit_status_; }
    uint64_t errors() const { return errors_; }  // that the program raised at run time
    bool failed() const { return failed_; }      // there were more errors than allowed
    void forget_exit() { exit_called_ = false; }
    // Delays exit(): while it waits, what follows is still handled.
    void let_exit_wait(bool waits) {
        exit_waits_ = waits;
        exit_called_ = exit_called_ || (!waits && exit_waited_);
    }
    uint64_t commands() const { return commands_; }  // system() commands that were run
    // Until hurry_is_over(), commands start only until `latest`; the rest are counted and reported.
    void hurry(std::chrono::steady_clock::time_point latest) { latest_ = latest; }
    void hurry_is_over();
    Result<MapContent> map(size_t index);        // as print() shows it
    Result<OpenSpans> open_spans(size_t index);  // of a span
    // All that are not empty, as at the end of a run. The error is about the first that cannot be read.
    Status print_maps();
    std::vector<ResultFact> results() const;     // the maps that print_maps() and the programs at the end have printed
    void note_printed() { printed_.emplace(); }  // print_maps() leaves out the maps that are printed from now on

  private:
    Status take(const PlannedEvent& planned, const Event& event);
    Status print_map(size_t index, size_t most = 0, int64_t divisor = 1);
    Status print_entry(const PlannedEvent& planned, std::span<const uint8_t> record);
    void make_readable(const PlannedMap& map, MapContent& content);
    void complain(const Complaint& complaint);
    void act(EventKind kind, const std::string& text);
    void set_option(const std::vector<Value>& values);
    void tell_time(const PlannedEvent& planned, std::vector<Value>& values);
    void name_frames(std::span<Value> values, bool taken_now = false);
    void mark_cut(std::span<Value> values) const;
    Status fill_percentiles(const PlannedEvent& planned, std::span<const uint8_t> record, std::vector<Value>& values);

    const Plan& plan_;
    MapActions maps_;
    Printer& printer_;
    bool exit_called_ = false;
    bool exit_waits_ = false, exit_waited_ = false;
    int exit_status_ = 0;
    uint64_t most_results_ = 0;
    uint64_t results_ = 0;
    uint64_t errors_ = 0;
    bool failed_ = false;
    uint64_t commands_ = 0;
    uint64_t commands_left_ = 0;  // not run: it was too late
    std::optional<std::chrono::steady_clock::time_point> latest_;
    std::optional<std::set<size_t>> printed_;  // maps, since note_printed()
    struct AtEnd {
        size_t entries = 0;
        int64_t divisor = 1;  // of the values as they were printed
    };
    std::map<size_t, AtEnd> at_end_;  // by map: printed_ and those of print_maps()
    std::FILE* messages_ = stderr;
    bool warnings_ = true;  // warnf() prints
    std::function<void(const Trigger&)> snapshot_;
    std::optional<int64_t> unix_offset_;  // empty: that of this moment
};

class Collector {
  public:
    // All must outlive the collector.
    static Result<std::unique_ptr<Collector>> open(const Plan& plan, const LoadedObject& object, Maps& maps,
                                                   Printer& printer, const SymbolStyle& style);

    // Wakes us to read process records; may be null.
    ProcessHistory* history() { return stacks_.symbolizer().history(); }

    // The ring buffer's descriptor, readable when the kernel wakes us; -1: the plan has no events.
    int descriptor() const { return ring_fd_; }

    // Reads the available records, up to a limit, and flushes the printer if there were any; nothing once the run is
    // over.
    enum class Drained : uint8_t { nothing, all, some };
    Drained drain();

    void end_after(uint64_t results) { dispatcher_.end_after(results); }
    bool enough() const { return dispatcher_.enough(); }
    void let_exit_wait(bool waits) { dispatcher_.let_exit_wait(waits); }
    void complain_to(std::FILE* messages, bool warnings) { dispatcher_.complain_to(messages, warnings); }
    void on_snapshot(std::function<void(const Trigger&)> take) { dispatcher_.on_snapshot(std::move(take)); }
    bool exit_called() const { return dispatcher_.exit_called(); }
    bool is_over() const { return dispatcher_.is_over(); }
    int exit_status() const { return dispatcher_.exit_status(); }
    uint64_t errors() const { return dispatcher_.errors(); }
    bool failed() const { return dispatcher_.failed(); }
    const std::optional<Error>& failure() const { return failure_; }

    // Reads all remaining records; slow commands run only within this time.
    void drain_all(std::chrono::milliseconds commands);

    // From hold() on, records are kept; release() processes them. So BEGIN's effects happen once, although a later
    // refusal makes another session run BEGIN again.
    void hold() { held_.emplace(); }
    bool holds_exit();
    void release();
    // A record that did not come through the ring buffer; ignored once the run is over.
    Status take(std::span<const uint8_t> record);

    // Discards what exit() has left unread, and continues with new records.
    void restart();

    Result<MapContent> map(size_t index) { return dispatcher_.map(index); }
    Result<OpenSpans> open_spans(size_t index) { return dispatcher_.open_spans(index); }
    Frame symbol(uint64_t address) { return stacks_.symbol(address, 0); }
    std::string symbol_offset(uint64_t address) { return stacks_.symbolizer().kernel_offset(address); }
    std::vector<uint64_t> stack(uint64_t id, uint64_t process) const { return stacks_.addresses({id, process}); }
    Status print_maps() { return dispatcher_.print_maps(); }
    std::vector<ResultFact> results() const { return dispatcher_.results(); }
    void note_printed() { dispatcher_.note_printed(); }

  private:
    Collector(const Plan& plan, const LoadedObject& object, Maps& maps, Printer& printer, const SymbolStyle& style);
    static int take_next(void* self, void* record, size_t size);
    void keep(std::span<const uint8_t> record);
    bool empties_at_once(std::span<const uint8_t> record) const;
    bool handle(std::span<const uint8_t> record);
    bool held_enough() const { return exit_held_ && !plan_.stops_at_exit; }

    const Plan& plan_;
    Dispatcher dispatcher_;
    Stacks stacks_;
    Printer& printer_;
    bpf::RingBuffer ring_;
    int ring_fd_ = -1;
    uint64_t taken_ = 0;   // records that this drain has read
    bool enough_ = false;  // it has to end
    std::chrono::steady_clock::time_point drain_until_;
    bool discard_ = false;
    struct Held {
        std::vector<uint8_t> record;
        Result<Event> event;
    };
    std::optional<std::vector<Held>> held_;
    bool exit_held_ = false;
    uint64_t errors_held_ = 0;
    std::optional<Error> failure_;
};

}  // namespace lt
