// From the typed tree to IR and plan. `Unit` collects what the whole program shares; `BodyLowering` makes the functions
// of one Body.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diag.h"
#include "builder.h"
#include "codegen/compile.h"
#include "exclusive.h"
#include "operators.h"

namespace lt {

// Of the ring buffer, in bytes: for programs that print as they run, and for those whose records are few.
constexpr uint32_t large_ring = 4 << 20;
constexpr uint32_t small_ring = 64 << 10;

// In an opening of a span: the frame (between two events: the thread), then the time.
constexpr uint32_t frame_offset = 0;
constexpr uint32_t time_offset = 8;

class Unit {
  public:
    Unit(const ast::Program& program, const Typed& typed, const Source& source, Diags& diags);
    ir::Program take();
    // What has no name that could be asked for elsewhere.
    void compiled_in();
    // `by_symbol`: nothing of the file is compiled in but where a function begins.
    void assume_file(const std::string& path, bool by_symbol);

    uint32_t text(std::string bytes, uint32_t size);  // padded with zeros to `size`; the same text once only
    uint32_t zeros(uint32_t size) { return text("", size); }
    uint32_t event(PlannedEvent event);
    const PlannedEvent& planned(uint32_t event) const { return out_.plan.events[event]; }
    uint32_t loss(LossKind kind, uint32_t subject);
    uint32_t error(PlannedError error);     // the same once only
    uint32_t relocation(ir::Relocation r);  // the same once only
    uint32_t family();                      // the map of the threads that --follow follows
    uint32_t stuck();                       // the map in which the runtime hands over a span that is stuck
    void timeout(PlannedTimeout t) { out_.plan.timeouts.push_back(std::move(t)); }
    uint32_t stacks();               // the map that keeps stacks
    uint32_t stack_scratch();        // and the one in which they are taken
    uint32_t scratch();              // a map with room for what does not fit on the stack
    uint32_t frames(uint32_t size);  // the map with room for buffers that do not fit on the stack, that large at least
    uint32_t books();                // the map that counts what was opened and closed
    uint32_t left_out();             // the map that counts what sampling leaves out
    PlannedGate new_gate();
    bool has_loops() const { return loops_; }
    uint32_t ring_size() const;
    uint32_t counter(const PerfEvent& event, std::string name);  // the map of its counts; the same once only
    uint32_t generations();                                      // the map that says into which one programs collect
    uint32_t session(SessionValue what);                         // where it lies among the parameters
    uint32_t ring();       // the ring buffer's index among the maps; made when first asked for
    uint32_t new_stack();  // the event that tells of a program's stack
    PlannedMap& map(uint32_t i) { return out_.plan.maps[i]; }
    ir::Function& function(std::string name);
    PlannedProbe& probe(const ResolvedPlace& place);
    PlannedProbe& pattern(const Body& body);  // of many system calls that are called by number, of which this is one
    uint32_t call_table(const std::string& symbol);  // the programs of calls by number

    // A value frozen at the opening of a span: an argument, or the expression of entry().
    struct Frozen {
        std::string source;  // the same text is frozen once
        ast::ExprId expr;
        bool in_memory = false;  // else a number
        uint32_t offset = 0;     // in the opening
        uint32_t room = 8;       // bytes, a multiple of 8
    };
    struct SpanLayout {
        uint32_t map = 0;
        std::vector<Frozen> frozen;
    };
    const SpanLayout& layout(uint32_t span) const { return layouts_[span]; }
    PlannedSpan& span(uint32_t i) { return out_.plan.spans[i]; }
    uint32_t param(uint32_t i) const { return out_.plan.params[i].offset; }
    uint32_t spans() const { return static_cast<uint32_t>(out_.plan.spans.size()); }
    PlannedProbe& internal_probe(std::string text);
    // A body that was to be run by lt, but asks what only the kernel knows.
    void leave_to_kernel(size_t body) { kernel_bodies_.push_back(body); }
    const std::vector<size_t>& kernel_bodies() const { return kernel_bodies_; }
    uint32_t handed(uint32_t key_size);  // the map in which lt hands over what is to be added to a key
    void walk(std::string name) { out_.plan.walk = std::move(name); }

