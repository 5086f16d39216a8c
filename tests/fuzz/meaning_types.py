"""The types of the fuzzer of meaning: what each takes in memory, how C and lt spell it, and how lt prints a value.

A value is a Python int (an integer, an address), bytes (a string without its final zero; the bytes of a structure or an
array) or a tuple. Layouts are those of x86-64's ABI; against_gcc.py holds them to gcc's.
"""

WORD = (1 << 64) - 1


def wrap(value, size, signed):
    """The lowest bytes of an integer, with or without a sign."""
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if signed and value >> (8 * size - 1) else value


class Type:
    is_integer = is_string = is_tuple = False
    view = to = None  # of integers only

    def same(self, other):
        return repr(self) == repr(other)


class Int(Type):
    """`view` is bool, an enumeration's names by their values, or None; `to` is what an address points to."""
    is_integer = True

    def __init__(self, size=8, signed=True, view=None, to=None, name=None, user=False):
        self.size, self.signed, self.view, self.to, self.user = size, signed, view, to, user
        self.name = name or ("bool" if view == "bool" else "%sint%d" % ("" if signed else "u", 8 * size))
        self.align = size

    def __repr__(self):
        return "%s *" % self.to if self.to else self.name

    def lt(self):
        if self.to:
            inner = self.to.lt()
            return inner + ("*" if inner.endswith("*") else " *")
        return self.name

    def c(self):
        if self.to:
            return self.to.c() + " *"
        return self.name if self.view else self.name + "_t"

    def cast(self, value):
        if self.view == "bool":
            return int(value != 0)
        return wrap(value, self.size, self.signed)

    def load(self, memory):
        raw = int.from_bytes(memory[:self.size], "little")
        return int(raw != 0) if self.view == "bool" else wrap(raw, self.size, self.signed)

    def show(self, value):
        if self.to:
            return "0x%x" % (value & WORD)
        if self.view == "bool":
            return "true" if value else "false"
        if self.view:
            return self.view.get(value, str(value))
        return str(value)


class Str(Type):
    """A text; `size` is of an array of char, or None for what the language makes."""
    is_string = True
    align = 1

    def __init__(self, size=None):
        self.size = size

    def __repr__(self):
        return "string"

    def c(self):
        return "char"

    def load(self, memory):
        return memory[:self.size].split(b"\0")[0]

    def show(self, value):
        return value.decode("latin-1")


class Array(Type):

    def __init__(self, each, count):
        self.each, self.count = each, count
        self.size, self.align = each.size * count, each.align

    def __repr__(self):
        return "%r[%d]" % (self.each, self.count)

    def c(self):
        return self.each.c()

    def load(self, memory):
        return bytes(memory[:self.size])

    def element(self, value, index):
        return self.each.load(value[index * self.each.size:(index + 1) * self.each.size])

    def show(self, value):
        return "[%s]" % ",".join(self.each.show(self.element(value, i)) for i in range(self.count))


class Tuple(Type):
    is_tuple = True

    def __init__(self, parts, names=None):
        self.parts, self.names = parts, names

    def __repr__(self):
        return "(%s)" % ", ".join("%s%r" % (n + " = " if n else "", p)
                                  for n, p in zip(self.names or [""] * len(self.parts), self.parts))

    def show(self, value):
        texts = [p.show(v) for p, v in zip(self.parts, value)]
        if self.names:
            return "{ %s }" % ", ".join(".%s = %s" % pair for pair in zip(self.names, texts))
        return "(%s)" % (", ".join(texts) + ("," if len(texts) == 1 else ""))


class Member:
    def __init__(self, name, type, bits=None):
        self.name, self.type, self.bits = name, type, bits
        self.offset = self.bit = 0  # in bytes, and for a bit field in bits from the begin of the structure

    def load(self, memory):
        if self.bits is None:
            return self.type.load(memory[self.offset:])
        raw = int.from_bytes(memory, "little") >> self.bit & ((1 << self.bits) - 1)
        if self.type.view == "bool":
            return raw
        return raw - (1 << self.bits) if self.type.signed and raw >> (self.bits - 1) else raw

    def c(self):
        dims, t = "", self.type
        while isinstance(t, Array):
            dims += "[%d]" % t.count
            t = t.each
        if t.is_string:
            dims += "[%d]" % t.size
        bits = " : %d" % self.bits if self.bits is not None else ""
        return "%s %s%s%s;" % (t.c(), self.name, dims, bits)


class Struct(Type):
    """`kind` is struct or union; one without a name stands in the one that holds it."""

    def __init__(self, name, members, kind="struct", packed=False):
        self.name, self.members, self.kind, self.packed = name, members, kind, packed
        self.lay_out()

    def lay_out(self):
        bit, widest, largest = 0, 1, 0
        for m in self.members:
            if self.kind == "union":
                bit = 0
            align = 8 * (1 if self.packed else m.type.align)
            if m.bits is not None:
                unit = 8 * m.type.size
                if not self.packed and bit // unit != (bit + m.bits - 1) // unit:
                    bit = (bit + unit - 1) // unit * unit
                m.bit, m.offset = bit, bit // 8
                bit += m.bits
            else:
                bit = (bit + align - 1) // align * align
                m.offset = bit // 8
                bit += 8 * m.type.size
            widest, largest = max(widest, align // 8), max(largest, bit)
        self.align = widest
        self.size = (largest + 8 * widest - 1) // (8 * widest) * widest

    def __repr__(self):
        return "%s %s" % (self.kind, self.name)

    def lt(self):
        return repr(self)

    c = lt

    def load(self, memory):
        return bytes(memory[:self.size])

    def show(self, value):
        return "{ %s }" % ", ".join(".%s = %s" % (m.name, m.type.show(m.load(value))) for m in self.members)

    def declaration(self):
        packed = " __attribute__((packed))" if self.packed else ""
        return "%s%s %s {\n%s};" % (self.kind, packed, self.name, "".join("    %s\n" % m.c() for m in self.members))


INTS = {name: Int(size, signed) for size in (1, 2, 4, 8) for signed in (False, True)
        for name in ["%sint%d" % ("" if signed else "u", 8 * size)]}
S64, U64 = INTS["int64"], INTS["uint64"]
BOOL = Int(1, False, "bool")
STRING = Str()


def pointer(to, user=False):
    return Int(8, False, None, to, user=user)


def joined(a, b):
    """What holds both, in a variable or a map: parts of tuples, each; an integer has a sign if either has one."""
    if a.is_tuple:
        return Tuple([joined(p, q) for p, q in zip(a.parts, b.parts)], a.names)
    if a.is_integer and not a.same(b):
        return Int(8, a.signed or b.signed)
    return a
