"""Expressions and statements of the fuzzer of meaning: each knows its text, its type and, in a World, its value.

What C says of an operation is what it does here, on 64 bits; where man/lt-language.7 says otherwise (a literal below
2^63 takes the sign of the other side, a difference is signed, division by zero gives zero, in .bt a comparison is
signed only if both sides are) it is as there.
"""

from meaning_types import BOOL, INTS, S64, STRING, U64, WORD, Array, Int, Tuple, joined, pointer, wrap
from meaning_world import Unknown, convert, kept

PRECEDENCE = {"?:": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, "<=": 8, ">": 8, ">=": 8,
              "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11}
UNARY, POSTFIX, ATOM = 12, 13, 14
COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
           ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


class Expr:
    level = ATOM
    parts = ()  # names of attributes that are expressions

    def inside(self, level):
        text = self.text()
        return text if self.level >= level else "(%s)" % text

    def __repr__(self):
        return self.text()


class Number(Expr):
    def __init__(self, value, spelling=None):
        self.number, self.spelling = value, spelling or str(value)

    def text(self):
        return self.spelling

    def type(self):
        return S64 if self.number < 1 << 63 else U64

    def value(self, w):
        return self.type().cast(self.number)


class Truth(Expr):
    def __init__(self, value):
        self.truth = value

    def text(self):
        return "true" if self.truth else "false"

    def type(self):
        return BOOL

    def value(self, w):
        return int(self.truth)


class Text(Expr):
    def __init__(self, value):
        self.bytes = value

    def text(self):
        return '"%s"' % self.bytes.decode("latin-1").replace("\\", "\\\\").replace('"', '\\"')

    def type(self):
        return STRING

    def value(self, w):
        return self.bytes


class Given(Expr):
    """$1: a word behind the script's name. As a number it is read as C reads one."""

    def __init__(self, position, word="0"):
        self.position, self.word = position, word

    def text(self):
        return "$%d" % self.position

    def type(self):
        return S64

    def value(self, w):
        digits = self.word.lstrip("-")
        octal = digits[:1] == "0" and digits.isdigit()
        n = int(digits, 8) if octal else int(digits, 0)
        return -n if self.word[:1] == "-" else n


class Argument(Expr):
    """arg0 or args.NAME of the probe, of this type."""

    def __init__(self, name, index, t):
        self.name, self.index, self.t = name, index, t

    def text(self):
        return self.name

    def type(self):
        return self.t

    def value(self, w):
        return convert(self.t, w.arguments[self.index])


class Read(Expr):
    def __init__(self, variable, key=()):
        self.variable, self.key = variable, list(key)

    def text(self):
        return self.variable.name + ("[%s]" % ", ".join(k.text() for k in self.key) if self.key else "")

    def type(self):
        return self.variable.type

    def address(self, w):
        return tuple(k.value(w) for k in self.key)

    def value(self, w):
        if self.variable.keys is None:
            if self.variable not in w.values:
                raise Unknown(self.variable.name)
            return w.values[self.variable]
        held = w.maps.setdefault(self.variable, {})
        return convert(self.type(), held.get(self.address(w), nothing_of(self.type())))

    def store(self, w, value):
        value = convert(self.type(), value)
        if self.variable.keys is None:
            w.values[self.variable] = value
        else:
            w.maps.setdefault(self.variable, {})[self.address(w)] = value
        return value


def nothing_of(t):
    if t.is_tuple:
        return tuple(nothing_of(p) for p in t.parts)
    return 0 if t.is_integer else b"" if t.is_string else bytes(t.size)


class Unary(Expr):
    level = UNARY

    def __init__(self, op, operand):
        self.op, self.operand = op, operand

    def text(self):
        inner = self.operand.inside(UNARY)
        return self.op + ("(%s)" % inner if inner[0] in "+-" else inner)

    def type(self):
        t = self.operand.type()
        if self.op == "!":
            return TRUTH
        if self.op == "~":
            return S64 if t.signed or t.view == "bool" else U64
        return S64

    def value(self, w):
        v = self.operand.value(w)
        return self.type().cast(-v if self.op == "-" else ~v if self.op == "~" else v == 0)


TRUTH = Int(8, True, name="truth")  # what a comparison gives; the dialect of .bt shows it as true or false


class Binary(Expr):
    """Arithmetic and comparisons of integers and addresses; == and < of strings, == of tuples."""
    dialect = "lt"  # of the program that is being made or evaluated

    def __init__(self, op, left, right):
        self.op, self.left, self.right, self.level = op, left, right, PRECEDENCE[op]

    def text(self):
        return "%s %s %s" % (self.left.inside(self.level), self.op, self.right.inside(self.level + 1))

    def signed(self):
        left, right = self.left.type(), self.right.type()
        fits_both = lambda e: isinstance(e, Number) and e.number < 1 << 63
        if self.op in ("<<", ">>") or fits_both(self.right):
            return left.signed
        if fits_both(self.left):
            return right.signed
        if self.dialect == "bt" and (self.op in COMPARE or self.op in "/%"):
            return left.signed and right.signed
        return left.signed or right.signed

    def type(self):
        if self.op in COMPARE:
            return TRUTH
        left, right = self.left.type(), self.right.type()
        if left.is_string:
            return STRING
        if self.op in "+-" and left.to and not right.to:
            return left
        if self.op == "+" and right.to:
            return right
        return S64 if self.op == "-" or self.signed() else U64

    def value(self, w):
        a, b = self.left.value(w), self.right.value(w)
        if not self.left.type().is_integer:
            return int(COMPARE[self.op](a, b)) if self.op in COMPARE else self.joined(a + b)
        left, right, signed = self.left.type(), self.right.type(), self.signed()
        if self.op in COMPARE:
            return int(COMPARE[self.op](wrap(a, 8, signed), wrap(b, 8, signed)))
        if self.op in "+-" and left.to and not right.to:
            b *= left.to.size
        elif self.op == "+" and right.to:
            a *= right.to.size
        elif self.op == "-" and left.to and right.to:
            return arithmetic("/", wrap(a - b, 8, True), left.to.size)
        return self.type().cast(arithmetic(self.op, wrap(a, 8, signed), wrap(b, 8, signed)))

    def joined(self, text):
        """What a string that is joined to itself has room for is in the manual; here it is left out."""
        if len(text) >= 64 and any(sign in self.text() for sign in "$@"):
            raise Unknown("a string that may grow")
        return text


def arithmetic(op, a, b):
    if op in "/%":
        quotient = 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        if op == "/":
            return quotient
        return 0 if b == 0 else a - quotient * b
    if op in ("<<", ">>"):
        b &= 63  # as the processor does
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "&": lambda: a & b, "|": lambda: a | b,
            "^": lambda: a ^ b, "<<": lambda: a << b, ">>": lambda: a >> b}[op]()


