"""Programs of the fuzzer of meaning that bpftrace runs as well: what its language has in common with C and with lt.

Left out is what the installed bpftrace (Debian's 0.17) does differently: it shifts and divides negative numbers as if they
had no sign."""

import meaning_statements as s
from meaning_tree import COMPARE, Binary, Cast, Choose, Dot, Logical, MakeTuple, Number, Read, Text, Unary
from meaning_types import INTS, S64, STRING
from meaning_writer import Writer

WORDS = [b"", b"a", b"abc", b"some text", b"0123456789abcdef"]


class Shared(Writer):
    def held(self, wanted):
        return [Read(v) for v in self.scope if v.held is not None and wanted(v.type)]

    def positive(self, depth):
        return Binary("&", self.number(depth + 1), Number((1 << self.rng.choice([3, 8, 31, 40])) - 1))

    def number(self, depth=0):
        r = self.rng
        kind = r.randrange(13) if depth < 4 else r.randrange(3)
        if kind < 3:
            numbers = self.held(lambda t: t.is_integer) + [Dot(t, str(i)) for t in self.held(lambda t: t.is_tuple)
                                                           for i, part in enumerate(t.type().parts) if part.is_integer]
            if numbers and self.chance(0.6):
                return r.choice(numbers)
            return Number(r.choice([0, 1, 2, 7, 255, 256, 65535, 1 << 31, (1 << 32) + 5, (1 << 62) - 1]))
        if kind == 3:
            return Unary("-", Binary("+", self.number(depth + 1), Number(0)))  # or bpftrace negates 32 bits
        if kind < 8:
            return Binary(r.choice("+-*&|^"), self.number(depth + 1), self.number(depth + 1))
        if kind == 8:
            return Binary("<<", self.number(depth + 1), Number(r.randrange(20)))
        if kind == 9:
            return Binary(">>", self.positive(depth), Number(r.randrange(20)))
        if kind == 10:
            return Binary(r.choice("/%"), self.positive(depth), Number(r.choice([1, 2, 3, 10, 255])))
        if kind == 11:
            return Cast(INTS[r.choice(["int8", "int16", "int32", "int64"])], self.number(depth + 1))
        return Choose(self.truth(depth + 1), self.number(depth + 1), self.number(depth + 1))

    def wide(self):
        """Of 64 bits: bpftrace keeps a narrower number without its sign."""
        return Binary("+", self.number(), Number(0))

    def truth(self, depth=0):
        r = self.rng
        kind = r.randrange(4) if depth < 4 else 0
        if kind == 0:
            return Binary(r.choice(list(COMPARE)), self.number(depth + 1), self.number(depth + 1))
        if kind == 1:
            return Binary(r.choice(["==", "!="]), self.some_text(), Text(r.choice(WORDS)))
        if kind == 2:
            return Unary("!", self.truth(depth + 1))
        return Logical(r.choice(["&&", "||"]), self.truth(depth + 1), self.truth(depth + 1))

    def some_text(self):
        texts = self.held(lambda t: t.is_string)
        return self.rng.choice(texts) if texts and self.chance(0.7) else Text(self.rng.choice(WORDS))

    def entry(self, m):
        return Read(m, [Text(self.rng.choice(WORDS)) if k is STRING else Number(self.rng.randrange(3)) for k in m.keys])

    def assignment(self):
        r = self.rng
        kind = r.randrange(8)
        if kind < 2 and self.maps:
            m = r.choice(self.maps)
            return s.Assign(self.entry(m), self.wide(), r.choice(["", "+", "-"]))
        if kind == 2:
            m = self.new([r.choice([S64, STRING]) for _ in range(r.randrange(1, 3))])
            m.take(S64)
            self.maps.append(m)
            return s.Assign(self.entry(m), self.wide())
        if kind == 3:
            numbers = self.held(lambda t: t is S64)
            free = [n for n in numbers if n.variable.name not in self.frozen]
            if free:
                return s.Assign(r.choice(free), self.wide())
        v = self.new()
        if kind == 4:
            value = Text(r.choice(WORDS))
        elif kind == 5:
            value = MakeTuple([Binary("+", self.number(2), Number(1)), Text(r.choice(WORDS)), Binary("*", self.number(2), Number(3))])
        else:
            value = self.wide()
        v.take(s.kept(value.type()))
        self.scope.append(v)
        return s.Assign(Read(v), value)

    def shown(self):
        values = []
        for _ in range(self.rng.randrange(1, 4)):
            if self.chance(0.2):
                values.append(("s", self.some_text()))
            elif self.maps and self.chance(0.3):
                values.append(("ld", self.entry(self.rng.choice(self.maps))))
            else:
                values.append((self.rng.choice(["ld", "lu", "lx"]), self.wide()))
        return s.Printf(values)

    def statement(self, depth=0):
        r = self.rng
        kind = r.randrange(12)
        if kind < 5:
            return self.shown()
        if kind < 9 or depth > 1:
            return self.assignment()
        if kind == 9:
            return s.If(self.truth(), self.block(depth), self.block(depth) if self.chance(0.5) else [])
        self.loops += 1
        if kind == 10:
            made = s.Unroll(r.randrange(1, 4), self.block(depth))  # not a loop to bpftrace
        else:
            v = self.new()
            v.take(S64)
            made = s.While(Read(v), r.randrange(1, 5), self.looped(depth, v))
            self.scope.append(v)
        self.loops -= 1
        return made


def shared(rng, dialect, known):
    w = Shared(rng, dialect, known)
    body = [w.statement() for _ in range(rng.randrange(8, 20))]
    return s.Program(dialect, [], [], w.variables, body, shared=True)
