"""The kinds of programs that the fuzzer of meaning makes: of numbers and texts, of addresses, of memory and its types."""

import meaning_statements as s
from meaning_memory import BASE, EDGES, KNOWN, MANY, Made
from meaning_tree import COMPARE, Argument, Binary, Cast, MakeTuple, Number, Read, Step
from meaning_shared import shared
from meaning_types import INTS, S64, STRING, Int, pointer
from meaning_writer import Writer


def function(w, number):
    """fn f1($a : uint8, $b : string[64]) : int16 { return ...; }"""
    r = w.rng
    inner = Writer(r, w.dialect, w.known)
    parameters = []
    for _ in range(r.randrange(1, 4)):
        p = inner.new(declared=r.choice(list(INTS.values()) + [STRING]))
        p.name = "$p%d" % len(parameters)
        inner.scope.append(p)
        parameters.append(p)
    inner.frozen = tuple(p.name for p in parameters)
    w.variables += inner.variables
    return s.Function("f%d" % number, parameters, r.choice(list(INTS.values())), inner.integer(1))


def fresh_body(w, count):
    w.outer = w.scope
    body = []
    for _ in range(count):
        body.append(w.statement())
        w.outer = w.scope
    for v in list(w.scope):
        body.append(s.Print(Read(v)))
    return body


def plain(rng, dialect, known):
    w = Writer(rng, dialect, known)
    if dialect == "lt":
        w.functions = [function(w, i) for i in range(rng.randrange(3))]
    if rng.random() < 0.3:
        numbers = ["%d", "0x%x"] + ([] if "A9" in known else ["-%d", "0%o"])
        w.words = (rng.choice(numbers) % rng.getrandbits(rng.choice([3, 10, 31, 62])),)
        w.words += ((rng.choice(["hello", "a", "some more text"])),) if rng.random() < 0.5 else ()
    body = fresh_body(w, rng.randrange(12, 30))
    return s.Program(dialect, [], w.functions, w.variables, body, words=w.words)


def pointers(rng, dialect, known):
    """Addresses as numbers: what their steps make of them."""
    w = Writer(rng, dialect, known)
    body = []
    held = []
    for _ in range(rng.randrange(2, 6)):
        t = pointer(rng.choice(list(INTS.values())))
        e = Cast(t, Number(rng.randrange(1000, 1 << 20)))
        if rng.random() < 0.4 and "A2" not in known:
            v = w.new(declared=t)
            body.append(s.Assign(Read(v), e, declare=t))
        elif rng.random() < 0.3:
            v = w.new([S64])
            v.take(t)
            body.append(s.Assign(Read(v, [Number(1)]), e))
            held.append(Read(v, [Number(1)]))
            continue
        else:
            v = w.new()
            v.take(t)
            body.append(s.Assign(Read(v), e))
            w.scope.append(v)
        held.append(Read(v))
    for _ in range(rng.randrange(10, 25)):
        p = rng.choice(held)
        kind = rng.randrange(8)
        small = Number(rng.randrange(9))
        if kind < 3:
            step = Step(p, rng.choice(["++", "--"]), rng.random() < 0.5)
            body.append(s.Advance(step) if rng.random() < 0.4 or "A1" in known else s.Print(step))
        elif kind == 3:
            body.append(s.Assign(p, w.integer(3) if rng.random() < 0.3 else small, rng.choice("+-")))
        elif kind == 4:
            body.append(s.Print(Binary(rng.choice("+-"), p, small)))
        elif kind == 5:
            same = [q for q in held if repr(q.type()) == repr(p.type())]
            q = rng.choice(same)
            body.append(s.Print(Binary(rng.choice(["-"] + list(COMPARE)), p, q) if "D1" not in known else Binary(rng.choice(list(COMPARE)), p, q)))
        elif kind == 6:
            body.append(s.Print(MakeTuple([p, small])))
        else:
            body.append(s.Print(p))
    return s.Program(dialect, [], [], w.variables, body)


def of_memory(rng, dialect, known):
    """Structures of the program's own, in memory of a traced program."""
    w = Writer(rng, dialect, known)
    made = Made(rng, known)
    if "A4" in known:
        made.numbers = 100  # no name that the workload has
    root = None
    for _ in range(rng.randrange(1, 4)):
        root = made.structure()
    made.place(root)
    base = BASE if root not in made.places else made.places[root]
    p = Cast(pointer(root), Argument("arg0", 0, Int(8, False, user=True)))
    t = pointer(root, True)
    declared = t if rng.random() < 0.4 and "A2" not in known else None
    v = w.new(declared=declared)
    v.take(t)
    w.scope.append(v)
    body = [s.Assign(Read(v), p, declare=declared)]
    w.sources = [Read(v)]
    body += fresh_body(w, rng.randrange(12, 30))
    return s.Program(dialect, made.structures, [], w.variables, body, bytes(made.memory), BASE, (base, 0), "look")


def of_debug(rng, dialect, known):
    """Structures that the traced program's debug information describes."""
    if "A5" in known:
        return of_memory(rng, dialect, known)
    w = Writer(rng, dialect, known)
    made = Made(rng, known)
    made.place(KNOWN[-1])
    t = pointer(KNOWN[-1], True)
    w.sources = [Argument("args.k", 0, t)]
    body = fresh_body(w, rng.randrange(12, 30))
    return s.Program(dialect, [], [], w.variables, body, bytes(made.memory), BASE, (made.places[KNOWN[-1]], 7), "look_known")


class Many(Writer):
    """Arguments of all types."""

    def leaf(self):
        if self.chance(0.6):
            i = self.rng.randrange(len(MANY))
            return Argument("args." + MANY[i][0], i, MANY[i][1])
        return super().leaf()


def of_arguments(rng, dialect, known):
    w = Many(rng, dialect, known)
    memory = bytearray(1024)
    at, values = 0, []
    for _, t in MANY:
        at = (at + t.size - 1) // t.size * t.size
        n = rng.choice(EDGES) if rng.random() < 0.7 else rng.getrandbits(64)
        memory[at:at + t.size] = (n & ((1 << 8 * t.size) - 1)).to_bytes(t.size, "little")
        values.append(t.load(memory[at:]))
        at += t.size
    body = fresh_body(w, rng.randrange(12, 30))
    return s.Program(dialect, [], [], w.variables, body, bytes(memory), BASE, tuple(values), "many")


KINDS = {"plain": plain, "pointers": pointers, "memory": of_memory, "debug": of_debug, "arguments": of_arguments,
         "shared": shared}
CHOICES = ["plain"] * 4 + ["pointers"] + ["memory"] * 4 + ["debug"] + ["arguments"] + ["shared"] * 2


def program(rng, known=(), dialects=("lt", "lt", "bt"), kinds=None):
    kind = rng.choice(kinds or CHOICES)
    return KINDS[kind](rng, rng.choice(dialects), set(known))
