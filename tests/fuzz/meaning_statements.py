"""Statements of the fuzzer of meaning, and whole programs: their text, their types, and what they print."""

from meaning_tree import TRUTH, Binary, MakeTuple, Number, Read, arithmetic
from meaning_types import S64, Tuple, wrap
from meaning_world import Jump, Unknown, World, kept


def shown(w, t, value):
    """As print() shows it."""
    return ("false", "true")[value] if t is TRUTH and not w.plain_truth else t.show(value)


def literals(expr):
    """Is it a number as it stands that fits both signs? For a tuple, a list of that for its parts."""
    if isinstance(expr, MakeTuple):
        return [literals(e) for e in expr.items]
    return isinstance(expr, Number) and 0 <= expr.number < 1 << 63


def digits(dialect, conversion, t, value):
    """What printf() and sprintf() make of an integer: in .bt as C, which prints 32 bits without an l; in .lt an unsigned
    conversion prints the bits of the type."""
    letter = conversion[-1]
    usual = 8 if dialect == "bt" and "l" in conversion else 4 if dialect == "bt" else 8 if letter == "d" else t.size
    size = min(usual, {1: 2, 2: 1}.get(conversion.count("h"), 8))
    return ("%x" if letter == "x" else "%d") % wrap(value, size, letter == "d")


class Stmt:
    blocks = ()  # names of attributes that are lists of statements

    def types(self):
        """Gives variables their types, in the order of the text."""
        for name in self.blocks:
            for s in getattr(self, name):
                s.types()


def indent(text):
    return "".join("    %s\n" % line for line in text.splitlines())


def braces(block):
    return "{\n%s}" % indent("\n".join(s.text() for s in block))


def run(block, w):
    for s in block:
        w.step()
        s.run(w)


class Assign(Stmt):
    def __init__(self, target, value, op="", declare=None):
        self.target, self.expr, self.op, self.declare = target, value, op, declare

    def text(self):
        let = ""
        if self.declare is not None:
            let = "let "
            if self.declare:
                return "let %s : %s = %s;" % (self.target, self.declare.lt(), self.expr)
        return "%s%s %s= %s;" % (let, self.target, self.op, self.expr)

    def types(self):
        variable = self.target.variable
        changes_map = self.op and variable.keys is not None and not self.target.type().to
        if changes_map and self.op == "-":
            variable.take(S64)  # a difference has a sign
        elif changes_map or not self.op:
            variable.take(kept(self.expr.type()), literals(self.expr))
        self.target.type()

    def run(self, w):
        v = self.expr.value(w)
        if self.op:
            t = self.target.type()
            size = t.to.size if t.to else 1
            signed = t.signed
            v = arithmetic(self.op, wrap(self.target.value(w), 8, signed), wrap(v * size, 8, signed))
        self.target.store(w, v)


class Advance(Stmt):
    def __init__(self, step):
        self.step = step

    def text(self):
        return self.step.text() + ";"

    def types(self):
        self.step.type()

    def run(self, w):
        self.step.value(w)


class Print(Stmt):
    def __init__(self, value):
        self.expr = value

    def text(self):
        return "print(%s);" % self.expr

    def run(self, w):
        w.lines.append((shown(w, self.expr.type(), self.expr.value(w)), self))


class Printf(Stmt):
    """`values` are pairs of a conversion and an expression: s, d, u, x, also with l, h or hh."""

    def __init__(self, values):
        self.values = values

    def text(self):
        return 'printf("%s\\n", %s);' % (" ".join("%" + f for f, _ in self.values), ", ".join(e.text() for _, e in self.values))

    def run(self, w):
        def text(f, t, v):
            return shown(w, t, v) if f == "s" else digits(Binary.dialect, f, t, v)
        w.lines.append((" ".join(text(f, e.type(), e.value(w)) for f, e in self.values), self))


class If(Stmt):
    blocks = ("yes", "no")

    def __init__(self, condition, yes, no):
        self.condition, self.yes, self.no = condition, yes, no

    def text(self):
        return "if (%s) %s" % (self.condition, braces(self.yes)) + (" else " + braces(self.no) if self.no else "")

    def run(self, w):
        run(self.yes if self.condition.value(w) != 0 else self.no, w)


class Loop(Stmt):
    """Once for each value; `variable` has it, where there is one."""
    blocks = ("body",)

    def turns(self, w, values, store):
        for v in values:
            w.step()
            store(v)
            try:
                run(self.body, w)
            except Jump as jump:
                if jump.kind == "break":
                    break
                if jump.kind != "continue":
                    raise


class Range(Loop):
    def __init__(self, variable, first, last, body):
        self.variable, self.first, self.last, self.body = variable, first, last, body

    def text(self):
        return "for (%s : %s..%s) %s" % (self.variable.name, self.first.inside(4), self.last.inside(4), braces(self.body))

    def types(self):
        self.variable.take(S64)
        super().types()

    def run(self, w):
        target = Read(self.variable)
        self.turns(w, range(self.first.value(w), self.last.value(w)), lambda v: target.store(w, v))


