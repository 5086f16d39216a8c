// The items of a program: actions, spans, chains, declarations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parser/tree/nodes.h"

namespace lt::ast {

// A probe that the program can run without.
struct Alternative {
    // One of several alternatives: if a sufficient one exists, later ones in its group are skipped.
    struct Choice {
        uint32_t group;
        uint32_t position;
        bool sufficient;
    };
    bool optional = false;  // is it allowed to be missing?
    std::vector<Choice> choices;
};

// A probe as it was typed, split at its colons: "kprobe:vfs_read" is {"kprobe", "vfs_read"}.
struct ProbeSpec {
    struct Part {
        Span span;
        std::string text;
    };
    Span span;
    std::vector<Part> parts;  // never empty
    std::string label;        // name=probe; may be empty
    Alternative alternative = {};
};

// probe, probe /predicate/ { body }
struct Action {
    std::vector<ProbeSpec> probes;
    std::optional<ExprId> predicate;
    Block body;
};

// One event of a span and the key that pairs it with the other one: probe[key, ...] /predicate/.
struct Endpoint {
    ProbeSpec probe;
    std::vector<ExprId> key;          // empty: the thread
    std::optional<ExprId> predicate;  // of one opening event among several: checked there, in addition to the span's
    Span predicate_span;              // includes its slashes
    // Of a chain, after `=>`: the key from here on. Of a `last` point: the key at the event that looks it up.
    std::vector<ExprId> next_key = {};
};

// timeout after { body }
struct Timeout {
    Span span;
    ExprId after;
    Block body;
};

// span name = opens -> closes /predicate/ > threshold < body > timeout ...
struct SpanAction {
    std::string name;  // may be empty
    Span name_span;
    std::vector<Endpoint> opens;   // never empty; each opens a span
    std::vector<Endpoint> closes;  // empty: the return of the opening call; otherwise the first of these
    std::optional<ExprId> predicate;
    std::optional<ExprId> threshold;
    bool worst = false;  // `> worst`: longer than everything reported so far
    Block body;
    std::optional<Timeout> timeout;
};

// chain name = "stage" point -> "stage" point -> point unless probe[key] > threshold < body > else { ... }
struct Chain {
    // One step of a request. A `last` point is the latest event with a key, an `in` point the beginning of the call
    // that the thread is in; both are looked up at the next point that is an event.
    struct Point {
        enum class How : uint8_t { event, last, in };
        How how = How::event;
        std::string stage;  // that begins here; empty: none does
        Span stage_span;
        std::vector<Endpoint> events;     // any of these; never empty
        std::optional<ExprId> predicate;  // of all of them
        Span span;
    };
    // Events after which a request is left out: counted by the reason, or forgotten if that is empty.
    struct Unless {
        std::string reason;
        std::vector<Endpoint> events;
        std::optional<ExprId> predicate;
    };
    std::string name;
    Span name_span;
    std::vector<Point> points;
    std::vector<Unless> unless;
    std::optional<ExprId> threshold;  // of the whole
    Block body;
    std::optional<Block> left_out;  // the block after `else`, for requests that are left out
};

// param name = value "help"
struct Parameter {
    std::string name;
    Span name_span;
    ExprId value;      // a literal
    std::string help;  // may be empty
};

// fn name($parameter : type, ...) : type { body }
struct FunctionItem {
    struct Parameter {
        std::string name;
        Span span;
        TypeName type;
    };
    std::string name;
    Span name_span;
    std::vector<Parameter> parameters;
    std::optional<TypeName> result;
    Block body;
};

// macro name($local, @map, name) { body; value }
struct Macro {
    std::string name;
    Span name_span;
    std::vector<ExprId> parameters;  // each a Local, a Map without a key or a Name
    Block body;
    std::optional<ExprId> value;
};

// let @name = kind(entries)
struct MapDeclaration {
    std::string name;
    Span name_span;
    std::string kind;
    Span kind_span;
    uint64_t entries;
};

// config = { name = value; ... }
struct Config {
    struct Setting {
        std::string name;
        Span name_span;
        std::string value;
        Span value_span;
    };
    std::vector<Setting> settings;
};

struct Import {
    std::string path;
    Span path_span;
};

// A line of the C preprocessor, or the definition of a type.
struct CText {
    std::string text;
};

}  // namespace lt::ast