    const ast::Program& program;
    const Typed& typed;
    const Source& source;
    Diags& diags;
    const Exclusive exclusive;

  private:
    struct Pattern {  // no call is in it twice
        const Body* first = nullptr;
        size_t probe = 0;                                // index into Plan::probes
        std::set<std::pair<uint32_t, bool>> calls = {};  // their numbers, and whether it is their end
    };
    void plan_param(const ParamInfo& info);
    void plan_map(const MapInfo& info);
    void plan_span(const SpanInfo& info);
    ir::Program out_;
    std::vector<Pattern> patterns_;
    std::vector<SpanLayout> layouts_;  // indexed as Plan::spans
    std::optional<uint32_t> books_;
    std::optional<uint32_t> left_out_;
    uint32_t gates_ = 0;
    std::optional<uint32_t> scratch_;
    std::optional<uint32_t> frames_;
    std::optional<uint32_t> stacks_;
    std::optional<uint32_t> new_stack_;
    std::optional<uint32_t> stuck_;
    std::optional<uint32_t> ring_;
    std::optional<uint32_t> handed_;
    std::optional<uint32_t> family_;
    bool prints_ = false;
    bool loops_ = false;
    bool has_host_ = false;
    std::vector<size_t> kernel_bodies_;
    uint32_t generations_ = 0;  // maps that have any
    std::optional<uint32_t> generations_map_;
    std::vector<bool> counted_;  // by map, see only_counted()
};

// What a span asks to be frozen is known by its text: "arg2", "args.count"; that of entry() by its place. Empty: it is
// not frozen.
std::string frozen_source(const ast::Program& program, ast::ExprId id, bool between_events);

// Programs that keep the map of those whom --follow follows (lower_traced.cpp).
void family(Unit& unit);

// Notes in a value when its key came, where the map keeps that and nothing stands there yet (lower_maps.cpp).
void note_arrival(Builder& b, const PlannedMap& map, ir::Value slot);

// Openings of threads that end are counted, not forgotten.
void thread_exits(Unit& unit);

// Programs that add to a map what blocks that lt runs count up (lower_host.cpp).
void additions(Unit& unit);

// What is open in the storage of tasks is found by walking over all of them.
void open_spans(Unit& unit);

// What a record gets for one value of print() or printf(): an integer, bytes to copy, or nothing.
struct RecordPart {
    ir::Value value = ir::no_value;
    uint32_t room = 8;
    bool bytes = false;
};

// What lies on top of the kernel's own stack: our program, with its loops, and the trampoline or function that called
// it.
int64_t frames_on_top(Way way, const Builder& b);

class BodyLowering {
  public:
    BodyLowering(Unit& unit, const Body& body) : unit_(unit), body_(body), program_(unit.program) {}
    void run();