class Unroll(Loop):
    def __init__(self, count, body):
        self.count, self.body = count, body

    def text(self):
        return "unroll (%d) %s" % (self.count, braces(self.body))

    def run(self, w):
        self.turns(w, range(self.count), lambda v: None)


class While(Stmt):
    """`counter` is counted up first in each turn."""
    blocks = ("body",)

    def __init__(self, counter, limit, body):
        self.counter, self.limit, self.body = counter, limit, body

    def text(self):
        inner = indent("%s++;\n" % self.counter + "\n".join(s.text() for s in self.body))
        return "%s = 0;\nwhile (%s < %d) {\n%s}" % (self.counter, self.counter, self.limit, inner)

    def types(self):
        self.counter.variable.take(S64)
        super().types()

    def run(self, w):
        self.counter.store(w, 0)
        while self.counter.value(w) < self.limit:
            w.step()
            self.counter.store(w, self.counter.value(w) + 1)
            try:
                run(self.body, w)
            except Jump as jump:
                if jump.kind == "break":
                    break
                if jump.kind != "continue":
                    raise


class Sum(Stmt):
    """Over a map, in whatever order: the sum of an integer of each entry, which `part` makes of the pair."""

    def __init__(self, target, pair, map, part):
        self.target, self.pair, self.map, self.part = target, pair, map, part

    def text(self):
        return "%s = 0;\nfor (%s : %s) { %s += %s; }" % (self.target, self.pair.name, self.map.name, self.target, self.part)

    def types(self):
        self.target.variable.take(S64)
        key = self.map.keys[0] if len(self.map.keys) == 1 else Tuple(self.map.keys)
        self.pair.held = Tuple([key, self.map.type])

    def run(self, w):
        self.target.store(w, 0)
        for key, value in list(w.maps.get(self.map, {}).items()):
            w.step()
            w.values[self.pair] = (key if len(key) > 1 else key[0], value)
            self.target.store(w, self.target.value(w) + self.part.value(w))


class Scope(Stmt):
    blocks = ("body",)

    def __init__(self, body):
        self.body = body

    def text(self):
        return braces(self.body)

    def run(self, w):
        run(self.body, w)


class Leave(Stmt):
    def __init__(self, kind):
        self.kind = kind

    def text(self):
        return self.kind + ";"

    def run(self, w):
        raise Jump(self.kind)


class Delete(Stmt):
    def __init__(self, target):
        self.target = target

    def text(self):
        return "delete(%s);" % self.target

    def run(self, w):
        w.maps.setdefault(self.target.variable, {}).pop(self.target.address(w), None)


class Function:
    """fn NAME(PARAMETERS) : RESULT { return VALUE; }"""

    def __init__(self, name, parameters, result, value):
        self.name, self.parameters, self.result, self.value = name, parameters, result, value

    def text(self):
        def named(t):
            return "string[64]" if t.is_string else t.lt()
        parameters = ", ".join("%s : %s" % (p.name, named(p.declared)) for p in self.parameters)
        return "fn %s(%s) : %s { return %s; }\n" % (self.name, parameters, named(self.result), self.value)


class Program:
    """`place` is the probe's text, None for BEGIN; memory and arguments are what the place is hit with."""

    def __init__(self, dialect, structures, functions, variables, body, memory=b"", base=0, arguments=(), place=None,
                 words=(), shared=False):
        self.dialect, self.structures, self.functions, self.variables = dialect, structures, functions, variables
        self.body, self.memory, self.base, self.arguments = body, memory, base, arguments
        self.place, self.words = place, words
        self.shared = shared  # nothing but what bpftrace also has

    def text(self, place=None):
        head = 'config = { print_maps_on_exit = false; str_trunc_trailer = "" }\n'
        structures = "".join(s.declaration() + "\n" for s in self.structures)
        return "%s%s%s%s %s\n" % (structures, head, "".join(f.text() for f in self.functions),
                                  place or self.place or "BEGIN", braces(self.body))

    def find_types(self):
        """In rounds, since what comes later in the text may give a map a sign."""
        for _ in range(10):
            before = [repr(v.held) for v in self.variables]
            for v in self.variables:
                v.begin_round()
            for s in self.body:
                s.types()
            if before == [repr(v.held) for v in self.variables]:
                return
        raise Unknown("types that do not settle")

    def expected(self):
        """The lines and the statements that print them."""
        Binary.dialect = self.dialect
        for v in self.variables:
            v.forget()
        self.find_types()
        w = World(self.memory, self.base, self.arguments, self.dialect == "lt")
        try:
            run(self.body, w)
        except Jump as jump:
            if jump.kind != "return":
                raise Unknown(jump.kind) from jump
        return w.lines
