"""Structures and the memory that a traced program shows: made up, or those of tests/workload/memory.c (KNOWN)."""

from meaning_types import BOOL, INTS, Array, Int, Member, Str, Struct, pointer

BASE = 0x10000000
SIZE = 1024

EDGES = [0, 1, 2, 3, 7, 10, 127, 128, 129, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
         2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2, 2**64 - 128]
INTEGERS = list(INTS.values())
LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+.,:;#=*/()<>"


def known_structures():
    """As in tests/workload/memory.c, which against_gcc.py checks."""
    i = INTS
    inner = Struct("inner", [Member("tag", Int(1, True, name="char")), Member("word", i["int16"]),
                             Member("name", Str(5))])
    inner.members[0].type = i["int8"]
    flags = Struct("flags", [Member("low", i["uint32"], 3), Member("middle", i["int32"], 7), Member("high", i["uint32"], 20),
                             Member("after", i["uint8"])])
    both = Struct("both", [Member("number", i["uint32"]), Member("halves", Array(i["int16"], 2)), Member("byte", i["int8"])],
                  "union")
    tight = Struct("tight", [Member("byte", i["uint8"]), Member("number", i["int32"]), Member("long_one", i["uint64"])],
                   packed=True)
    known = Struct("known", [
        Member("a", i["int8"]), Member("b", i["uint8"]), Member("c", i["int16"]), Member("d", i["uint16"]),
        Member("e", i["int32"]), Member("f", i["uint32"]), Member("g", i["int64"]), Member("h", i["uint64"]),
        Member("yes", BOOL), Member("text", Str(5)), Member("longer", Str(24)), Member("bytes", Array(i["uint8"], 6)),
        Member("numbers", Array(i["int32"], 3)), Member("grid", Array(Array(i["uint16"], 3), 2)), Member("in", inner),
        Member("two", Array(inner, 2)), Member("flags", flags), Member("both", both), Member("tight", tight),
        Member("at", pointer(i["int32"])), Member("other", pointer(inner))])
    known.members.append(Member("next", pointer(known)))
    known.lay_out()
    return [inner, flags, both, tight, known]


KNOWN = known_structures()
MANY = [(name, INTS[name.replace("u_", "uint").replace("s_", "int")]) for name in
        ("s_8", "u_8", "s_16", "u_16", "s_32", "u_32", "s_64", "u_64")]


class Made:
    """Structures of a program's own, and memory that holds them."""

    def __init__(self, rng, known):
        self.rng, self.known = rng, known  # known: classes of defects that are left out
        self.structures, self.numbers = [], 0
        self.memory = bytearray(rng.choice([0, 255, rng.randrange(256)]) for _ in range(SIZE))
        self.used = 0
        self.places = {}

    def scalar(self):
        return self.rng.choice(INTEGERS + [BOOL])

    def member(self, name):
        r = self.rng
        kind = r.randrange(12)
        if kind < 4:
            return Member(name, self.scalar())
        if kind < 6:
            t = r.choice([INTS[n] for n in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")])
            return Member(name, t, r.randrange(1, 8 * t.size + 1))
        if kind == 6:
            return Member(name, Str(r.choice([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31])))
        if kind == 7:
            return Member(name, Array(r.choice(INTEGERS), r.randrange(1, 6)))
        if kind == 8:
            return Member(name, Array(Array(r.choice(INTEGERS), r.randrange(1, 4)), r.randrange(1, 4)))
        if kind == 9:
            return Member(name, pointer(r.choice(INTEGERS + self.structures)))
        if kind == 10 and self.structures:
            return Member(name, r.choice(self.structures))
        if kind == 11 and self.structures:
            return Member(name, Array(r.choice(self.structures), r.randrange(1, 4)))
        return Member(name, self.scalar())

    def structure(self):
        r = self.rng
        self.numbers += 1
        name = "s%d" % self.numbers
        kind = "union" if r.random() < 0.15 else "struct"
        members = [self.member("m%d" % i) for i in range(r.randrange(1, 7))]
        if kind == "union":  # any bytes are a value of numbers, but no text that can be shown
            members = [Member("m%d" % i, r.choice([r.choice(INTEGERS), Array(r.choice(INTEGERS), r.randrange(1, 5))]))
                       for i in range(r.randrange(1, 5))]
        elif r.random() < 0.3:
            members.append(Member("again", Int(8, False, to=None)))
        packed = kind == "struct" and r.random() < 0.2
        if packed and ("D4" in self.known or "D5" in self.known):
            members = [Member(m.name, m.type) for m in members]
        if "D5" in self.known:
            packed = False
        s = Struct(name, members, kind, packed)
        if members[-1].name == "again":
            members[-1].type = pointer(s)
        self.structures.append(s)
        return s

    def place(self, t):
        """The address of an instance, in memory that is made for it."""
        at = (self.used + 15) // 16 * 16
        if at + t.size > SIZE - 64 or (t in self.places and self.rng.random() < 0.5):
            return self.places.get(t, BASE)
        self.used = at + t.size
        self.places.setdefault(t, BASE + at)
        self.fill(t, at)
        return BASE + at

    def number(self):
        r = self.rng
        return r.choice(EDGES) if r.random() < 0.6 else r.getrandbits(64)

    def fill(self, t, at):
        r = self.rng
        if isinstance(t, Array):
            for i in range(t.count):
                self.fill(t.each, at + i * t.each.size)
        elif isinstance(t, Struct):
            for m in t.members:
                if m.bits is None:
                    self.fill(m.type, at + m.offset)
                else:
                    old = int.from_bytes(self.memory[at:at + t.size], "little")
                    mask = ((1 << m.bits) - 1) << m.bit
                    new = old & ~mask | (self.number() << m.bit) & mask
                    self.memory[at:at + t.size] = new.to_bytes(t.size, "little")
        elif t.is_string:
            self.memory[at:at + t.size] = self.letters(t.size)
        elif t.to:
            self.memory[at:at + 8] = self.place(t.to).to_bytes(8, "little")
        elif t.view == "bool":
            self.memory[at] = r.randrange(2)
        else:
            self.memory[at:at + t.size] = (self.number() & ((1 << 8 * t.size) - 1)).to_bytes(t.size, "little")

    def letters(self, size):
        r = self.rng
        length = r.choice([0, 1, size - 1, size, size, r.randrange(size + 1)])
        if "A5" in self.known:
            length = min(length, size - 1)
        text = bytes(r.choice(LETTERS) for _ in range(size))
        return text[:length] + (b"\0" + text[length + 1:] if length < size else b"")