  private:
    // lower.cpp: functions
    void action(const ast::Action& node, PlannedProbe& probe, Rung& rung);
    // lower_span.cpp; with keys: lower_pair.cpp
    void span(const ast::SpanAction& node, Rung& rung);
    std::vector<Attachment> session(const std::string& open, const std::string& close);
    void open_call(const ast::SpanAction& node, const std::string& name, Way way);
    void close_call(const ast::SpanAction& node, const std::string& name, Way way);
    void open_pair(const ast::SpanAction& node, const std::string& name, Way way);
    ir::Value reopened(ir::Value key);
    void keep_opening(ir::Value key);
    void drop_opening(ir::Value key);
    void close_pair(const ast::SpanAction& node, const std::string& name, Way way);
    void close_key(const ast::SpanAction& node);
    void begin_close(const std::string& name, Way way, bool at_return);
    void freeze(ir::Value opening);
    void make_thawed();
    void thaw(ir::Value opening);
    void close(const ast::SpanAction& node, ir::Value opened);
    void timeout(const ast::Timeout& node);
    const std::vector<LocalInfo>& locals() const {
        return stuck_ == ir::no_value ? body_.locals : body_.timeout_locals;
    }
    void if_opens(const ast::SpanAction& node, const std::function<void()>& work,
                  const std::function<void()>& refused = {});
    // Losses, as constants.
    struct Unmatched {
        ir::Value no_entry, no_room, unmeasured;
    };
    Unmatched unmatched(const ast::SpanAction& node);
    ir::Value thread_opening(ir::Value thread);
    ir::Value closed_opening(ir::Value thread, const Unmatched& none);
    ir::Value thread_state(uint32_t span, bool make);
    ir::Value span_key(uint32_t span, const std::vector<ast::ExprId>& parts, size_t first);
    ir::Value age(ast::ExprId id, const ast::Call& node);
    void book(uint32_t offset);
    void skip_call();
    std::optional<size_t> frozen(ast::ExprId id) const;
    size_t number() const { return static_cast<size_t>(&body_ - unit_.typed.bodies.data()); }

    // lower_gate.cpp
    void gate(const std::function<void()>& work, const std::function<void()>& otherwise = {});

    // lower.cpp
    ir::Function& begin(const std::string& name, Way way, bool at_return);
    void finish(Span where);
    void make_locals();
    void unless_stopped(const std::function<void()>& work);
    ir::Value is_traced();
    ir::Value is_accepted();
    void where_traced(const std::function<void()>& work);
    // lower_system_calls.cpp
    bool at_calls_end(bool at_return) const;
    Attachment system_calls(Attachment a) const;
    ir::Value is_wide_call();
    void call_by_number(std::vector<Attachment> all, Rung& rung);
    Attachment all_calls(const std::string& table, bool at_return);
    void where_called(const std::function<void()>& work);
    ir::Value place_index();
    ir::Value call_field(const Field& field);
    ir::Value marker_argument(const MarkerArgument& argument);
    ir::Value user_mode();
    std::vector<Attachment> attachments(const std::string& program, bool at_return) const;
    Attachment attachment(const std::string& program, bool at_return) const;
    void assume_file(const UserFunction& f) const;
    static Attachment attachment(const Tracepoint& event, Attachment a);

    // lower_stmt.cpp
    void block(const ast::Block& block);
    std::optional<uint32_t> map_printed_by(const ast::Stmt& stmt) const;
    void statement(const ast::Stmt& stmt);
    void statement(const ast::Stmt& stmt, const ast::Evaluate& node);
    void statement(const ast::Stmt& stmt, const ast::Assign& node);
    void statement(const ast::Stmt& stmt, const ast::If& node);
    void assign_map(const ast::Assign& node, const ast::Map& target, uint32_t map);
    void assign_local(const ast::Assign& node, uint32_t local);
    void set_local(uint32_t local, ast::ExprId value);
    void set_local(uint32_t local, ir::Value number);

