// The program as understood: every probe names one existing place, every expression has a type. Side tables beside the tree, which stays as it
// was parsed. One Body per (item, place), since the same text can mean different types at different places.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "parser/ast.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"
#include "stdlib/builtins.h"
#include "stdlib/probes.h"

namespace lt {

// One existing place, and the ways to get there in the order in which they are tried. Attachments are filled in by the lowering.
struct ResolvedPlace {
    ProbeKind kind = ProbeKind::begin;
    std::string text;  // as typed, for a wildcard: with the name it stands for
    Span span;
    uint64_t period_ns = 0;
    KernelFunction function;
    Tracepoint tracepoint;
    UserFunction user;
    std::vector<Rung> rungs;
};

// What a name in an expression stands for.
struct VariableUse { Variable id; uint32_t number = 0; };  // number: of arg0, arg1 ...
struct FieldUse { Field field; };
struct MapUse { uint32_t index; };
struct LocalUse { uint32_t index; };
struct CallUse { Function id; };
using Use = std::variant<std::monostate, VariableUse, FieldUse, MapUse, LocalUse, CallUse>;

struct LocalInfo {
    std::string name;
    Type type;
};

struct Body {
    uint32_t item = 0;  // index into ast::Program::items
    ResolvedPlace place;
    std::vector<Type> types;  // by ExprId; kind none for expressions of other items
    std::vector<Use> uses;    // by ExprId
    std::vector<LocalInfo> locals;
};

struct MapInfo {
    std::string name;  // with the @
    Span first;        // where it first stands
    std::vector<Type> key;
    Type value;        // kind none: nothing was ever assigned
    bool seen_key = false;
    bool written = false;  // assigned by =, perhaps from a value of unknown type
};

struct Typed {
    std::vector<Body> bodies;
    std::vector<MapInfo> maps;
    uint32_t max_keys = 4096;  // entries of each keyed map
};

std::string dump(const ast::Program& program, const Typed& typed);

}  // namespace lt