class Logical(Expr):
    def __init__(self, op, left, right):
        self.op, self.left, self.right, self.level = op, left, right, PRECEDENCE[op]

    text = Binary.text

    def type(self):
        return TRUTH

    def value(self, w):
        if (self.left.value(w) != 0) != (self.op == "&&"):
            return int(self.op == "||")
        return int(self.right.value(w) != 0)


class Choose(Expr):
    """a ? b : c, or the if of .lt that has a value; without a b: a ?: c."""
    level = 1

    def __init__(self, condition, yes, no, spelled_if=False):
        self.condition, self.yes, self.no, self.spelled_if = condition, yes, no, spelled_if

    def text(self):
        if self.spelled_if:
            return "(if (%s) { %s } else { %s })" % (self.condition, self.yes, self.no)
        if self.yes is None:
            return "%s ?: %s" % (self.condition.inside(2), self.no.inside(2))
        return "%s ? %s : %s" % (self.condition.inside(2), self.yes.inside(2), self.no.inside(2))

    def type(self):
        yes, no = (self.yes or self.condition).type(), self.no.type()
        if not yes.is_integer or repr(yes) == repr(no):
            return yes if not yes.is_tuple else joined(yes, no)
        return S64 if yes.signed or no.signed else U64

    def value(self, w):
        c = self.condition.value(w)
        if self.yes is None:
            return self.type().cast(c if c != 0 else self.no.value(w))
        return convert(self.type(), (self.yes if c != 0 else self.no).value(w))


class Cast(Expr):
    level = UNARY

    def __init__(self, t, operand):
        self.t, self.operand = t, operand

    def text(self):
        name = self.t.lt() if not isinstance(self.t, Array) else "%s[%d]" % (self.t.each.lt(), self.t.count)
        return "(%s)%s" % (name, self.operand.inside(UNARY))

    def type(self):
        if self.t.is_integer and self.t.to:
            return pointer(self.t.to, self.operand.type().user)
        return self.t

    def value(self, w):
        v, t = self.operand.value(w), self.type()
        if isinstance(t, Array):
            return (v & WORD).to_bytes(8, "little")[:t.size]
        if isinstance(self.operand.type(), Array):
            return t.load(v)
        return t.cast(v)