    // lower_flow.cpp: loops, blocks and what is declared in them
    void statement(const ast::Stmt& stmt, const ast::Return& node);
    void statement(const ast::Stmt& stmt, const ast::Let& node);
    void statement(const ast::Stmt& stmt, const ast::Scope& node);
    void statement(const ast::Stmt& stmt, const ast::While& node);
    void statement(const ast::Stmt& stmt, const ast::ForRange& node);
    void statement(const ast::Stmt& stmt, const ast::ForMap& node);
    void statement(const ast::Stmt& stmt, const ast::Unroll& node);
    void statement(const ast::Stmt& stmt, const ast::Jump& node);
    void statement(const ast::Stmt& stmt, const ast::Attempt& node);
    void statement(const ast::Stmt& stmt, const ast::Raise& node);
    void turn(const ast::Block& body);
    ir::Value integer_of(ast::ExprId id, const ast::Step& node);
    ir::Value integer_of(ast::ExprId id, const ast::Positional& node);
    ir::Value integer_of(ast::ExprId id, const ast::BlockValue& node);
    ir::Value integer_of(ast::ExprId id, const ast::AnyPart& node);
    ir::Value integer_of(ast::ExprId id, const ast::Defined& node);
    void run_block(const ast::BlockValue& node);
    ir::Value step_map(ast::ExprId id, const ast::Step& node, uint32_t map);
    ir::Value pair_integer(const PairUse& use);
    void pair_into(const PairUse& pair, ir::Value to, uint32_t room);
    ir::Value pair_bytes(const PairUse& use);
    ir::Value folded(uint32_t map, ir::Value key);
    ir::Value folded_word(uint32_t map, ir::Value key, uint32_t offset);
    ir::Value folded_extreme(uint32_t map, ir::Value key);
    ir::Value folded_most(uint32_t map, ir::Value key, uint32_t offset);
    uint32_t declared(const ast::Stmt& stmt) const {
        return body_.declared[static_cast<size_t>(&stmt - program_.stmts.data())];
    }
    void store_value(uint32_t map, ir::Value key, ast::ExprId value, Span where);
    void collect(uint32_t map, ir::Value key, const FunctionRow& row, const ast::Call& call, Span where);
    void collect_series(uint32_t map, ir::Value slot, ir::Value value);
    ir::Value in_generation(uint32_t map, ir::Value key, ir::Value words);
    void update(uint32_t map, ir::Value slot, const FunctionRow& row, const ast::Call& call);
    ir::Value alone(uint32_t map);
    void with_slot(uint32_t map, ir::Value key, Span where, const std::function<void(ir::Value)>& use);
    ir::Value key_of(uint32_t map, const ast::Map& node);
    void call(const ast::Call& node);
    void clear(const ast::Call& node);
    void zero(const ast::Call& node);
    void removals(const ast::Call& node);
    RecordPart record_part(ast::ExprId id, EventField& field);
    void print_entry(uint32_t map, ir::Value key);
    RecordPart percentile_part(const ast::Call& node, EventField& field);
    void emit_event(PlannedEvent event, const std::vector<ast::ExprId>& values, bool wake = false);
    // lower_record.cpp
    ir::Value wake_flags(bool wake);
    void write_record(uint32_t event, const std::vector<RecordPart>& parts, bool wake);
    void write_long_record(uint32_t event, const std::vector<RecordPart>& parts, uint32_t most, bool prints, bool wake);
    void print(const ast::Call& node);
    void printf(const ast::Call& node);
    ir::Value remove(ast::ExprId map);
    ir::Value is_set(ast::ExprId map);
    ir::Value has_key(ast::ExprId id, const ast::Call& node);
    ir::Value length(ast::ExprId id, const ast::Call& node);
    void exit(const ast::Call& node);

    // lower_host.cpp: in a block that lt runs
    bool on_host() const { return way_ == Way::host; }
    ir::Value stored(uint32_t map, ir::Value key);
    ir::Value folded_at(uint32_t map, ir::Value value);
    ir::Value folded_there(const Type& type, ir::Value value);
    ir::Value begin_walk(const ast::ForMap& node, uint32_t map);
    void walk(const ast::Stmt& stmt, const ast::ForMap& node);
    ir::Value walk_length(uint32_t map);
    void refuse_kernel(Span where);

    // calls_c.cpp: `to` is where a text goes, none if nobody wants it
    ir::Value c_called(const ast::Call& node, uint32_t function, ir::Value to);
    // lower_errors.cpp: what fails at run time, where the program wants that to be an error
    bool raises() const { return program_.settings.runtime_errors; }
    struct Near {
        std::string text;
        PlannedPosition where;
    };
    void raise(const std::string& text, const Near& near, std::optional<ir::Value> address = {});
    void raise_uncaught();
    Near beside(const std::string& what, Span where) const;
    Near token_at(Span where) const;
    void if_no_divisor(ast::BinaryOp op, ir::Value by, ast::ExprId left, ast::ExprId right, bool assigns);
    void if_unreadable(ir::Value result, ir::Value address, Span where, std::string_view what, bool lenient = false);
    void if_full(ir::Value failed, uint32_t map, Span where);
    ir::Value read_word(ir::Value address, uint8_t width, bool is_signed, bool user, Span where, bool lenient = false);

