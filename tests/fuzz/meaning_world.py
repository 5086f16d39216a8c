"""The world of a program of the fuzzer of meaning: memory, variables and maps, and what they make of a value."""

from meaning_types import S64, STRING, U64, WORD, Tuple, joined


class Unknown(Exception):
    """No program: a name without a value, or a loop without an end."""


class Jump(Exception):
    def __init__(self, kind):
        self.kind = kind


class World:
    """What a run of a program has: memory of the traced program, variables, maps, and the lines that it prints."""
    STEPS = 20000

    def __init__(self, memory=b"", base=0, arguments=(), plain_truth=True):
        self.memory, self.base, self.arguments = memory, base, arguments
        self.plain_truth = plain_truth  # a comparison is shown as 1 or 0
        self.values, self.maps, self.lines, self.steps = {}, {}, [], 0

    def read(self, address, size):
        at = (address & WORD) - self.base
        if size > len(self.memory) > at >= 0:  # of its members, those that lie in memory have values
            raise Unknown("a structure that is larger than the memory")
        return self.memory[at:at + size] if 0 <= at and at + size <= len(self.memory) else bytes(size)

    def step(self):
        self.steps += 1
        if self.steps > self.STEPS:
            raise Unknown("no end")


def joined_signs(held, literal, t, is_literal):
    """What a map or a tuple holds, with the sign of any that is not a literal, and which of its numbers are only literals."""
    if held.is_tuple:
        parts = len(held.parts)
        each = [x if isinstance(x, list) else [x] * parts for x in (literal, is_literal)]
        pairs = [joined_signs(*four) for four in zip(held.parts, each[0], t.parts, each[1])]
        return Tuple([p for p, _ in pairs], held.names), [flag for _, flag in pairs]
    both = joined(held, t)
    if both.is_integer and is_literal != literal and not held.same(t):
        both = S64 if (held if is_literal else t).signed else U64
    return both, literal and is_literal


class Variable:
    """A variable or a map. Its type is what Program.find_types() found in the order of the text."""

    def __init__(self, name, keys=None, declared=None):
        self.name, self.keys, self.declared, self.held = name, keys, declared, None
        self.literals = False  # does it hold only numbers as they stand? For tuples a list

    earlier = None  # what a map held at the end of the last round

    def forget(self):
        self.held, self.literals, self.earlier = self.declared, False, None

    def begin_round(self):
        earlier = self.held if self.keys is not None else None
        self.forget()
        self.earlier = earlier

    def take(self, t, literal=False):
        if self.held is None:
            self.held, self.literals = t, literal
        elif self.keys is not None or t.is_tuple:  # the sign of any that is not a literal
            self.held, self.literals = joined_signs(self.held, self.literals, t, literal)

    @property
    def type(self):
        if self.held is None and self.earlier is None:
            raise Unknown(self.name)
        return self.earlier or self.held


def kept(t):
    """As variables, maps and parts of tuples keep it."""
    if t.is_integer and not t.to and not t.view:
        return S64 if t.signed else U64
    return STRING if t.is_string else t


def convert(t, value):
    return t.cast(value) if t.is_integer else value