class StringCast(Expr):
    """(string[N])text: cut where it is longer."""
    level = UNARY

    def __init__(self, size, operand):
        self.size, self.operand = size, operand

    def text(self):
        return "(string[%d])%s" % (self.size, self.operand.inside(UNARY))

    def type(self):
        return STRING

    def value(self, w):
        return self.operand.value(w)[:self.size - 1]


class Step(Expr):
    """$x++, --@m[k]: the value before it, or after it where the operator stands in front."""

    def __init__(self, target, op, before):
        self.target, self.op, self.before = target, op, before
        self.level = UNARY if before else POSTFIX

    def text(self):
        return self.op + self.target.text() if self.before else self.target.text() + self.op

    def type(self):
        return self.target.type()

    def value(self, w):
        t = self.type()
        old = self.target.value(w)
        new = self.target.store(w, old + (t.to.size if t.to else 1) * (1 if self.op == "++" else -1))
        return new if self.before else old


class Deref(Expr):
    """*p, or p[i]."""

    def __init__(self, address, index=None):
        self.address, self.index = address, index
        self.level = UNARY if index is None else POSTFIX

    def text(self):
        if self.index is None:
            return "*" + self.address.inside(UNARY)
        return "%s[%s]" % (self.address.inside(POSTFIX), self.index)

    def type(self):
        return self.address.type().to

    def value(self, w):
        t = self.type()
        at = self.address.value(w) + (self.index.value(w) * t.size if self.index else 0)
        return t.load(w.read(at, t.size))


class Element(Expr):
    """array[i]; beyond the end of a copy it is 0. string[i] is a byte of it."""
    level = POSTFIX

    def __init__(self, base, index):
        self.base, self.index = base, index

    def text(self):
        base = self.base.inside(POSTFIX)
        # behind a map it would be the key
        return "%s[%s]" % ("(%s)" % base if base.startswith("@") else base, self.index)

    def type(self):
        t = self.base.type()
        return INTS["int8"] if t.is_string else t.each

    def value(self, w):
        t, i = self.base.type(), self.index.value(w)
        v = self.base.value(w)
        if t.is_string:
            return wrap(v[i], 1, True) if i < len(v) else 0
        return t.element(v, i)


class Dot(Expr):
    """A member of a structure, or of what an address points to; a part of a tuple."""
    level = POSTFIX

    def __init__(self, base, name, arrow=False):
        self.base, self.name, self.arrow = base, name, arrow

    def text(self):
        return self.base.inside(POSTFIX) + ("->" if self.arrow else ".") + self.name

    def member(self):
        t = self.base.type()
        owner = t.to if self.arrow else t
        return next(m for m in owner.members if m.name == self.name)

    def type(self):
        t = self.base.type()
        if t.is_tuple:
            return t.parts[t.names.index(self.name) if t.names else int(self.name)]
        m = self.member()
        if m.bits is not None and m.type.view is None:
            return S64 if m.type.signed else U64
        return pointer(m.type.to, True) if m.type.is_integer and m.type.to else m.type

    def value(self, w):
        t = self.base.type()
        if t.is_tuple:
            return self.base.value(w)[t.names.index(self.name) if t.names else int(self.name)]
        v = self.base.value(w)
        return self.member().load(w.read(v, t.to.size) if self.arrow else v)


class MakeTuple(Expr):
    def __init__(self, parts, names=None):
        self.items, self.names = parts, names

    def text(self):
        texts = [p.text() for p in self.items]
        if self.names:
            texts = ["%s = %s" % pair for pair in zip(self.names, texts)]
        return "(%s%s)" % (", ".join(texts), "," if len(texts) == 1 else "")

    def type(self):
        return Tuple([kept(p.type()) for p in self.items], self.names)

    def value(self, w):
        return tuple(p.value(w) for p in self.items)


class Call(Expr):
    """A function of a table: its type, and what it makes of the values of its arguments."""

    def __init__(self, name, t, function, arguments, of_word=False):
        self.name, self.t, self.function, self.arguments = name, t, function, arguments
        self.of_word = of_word  # the first argument stands for its text

    def text(self):
        return "%s(%s)" % (self.name, ", ".join(a.text() for a in self.arguments))

    def type(self):
        return self.t

    def value(self, w):
        return self.function(w, *[a.value(w) for a in self.arguments[self.of_word:]])


class CallOwn(Expr):
    """A function of the program: its arguments are copies, of the types that it says."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments

    def text(self):
        return "%s(%s)" % (self.function.name, ", ".join(a.text() for a in self.arguments))

    def type(self):
        return self.function.result

    def value(self, w):
        f = self.function
        for p, a in [(p, a.value(w)) for p, a in zip(f.parameters, self.arguments)]:
            w.values[p] = convert(p.type, a)
        return convert(f.result, f.value.value(w))