    // lower_samples.cpp: what is asked of what a map collects
    struct Collected {
        uint32_t map = 0;
        ir::Value key = ir::no_value;
        ir::Value value = ir::no_value;  // of all CPUs, an address or null; none: each CPU has its own
    };
    Collected collected(ast::ExprId argument);
    ir::Value collected_word(const Collected& from, uint32_t word, bool largest);
    ir::Value bucket(const ast::Index& node);
    void print_histogram(const ast::Call& call);
    void collect_samples(uint32_t map, ir::Value slot, ir::Value value);

    // lower_expr.cpp
    ir::Value integer(ast::ExprId id);
    ir::Value integer_of(ast::ExprId id, const ast::Integer& node);
    ir::Value integer_of(ast::ExprId id, const ast::Duration& node);
    ir::Value integer_of(ast::ExprId id, const ast::String& node);
    ir::Value integer_of(ast::ExprId id, const ast::Name& node);
    ir::Value integer_of(ast::ExprId id, const ast::Ellipsis& node);
    ir::Value integer_of(ast::ExprId id, const ast::Local& node);
    ir::Value integer_of(ast::ExprId id, const ast::Map& node);
    ir::Value integer_of(ast::ExprId id, const ast::Call& node);
    ir::Value first_argument(ast::ExprId id, const ast::Call& node);
    ir::Value known_size(ast::ExprId id, const ast::Call& node);
    ir::Value removed(ast::ExprId id, const ast::Call& node);
    ir::Value integer_of(ast::ExprId id, const ast::Unary& node);
    ir::Value integer_of(ast::ExprId id, const ast::Binary& node);
    ir::Value integer_of(ast::ExprId id, const ast::Conditional& node);
    ir::Value variable(const VariableUse& use);
    bool in_record() const {
        return !body_.place.tracepoint.event.empty();
    }  // are arguments fields of a tracepoint's record?
    ir::Value logical(const ast::Binary& node);
    ir::Value same_strings(const ast::Binary& node);
    ir::Value arithmetic(ast::BinaryOp op, bool is_signed, ir::Value a, ir::Value b);
    ir::Value truth(ir::Value v);
    // The address of `room` bytes (a multiple of 8) that hold the string, padded with zeros.
    ir::Value string(ast::ExprId id, uint32_t room);
    // Writes the string to memory at `to` + offset, which is zero.
    void string_into(ast::ExprId id, ir::Value to, uint32_t offset, uint32_t room);
    // A text for each place that the program serves: that of the one where it runs, an address of `room` bytes.
    ir::Value of_places(const std::vector<std::string>& texts, uint32_t room);
    ir::Value variable_text(Variable id, uint32_t room);
    ir::Value session(SessionValue what);
    // lower_types.cpp: where a value lies
    struct Location {
        ir::Value base = ir::no_value;  // a number; `direct` or in the context: an address of the program's own
        bool user = false;              // of a program's memory
        bool direct = false;            // of the program's own memory, to be loaded from
        uint32_t offset = 0;
        std::string root = {};  // the structure at base, then the members up to the value
        std::vector<Member> path = {};
        ir::Value distance = ir::no_value;  // `direct`: further bytes, below `limit`
        uint32_t limit = 0;
    };
    bool lies_somewhere(ast::ExprId id) const;
    // lower_own.cpp: where a variable or a map of the program itself lies
    bool keeps_value(ast::ExprId id) const;
    ir::Value own_address(ast::ExprId id);
    std::set<uint32_t> addressed_locals() const;
    // lower_program.cpp
    Location program_place(const ProgramVariable& variable);
    std::vector<ir::Value> located(const ProgramVariable& variable);
    void arguments_into(ast::ExprId id, ir::Value to);
    bool in_tuple(ast::ExprId id) const;
    uint32_t letters(ast::ExprId id) const { return most_letters(program_, body_, id); }
    Location place(ast::ExprId id);
    Location member_place(ast::ExprId id, ast::ExprId base);
    Location index_place(ast::ExprId id, const ast::Index& node);
    ir::Value asked(const Location& p, ir::Ask ask, uint64_t value);
    ir::Value address(const Location& p);
    ir::Value fetched(ast::ExprId id);
    ir::Value bit_field(const Location& p, const Member& member, Span where);
    ir::Value own_bit_field(const Location& p, const Member& member);
    void count_failure(ir::Value result);
    bool is_lenient(ast::ExprId id) const;
    void bytes_into(ast::ExprId id, ir::Value to, uint32_t room, bool text);
    // A string that ends with a zero or fills all of `size`, which lies `at` so many bytes.
    ir::Value letters_into(ir::Value to, uint32_t size, bool user, const std::function<ir::Value(uint32_t)>& at);
    void value_into(ast::ExprId id, ir::Value to, uint32_t offset, const Type& target);
    ir::Value value_as(ast::ExprId id, const Type& target);
    void tuple_parts(const Type& from, ir::Value source, uint32_t source_offset, const Type& target, ir::Value to,
                     uint32_t offset);
    ir::Value scaled(ir::Value v, const Type& other, const Type& own);
    ir::Value integer_of(ast::ExprId id, const ast::Boolean& node);
    ir::Value integer_of(ast::ExprId id, const ast::Member& node);
    ir::Value integer_of(ast::ExprId id, const ast::Index& node);
    ir::Value integer_of(ast::ExprId id, const ast::Tuple& node);
    ir::Value integer_of(ast::ExprId id, const ast::Cast& node);
    ir::Value integer_of(ast::ExprId id, const ast::SizeOf& node);
    ir::Value integer_of(ast::ExprId id, const ast::OffsetOf& node);
    // lower_stack.cpp: the 16 bytes of a stack to memory at `to`
    void stack_into(Variable which, uint32_t frames, ir::Value to);
    void tell_new_stack(ir::Value stack);
    void variable_into(Variable id, const Type& type, ir::Value to);
    void cast_into(ast::ExprId value, const Type& type, ir::Value to);
    void resized(ast::ExprId value, uint32_t size, ir::Value to);
    void field_string(const Field& field, ir::Value to, uint32_t room);
    // lower_text.cpp
    void read_bytes(ir::Value to, ir::Value size, ast::ExprId address, bool text, Span where = {}, bool lenient = true);
    ir::Value measure(const ast::Call& node, uint32_t most, uint32_t more);
    void text_into(ast::ExprId id, const ast::Call& node, ir::Value to);
    void buffer_into(ast::ExprId id, const ast::Call& node, ir::Value to);
    ir::Value text_length(ast::ExprId id, const ast::Call& node);
    ir::Value text_contains(ast::ExprId id, const ast::Call& node);
    ir::Value beginnings_compared(ast::ExprId id, const ast::Call& node);
    ir::Value compared(const ast::Binary& node);

