"""Random expressions of the fuzzer of meaning. Everything is well-typed.

`known` names classes of defects (A1, A2 ...) that are left out.
"""

import meaning_statements as s
from meaning_memory import EDGES, LETTERS
from meaning_tree import (COMPARE, Binary, Call, CallOwn, Cast, Choose, Deref, Dot, Element, Given, Logical, MakeTuple, Number,
                          Read, Step, StringCast, Text, Unary)
from meaning_types import BOOL, INTS, S64, STRING, U64, Array, Struct
from meaning_world import Variable


def c_string(w, address, length):
    at = address - w.base
    data = bytes(w.memory[at:]) if 0 <= at < len(w.memory) else b""
    return data[:length].split(b"\0")[0]


def order(a, b):
    return (a > b) - (a < b)


def to_number(text, base):
    text = text.lstrip(b" \t\n")
    sign = -1 if text[:1] == b"-" else 1
    digits = text[1:] if text[:1] in (b"-", b"+") else text
    if digits[:2].lower() == b"0x" and base in (0, 16) and digits[2:3].lower() in b"0123456789abcdef" and digits[2:3]:
        base, digits = 16, digits[2:]
    elif base == 0:
        base = 8 if digits[:1] == b"0" else 10
    n = 0
    for c in digits.lower():
        value = c - 48 if 48 <= c < 58 else c - 87 if 97 <= c < 123 else 99
        if value >= base:
            break
        n = n * base + value
    return S64.cast(sign * n)


def has_text(t):
    """Or truth values: not all bytes are one."""
    if isinstance(t, Struct):
        return any(has_text(m.type) for m in t.members)
    return has_text(t.each) if isinstance(t, Array) else t.is_string or t.view == "bool"


def in_copy(e):
    """Does it lie in a variable, and not in memory of the traced program?"""
    while isinstance(e, (Dot, Element)):
        if isinstance(e, Dot) and e.arrow:
            return False
        e = e.base
    return isinstance(e, Read) and not e.type().to


