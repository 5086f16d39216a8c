"""Random statements of the fuzzer of meaning. Every loop ends, and a variable is read where it has a value."""

import meaning_statements as s
from meaning_grammar import Expressions
from meaning_tree import Call, Cast, Dot, MakeTuple, Number, Read, Unary
from meaning_types import INTS, S64, STRING, U64, Array, Struct


class Writer(Expressions):
    """One block of a program, whose variables and maps it keeps."""

    def shown(self):
        r = self.rng
        kind = r.randrange(10)
        if kind < 3:
            return s.Print(self.integer() if self.chance(0.8) else self.truth())
        if kind < 5:
            return s.Print(self.string())
        if kind == 5:
            return s.Print(self.tuple())
        if kind == 6 and self.sources:
            e = self.whole(256)
            return s.Print(e if e else self.integer())
        held = [v for v in self.scope if v.held is not None]
        if kind < 8 and held:
            return s.Print(Read(r.choice(held)))
        values = []
        for _ in range(r.randrange(1, 4)):
            if self.chance(0.6):
                e = self.integer(1)
                conversions = ["ld", "lu", "lx"] * 3 + ["d", "u", "x", "hd", "hx", "hhu"]
                values.append(("s" if e.type().view else r.choice(conversions), e))
            else:
                values.append(("s", self.string(1)))
        return s.Printf(values)

    def statement(self, depth=0):
        r = self.rng
        kind = r.randrange(22)
        if kind < 9:
            return self.shown()
        if kind < 14:
            return self.assignment()
        if kind == 14:
            return self.map_statement()
        if kind == 15:
            step = self.counted()
            return s.Advance(step) if step else self.shown()
        if kind == 16:
            return self.changed() or self.shown()
        if depth > 1:
            return self.shown()
        return self.nested(depth)

    def nested(self, depth):
        r = self.rng
        kind = r.randrange(7)
        if kind < 3:
            condition = self.integer()
            if self.chance(0.03):
                return s.If(self.truth(), [s.Leave("return")], [])
            return s.If(condition, self.block(depth), self.block(depth) if self.chance(0.5) else [])
        if kind == 3:
            return s.Scope(self.block(depth))
        self.loops += 1
        if kind == 4:
            v = self.new(declared=S64)
            first = r.randrange(-2, 4)
            a = Unary("-", Number(-first)) if first < 0 else Number(first)
            made = s.Range(v, a, Number(max(first, 0) + r.randrange(4)), self.looped(depth, v))
        elif kind == 5:
            v = self.new()
            v.take(S64)
            made = s.While(Read(v), r.randrange(1, 5), self.looped(depth, v))
            self.scope.append(v)
        else:
            made = s.Unroll(r.randrange(1, 4), self.looped(depth))
        self.loops -= 1
        return made

    def looped(self, depth, variable=None):
        before, frozen = self.scope, self.frozen
        if variable:
            self.scope = self.scope + [variable]
            self.frozen = self.frozen + (variable.name,)
        body = self.block(depth)
        if self.chance(0.3):
            body.insert(self.rng.randrange(len(body) + 1), s.If(self.truth(1), [s.Leave(self.rng.choice(["break", "continue"]))], []))
        self.scope, self.frozen = before, frozen
        return body

    def block(self, depth):
        """Variables that are first assigned in it are not used outside: the way there may not have been taken."""
        before, self.scope = self.scope, list(self.scope)
        body = [self.statement(depth + 1) for _ in range(self.rng.randrange(1, 5))]
        self.scope = before
        return body

    def assignment(self):
        r = self.rng
        kind = r.randrange(10)
        if kind < 3:
            t = r.choice(list(INTS.values()))
            e = self.integer()
            if self.chance(0.4):
                v = self.new(declared=t)
                made = s.Assign(Read(v), e, declare=t)
            else:
                v = self.new()
                made = s.Assign(Read(v), e, declare=False if self.chance(0.2) else None)
        elif kind < 5:
            v = self.new()
            made = s.Assign(Read(v), self.string())
        elif kind < 7:
            v = self.new()
            made = s.Assign(Read(v), self.tuple())
        elif self.sources and kind == 7:
            e = self.whole(256)
            if e is None:
                return self.shown()
            v = self.new()
            made = s.Assign(Read(v), e)
        elif self.sources and kind == 8:
            e = self.walk(lambda t: t.is_integer and t.to)
            if e is None:
                return self.shown()
            v = self.new()
            made = s.Assign(Read(v), e)
            self.sources.append(Read(v)) if not self.loops and self.scope is self.outer else None
        else:
            return self.again() or self.shown()
        v.take(s.kept(made.expr.type()))
        self.scope.append(v)
        return made

    outer = None

    def again(self):
        """Another value for a variable: a longer one, one of another width."""
        r = self.rng
        held = [v for v in self.scope if v.held is not None and v.name not in self.frozen]
        if not held:
            return None
        v = r.choice(held)
        t = v.type
        if t.is_tuple:
            if "A3" in self.known:
                return None
            made = self.tuple_of(t)
        elif t.is_string:
            made = self.string()
        elif t.is_integer and not t.to and not t.view:
            made = self.integer()
        else:
            return None
        return s.Assign(Read(v), made)

    def tuple_of(self, t):
        items = [self.tuple_of(p) if p.is_tuple else self.of_type(p, 1) for p in t.parts]
        return MakeTuple(items, t.names)

    def changed(self):
        r = self.rng
        held = self.declared(lambda t: t.is_integer and not t.to and not t.view)
        held = [v for v in held if v.name not in self.frozen]
        if not held:
            return None
        op = r.choice(["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"])
        e = self.integer(1)
        if op in "/%":
            e = Number(r.choice([1, 2, 3, 10, 255]))
        if op in ("<<", ">>"):
            e = self.distance(1)
        return s.Assign(Read(r.choice(held)), e, op)

    def map_statement(self):
        self.quiet = True
        made = self.of_map()
        self.quiet = False
        return made

    def of_map(self):
        r = self.rng
        if self.maps and self.chance(0.7):
            m = r.choice(self.maps)
            kind = r.randrange(5)
            target = self.element_of(m)
            t = m.type
            if kind == 0:
                return s.Delete(target)
            if kind == 1 and t.is_integer and not t.view:
                made = s.Assign(target, self.as_type(t, self.integer(1)), r.choice("+-|&^"))
                made.types()
                return made
            if kind == 2 and not self.loops:
                pair, total = self.new(), self.new()
                total.take(S64)
                value = Dot(Read(pair), "1")
                if t.is_string:
                    part = Call("strlen", U64, lambda w, a: len(a), [value])
                elif t.is_integer and not t.to and not t.view:
                    part = value
                else:
                    part = Number(1)
                made = s.Sum(Read(total), pair, m, part)
                self.scope.append(total)
                return made
            if isinstance(t, (Struct, Array)):
                return s.Assign(target, self.walk(t.same) or target)
            return s.Assign(target, self.tuple_of(t) if t.is_tuple else self.of_type(t, 1))
        keys = [r.choice([S64, U64, STRING]) for _ in range(r.randrange(1, 4))]
        m = self.new(keys)
        value = r.choice([self.integer, self.string, self.tuple])(1)
        if self.sources and self.chance(0.3):
            value = self.whole(128) or value
        if value.type() is s.TRUTH or value.type().view:
            value = Cast(S64, value)
        m.take(s.kept(value.type()))
        made = s.Assign(self.element_of(m), value)
        self.maps.append(m)
        return made