  public:  // for the rules of calls (calls.h)
    Builder& builder() { return *b_; }
    const ResolvedPlace& place() const { return body_.place; }
    ir::Value argument_value(const Field& field);
    ir::Value variable_value(const ProgramVariable& variable);
    Unit& unit() { return unit_; }
    PlannedPosition position(Span where) const;  // lower_errors.cpp
    Way way() const { return way_; }
    const ast::Expr& expr(ast::ExprId id) const { return program_[id]; }
    const Type& type_of(ast::ExprId id) const { return type(id); }
    const Use& use_of(ast::ExprId id) const { return use(id); }
    ir::Value number(ast::ExprId id) { return integer(id); }
    ir::Value text(ast::ExprId id, uint32_t room) { return string(id, room); }
    // In a trampoline's program: an argument that is an address, or the address of a structure inside of what it points
    // to, of which the verifier knows what it is.
    ir::Value known_address(ast::ExprId id);
    void text_to(ast::ExprId id, ir::Value to, uint32_t room) { string_into(id, to, 0, room); }
    // As text(), but of an array of letters in memory all bytes, those behind a zero, too.
    ir::Value bytes(ast::ExprId id, uint32_t room);
    void bytes_at(ir::Value to, ir::Value size, ast::ExprId address, bool as_text, Span where = {},
                  bool lenient = true) {
        read_bytes(to, size, address, as_text, where, lenient);
    }
    void count_failed(ir::Value result) { count_failure(result); }
    ir::Value statistic(Function asked, ast::ExprId argument);
    ir::Value session_value(SessionValue what) { return session(what); }
    ir::Value renumbered(bool process);  // the process or thread that runs, in lt's own namespace
    ir::Value own_process();             // that runs, by the number that lt knows it by
    void concat(ast::ExprId left, ast::ExprId right, uint32_t size, ir::Value to);
    void emit_values(PlannedEvent event, const std::vector<ast::ExprId>& values) {
        emit_event(std::move(event), values);
    }
    // A record of fields that are ready; the fields of the event have their types.
    void emit_parts(PlannedEvent event, std::vector<RecordPart> parts, bool wake = false);