class Expressions:
    def __init__(self, rng, dialect, known):
        self.rng, self.dialect, self.known = rng, dialect, known
        Binary.dialect = dialect
        self.names = 0
        self.variables, self.scope, self.maps = [], [], []
        self.functions, self.structures, self.sources = [], [], []
        self.words = ()  # behind the script's name; the first is a number
        self.loops = 0

    # ---- names

    def new(self, keys=None, declared=None):
        self.names += 1
        v = Variable(("@m%d" if keys is not None else "$v%d") % self.names, keys, declared)
        v.held = declared
        self.variables.append(v)
        return v

    def declared(self, wanted):
        return [v for v in self.scope if v.held is not None and wanted(v.type)]

    def chance(self, p):
        return self.rng.random() < p

    # ---- integers

    def literal(self):
        r = self.rng
        if self.words and self.chance(0.15):
            i = r.choice([i for i, word in enumerate(self.words) if word[:1] in "0123456789-"])
            return Cast(S64, Given(i + 1, self.words[i]))  # as it stands it would take the sign of what is beside it
        n = r.choice(EDGES) if r.random() < 0.5 else r.choice([r.randrange(20), r.randrange(1000), r.getrandbits(32), r.getrandbits(64)])
        if self.dialect == "bt" and n >= 1 << 63:
            n >>= 1
        spelling = r.choice([str(n), str(n), hex(n), "0%o" % n if n else "0", hex(n).upper().replace("X", "x")])
        return Number(n, spelling)

    def leaf(self):
        r = self.rng
        places = [self.literal]
        plain = self.declared(lambda t: t.is_integer and not t.to)
        if plain:
            places += [lambda: Read(r.choice(plain))] * 4
        maps = [m for m in self.maps if m.type.is_integer and not m.type.to]
        if maps:
            places += [lambda: self.element_of(r.choice(maps))] * 2
        if self.sources:
            places += [lambda: self.walk(lambda t: t.is_integer and not t.to)] * 5
        if self.declared(lambda t: t.is_tuple):
            places += [lambda: self.part(lambda t: t.is_integer and not t.to)] * 2
        if self.declared(lambda t: isinstance(t, (Struct, Array))):
            places += [lambda: self.inner(lambda t: t.is_integer and not t.to)] * 3
        return r.choice(places)() or self.literal()

    def element_of(self, m):
        return Read(m, [self.key(k) for k in m.keys])

    def key(self, t):
        """One of few, so that it is there another time."""
        r = self.rng
        if t.is_string:
            held = self.declared(lambda t: t.is_string)
            return Read(r.choice(held)) if held and self.chance(0.2) else Text(r.choice([b"a", b"b", b"", b"a longer one"]))
        held = self.declared(lambda t: t.is_integer and not t.to)
        if held and self.chance(0.2):
            return self.as_type(t, Read(r.choice(held)))
        n = Number(r.choice([0, 1, 2, 255]))
        if not t.signed:
            return Cast(r.choice([INTS["uint8"], INTS["uint64"]]), n)
        return r.choice([n, Unary("-", Number(1))])

    def integer(self, depth=0):
        r = self.rng
        if depth > 3 or r.random() < 0.25:
            return self.leaf()
        kind = r.randrange(16)
        if kind < 5:
            op = r.choice(["+", "-", "*", "/", "%", "&", "|", "^"])
            right = self.integer(depth + 1)
            if op in "/%" and self.dialect == "bt":
                right = Number(r.choice([1, 2, 3, 7, 10, 4096]))
            return Binary(op, self.integer(depth + 1), right)
        if kind == 5:
            return Binary(r.choice(["<<", ">>"]), self.integer(depth + 1), self.distance(depth))
        if kind == 6:
            op = r.choice("-~!")
            return self.as_number(Unary(op, self.integer(depth + 1))) if op == "!" else Unary(op, self.integer(depth + 1))
        if kind < 9:
            return Cast(r.choice(list(INTS.values()) + [BOOL]), self.integer(depth + 1))
        if kind == 9:
            spelled = self.dialect == "lt" and self.chance(0.3)
            a, b = self.integer(depth + 1), self.integer(depth + 1)
            if self.chance(0.2):
                return Choose(a, None, b)
            return Choose(self.truth(depth + 1), a, b, spelled)
        if kind == 10:
            return self.as_number(self.truth(depth))
        if kind == 11:
            return self.counted() or self.leaf()
        if kind == 12 and self.functions:
            fitting = [f for f in self.functions if f.result.is_integer]
            if fitting and not self.loops:
                f = r.choice(fitting)
                return CallOwn(f, [self.of_type(p.declared, depth + 1) for p in f.parameters])
        return self.asked(depth)

    def as_number(self, e):
        """What .bt shows as true or false is kept apart from numbers."""
        return Cast(S64, e) if self.dialect == "bt" else e

    def distance(self, depth):
        return Number(self.rng.randrange(64)) if self.chance(0.6) else Binary("&", self.integer(depth + 2), Number(63))

    def truth(self, depth=0):
        r = self.rng
        kind = r.randrange(9)
        if depth > 3 or kind < 4:
            return Binary(r.choice(list(COMPARE)), self.integer(depth + 1), self.integer(depth + 1))
        if kind == 4:
            return Logical(r.choice(["&&", "||"]), self.integer(depth + 1), self.integer(depth + 1))
        if kind == 5:
            return Binary(r.choice(list(COMPARE)), self.string(depth + 1), self.string(depth + 1))
        if kind == 6:
            a = self.tuple(depth + 1)
            return Binary(r.choice(["==", "!="]), a, self.like(a, depth + 1))
        if kind == 7 and self.sources and self.chance(0.5):
            a = self.whole(64)
            b = a and self.walk(lambda t: t.same(a.type()))
            if b:
                return Binary(r.choice(["==", "!="]), a, b)
        return Unary("!", self.integer(depth + 1))

    def whole(self, size):
        """A structure or an array in memory."""
        return self.walk(lambda t: isinstance(t, (Struct, Array)) and t.size <= size)

    def counted(self):
        """A step whose value is used."""
        r = self.rng
        fitting = self.declared(lambda t: t.is_integer and t.view is None and (not t.to or "A1" not in self.known))
        fitting = [v for v in fitting if v.name not in self.frozen and not v.type.to]
        if not fitting or self.quiet:
            return None
        return Step(Read(r.choice(fitting)), r.choice(["++", "--"]), self.chance(0.5))

    frozen = ()
    quiet = False  # nothing is counted: its order and that of what stands beside it would matter

    def asked(self, depth):
        """A function of the language that gives an integer."""
        r = self.rng
        kind = r.randrange(10)
        if kind == 9 and self.sources:
            return self.length_at()
        if kind == 0:
            return Call("strlen", U64, lambda w, a: len(a), [self.string(depth + 1)])
        if kind == 1:
            return self.as_number(Call("strcontains", s.TRUTH, lambda w, a, b: int(b in a),
                                       [self.string(depth + 1), self.string(depth + 1)]))
        if kind == 2:
            return Call("strstr", S64, lambda w, a, b: a.find(b), [self.string(depth + 1), self.string(depth + 1)])
        if kind == 3:
            base = r.choice([0, 2, 8, 10, 16, 36])
            digits = bytes(r.choice(b"0123456789abcdefxz-") for _ in range(r.randrange(8)))
            text = Text(r.choice([b"", b"-", b"0x", b"0"]) + digits) if self.chance(0.7) else self.string(depth + 1)
            return Call("strtol", S64, lambda w, a, b: to_number(a, b), [text, Number(base)])
        if kind == 4:
            t = r.choice([t for n, t in INTS.items() if n.startswith("u")])
            return Call("bswap", t, lambda w, a: int.from_bytes(a.to_bytes(t.size, "little"), "big"),
                        [Cast(t, self.integer(depth + 1))])
        if kind < 7:
            n = r.randrange(1, 9)
            call = Call("strncmp", S64, lambda w, a, b, c: order(a[:c], b[:c]),
                        [self.string(depth + 1), self.string(depth + 1), Number(n)])
            orders = ["=="] if self.dialect == "bt" else ["==", "<", ">"]  # in .bt it is 0 or 1
            return self.as_number(Binary(r.choice(orders), call, Number(0)))
        if kind == 7:
            text = self.string(depth + 1)
            if text.level == 14 and not isinstance(text, (Text, Read)):
                return self.leaf()
            return Element(text, Number(r.randrange(3))) if isinstance(text, Read) and "@" not in text.text() else self.leaf()
        size = r.choice([1, 2, 4, 8])
        t = INTS["uint8"]
        return Cast(INTS[r.choice(["int", "uint"]) + str(8 * size)], Cast(Array(t, size), Cast(INTS["uint%d" % (8 * size)], self.integer(depth + 1))))

    # ---- other kinds

    def string(self, depth=0):
        r = self.rng
        places = [lambda: Text(self.word())] * 2
        held = self.declared(lambda t: t.is_string)
        if held:
            places += [lambda: Read(r.choice(held))] * 3
        maps = [m for m in self.maps if m.type.is_string]
        if maps:
            places += [lambda: self.element_of(r.choice(maps))]
        if self.sources:
            places += [lambda: self.walk(lambda t: t.is_string)] * 5
        if self.declared(lambda t: t.is_tuple):
            places += [lambda: self.part(lambda t: t.is_string)] * 2
        if self.declared(lambda t: isinstance(t, Struct)):
            places += [lambda: self.inner(lambda t: t.is_string)] * 2
        if self.words:
            places += [self.word_given]
        if depth < 3:
            places += [lambda: self.made_string(depth)] * 3
        return r.choice(places)() or Text(self.word())

    def word_given(self):
        """str($1), str($1, 3)"""
        i = self.rng.randrange(len(self.words))
        word = self.words[i].encode()
        if self.chance(0.5) or "A9" in self.known:
            return Call("str", STRING, lambda w: word, [Given(i + 1)], True)
        n = self.rng.randrange(1, 9)
        return Call("str", STRING, lambda w, length: word[:length], [Given(i + 1), Number(n)], True)

    def made_string(self, depth):
        r = self.rng
        kind = r.randrange(7)
        if kind == 6:
            return self.formatted(depth)
        if kind == 0:
            return Choose(self.truth(depth + 1), self.string(depth + 1), self.string(depth + 1))
        if kind == 1:
            text = self.string(depth + 1)  # an array of char of that size would stay as it is
            return StringCast(r.choice([1, 2, 4, 8, 9, 24]), Binary("+", text, Text(b"")) if self.sources else text)
        if kind == 2:
            return Binary("+", self.string(depth + 2), self.string(depth + 2))
        if kind == 3:
            begin, length = r.randrange(8), r.randrange(1, 8)
            return Call("substr", STRING, lambda w, a, b, c: a[b:][:c], [self.string(depth + 1), Number(begin), Number(length)])
        if kind == 4:
            up = self.chance(0.5)
            return Call("toupper" if up else "tolower", STRING, lambda w, a: a.upper() if up else a.lower(), [self.string(depth + 1)])
        return Call("str", STRING, lambda w, a, n: a[:n], [self.string(depth + 1), Number(r.randrange(1, 20))])

    def formatted(self, depth):
        """sprintf(), which the kernel does; letters after a conversion are not to be taken for a part of it."""
        r = self.rng
        kinds = [r.choice(["s", "s", "d", "u", "x", "ld", "lu", "lx", "hd", "hx", "hhu"]) for _ in range(r.randrange(1, 4))]
        between = [r.choice([b"", b"ms", b"7", b" ", b"/", b"l", b"s"]) for _ in kinds]
        room = 63 if self.dialect == "lt" else 1023

        form = b"".join(b"%" + k.encode() + b for k, b in zip(kinds, between))
        values = [self.string(depth + 1) if k == "s" else self.integer(depth + 1) for k in kinds]

        def make(w, _, *results):
            texts = [v if k == "s" else s.digits(self.dialect, k, e.type(), v).encode() for k, e, v in zip(kinds, values, results)]
            return b"".join(text + b for text, b in zip(texts, between))[:room]

        return Call("sprintf", STRING, make, [Text(form)] + values)

    def length_at(self):
        """Of what str() makes of an address: the bytes may be any."""
        p = self.walk(lambda t: t.is_integer and t.to) or self.rng.choice(self.sources)
        text = Call("str", STRING, c_string, [p, Number(self.rng.choice([1, 2, 3, 5, 8, 20, 40]))])
        return Call("strlen", U64, lambda w, a: len(a), [text])

    def word(self):
        r = self.rng
        return bytes(r.choice(LETTERS) for _ in range(r.choice([0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 30] * 3 + [31, 32, 33, 60])))

    def tuple(self, depth=0):
        r = self.rng
        items = []
        for _ in range(r.randrange(1, 4)):
            kind = r.randrange(5)
            items.append(self.integer(depth + 2) if kind < 2 else self.string(depth + 2) if kind < 4 or depth > 1 else self.tuple(depth + 1))
        if len(items) > 1 and self.chance(0.3):
            return MakeTuple(items, ["f%d" % i for i in range(len(items))])
        return MakeTuple(items)

    def like(self, made, depth, longer=True):
        """Another tuple with parts of the same kinds; its strings may be of other lengths."""
        items = []
        for item in made.items:
            t = item.type()
            if t.is_tuple:
                items.append(self.like(item, depth + 1, longer))
            elif t.is_string:
                items.append(self.string(depth + 1) if longer else item)
            else:
                items.append(self.as_type(t, self.integer(depth + 1)))
        return MakeTuple(items, made.names)

    def as_type(self, t, e):
        """Of the same sign and the same look."""
        own = e.type()
        if t is s.TRUTH or own is s.TRUTH or own.view or t.view or own.signed != t.signed:
            return Cast(BOOL if t.view else INTS["int64" if t.signed else "uint64"], e)
        return e

    def of_type(self, t, depth):
        if t.is_string:
            return self.string(depth)
        return self.as_type(t, self.integer(depth))

    # ---- memory

    def walk(self, wanted):
        """A way from a pointer to what is wanted."""
        for _ in range(4):
            e = self.rng.choice(self.sources)
            for _ in range(8):
                t = e.type()
                if wanted(t):
                    return e
                e = self.onwards(e, t)
                if e is None:
                    break
        return None

    def inner(self, wanted):
        for _ in range(4):
            e = Read(self.rng.choice(self.declared(lambda t: isinstance(t, (Struct, Array)))))
            for _ in range(6):
                t = e.type()
                if wanted(t):
                    return e
                e = self.onwards(e, t)
                if e is None:
                    break
        return None

    def onwards(self, e, t):
        r = self.rng
        copied = in_copy(e)
        if isinstance(t, Struct):
            return Dot(e, r.choice(t.members).name)
        if isinstance(t, Array):
            i = r.randrange(t.count)
            small = self.declared(lambda t: t.is_integer and not t.to and not t.view)
            if small and self.chance(0.3) and not (copied and "D3" in self.known):
                index = Binary("%", Cast(INTS["uint8"], Read(r.choice(small))), Number(t.count))
                return Element(e, index)
            return Element(e, Number(i))
        if t.is_integer and t.to:
            if copied and "D2" in self.known:
                return None
            if isinstance(t.to, Struct) and self.chance(0.8):
                return Dot(e, r.choice(t.to.members).name, True)
            beyond = t.to.size <= 16 and not has_text(t.to)  # what follows is any bytes, which a text cannot show
            return Deref(e, Number(r.randrange(3)) if self.chance(0.4) and beyond else None)
        return None

    def part(self, wanted):
        r = self.rng
        e = Read(r.choice(self.declared(lambda t: t.is_tuple)))
        for _ in range(3):
            t = e.type()
            if wanted(t):
                return e
            if not t.is_tuple:
                return None
            i = r.randrange(len(t.parts))
            e = Dot(e, t.names[i] if t.names else str(i))
        return e if wanted(e.type()) else None