  private:
    const Type& type(ast::ExprId id) const { return body_.types[static_cast<uint32_t>(id)]; }
    const Use& use(ast::ExprId id) const { return body_.uses[static_cast<uint32_t>(id)]; }

    Unit& unit_;
    const Body& body_;
    const ast::Program& program_;
    std::optional<Builder> b_;
    std::optional<uint32_t> printed_map_;                             // by the statement before
    Way way_ = Way::run;                                              // of the function in the making
    bool at_calls_end_ = false;                                       // likewise: where all system calls end
    ir::Value call_number_ = ir::no_value, call_row_ = ir::no_value;  // of many system calls: this one's
    std::optional<PlannedGate> gate_;                                 // what the session may have left out
    bool as_handed_ = false;  // are arguments taken from the context, with the types that they have there?
    bool closing_ = false;    // at the close of a span: frozen values come from the opening
    struct Thawed {
        uint32_t slot = 0;
        ir::Value buffer = ir::no_value;
    };
    std::vector<Thawed> thawed_;  // integers in slots, strings in buffers; indexed as SpanLayout::frozen
    uint32_t latency_slot_ = 0;
    ir::Value now_ = ir::no_value;
    ir::Value stuck_ = ir::no_value;        // in the block of a timeout: the record of the span that is stuck
    std::vector<uint32_t> local_slots_;     // of integer locals
    std::vector<ir::Value> local_buffers_;  // of string locals

    // The loop around what is being lowered: how it is left and how its next turn begins.
    struct LoopAround {
        std::optional<uint32_t> leave;  // a scope; none: the loop's own end
        uint32_t next;
    };
    std::vector<LoopAround> loops_;
    struct CallAround {
        uint32_t scope;
        std::optional<uint32_t> result;  // a local
    };
    std::vector<CallAround> calls_;
    // What catches an error: where it goes on, and the local that gets the message.
    struct AttemptAround {
        uint32_t handler;  // a scope
        std::optional<uint32_t> message;
    };
    std::vector<AttemptAround> attempts_;
    // Of errors that nothing catches: the scope around the whole function, and which it is.
    struct Uncaught {
        uint32_t scope, error, address;  // the latter two are slots
    };
    std::optional<Uncaught> uncaught_;
    struct Pair {
        ir::Value key = ir::no_value;
        ir::Value value = ir::no_value;
    };
    std::map<uint32_t, Pair> pairs_;  // by local
    std::set<uint32_t> read_maps_;    // on the host: those that the block has read
};

}  // namespace lt
