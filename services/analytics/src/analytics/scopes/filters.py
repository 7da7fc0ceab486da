"""Filters of interfaces, as the judge reads them: the whole language, by a reader of its own.

The judge does not use the federation's parser, so that a fault of it cannot hide itself.

Source:
    docs/filters.md, Grammar.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

from analytics.scopes import truth

Test = Callable[["Content"], int]
"""Returns the truths that a test may have of an event."""

Value = Callable[["Content"], Any]

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<string>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")*")
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    |(?P<word>[^\W\d][\w$]*|\$[\w$]*)|(?P<sign><=|>=|<>|[-=<>+*/(),@]))""",
    re.VERBOSE,
)
_SIGNS: Final = ("=", "<>", "<", "<=", ">", ">=")
_WORD: Final = re.compile(r"\s*([^\W\d][\w$]*)\s*")
_MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Content:
    """An event, as far as it is known.

    Attributes:
        subject: None where it is not known.
        parameters: None where they are not known.
    """

    subject: str | None
    parameters: Mapping[str, Any] | None = field(default=None, hash=False)

    def parameter(self, name: str) -> Any:
        """Return the value of a parameter."""
        return truth.ANY if self.parameters is None else self.parameters.get(name)

    @property
    def title(self) -> Any:
        """The subject as a value."""
        return truth.ANY if self.subject is None else self.subject


class UnreadableError(ValueError):
    """Raised where the judge cannot read a filter."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter: its text, and the test that it is."""

    text: str
    test: Test = field(compare=False, repr=False)

    @classmethod
    def of(cls, text: str) -> "Filter":
        """Return the filter of a text.

        Raises:
            UnreadableError: The judge cannot read it.
        """
        return cls(text, _test_of(text))


def _test_of(text: str) -> Test:
    if not text.strip():
        return lambda _: truth.TRUE
    word = _WORD.fullmatch(text)
    if word and word[1].upper() not in ("TRUE", "FALSE"):
        return lambda content: truth.compared(content.title, "=", word[1])
    reader = _Reader(_tokens(text))
    test = reader.condition()
    if reader.kind:
        raise UnreadableError(f"cannot read {text!r}")
    return test


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at, end = [], 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise UnreadableError(f"cannot read {text!r}")
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


class _Reader:
    """Reads a condition, token by token; a place may be tried again."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def kind(self) -> str:
        """What kind of token is next; empty at the end."""
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def condition(self) -> Test:
        """Read alternatives."""
        tests = [self._all()]
        while self._has("OR"):
            tests.append(self._all())
        return _joined(truth.either, tests)

    def _all(self) -> Test:
        tests = [self._inverse()]
        while self._has("AND"):
            tests.append(self._inverse())
        return _joined(truth.both, tests)

    def _inverse(self) -> Test:
        inverse = False
        while self._has("NOT"):
            inverse = not inverse
        test = self._single()
        return _not(test) if inverse else test

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        """Read what is in parentheses; too many of them could not be read."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise UnreadableError("too many parentheses")
        yield
        self._depth -= 1

    def _single(self) -> Test:
        start, depth = self._at, self._depth
        if self._has("EXISTS"):
            return _state(self._name(), truth.negated)
        if self._has("WITHIN"):
            return self._within()
        try:
            return self._comparison()
        except UnreadableError:
            self._at, self._depth = start, depth
        if not self._has("("):
            raise UnreadableError("expected a test")
        with self._deeper():
            test = self.condition()
        self._expect(")")
        return self._of_truth(test) if self._has("IS") else test

    def _comparison(self) -> Test:
        value = self._sum()
        for sign in _SIGNS:
            if self._has(sign):
                return _compared(value, sign, self._sum())
        if self._has("IS"):
            return self._state_of(value)
        inverse = self._has("NOT")
        test = self._of_value(value)
        if test is not None:
            return _not(test) if inverse else test
        if inverse or not (self.kind in ("", "word") or self._next() == ")"):
            raise UnreadableError("expected a test")
        return lambda content: truth.as_condition(value(content))

    def _state_of(self, value: Value) -> Test:
        inverse = self._has("NOT")
        if self._has("NULL"):
            return _state(value, truth.negated) if inverse else _state(value, lambda one: one)
        test = self._truth_named(lambda content: truth.as_condition(value(content)))
        return _not(test) if inverse else test

    def _of_value(self, value: Value) -> Test | None:
        if self._has("BETWEEN"):
            low = self._sum()
            self._expect("AND")
            ends = [_compared(value, ">=", low), _compared(value, "<=", self._sum())]
            return _joined(truth.both, ends)
        if self._has("IN"):
            return self._among(value)
        if self._has("LIKE"):
            pattern = self._string()
            escape = self._string() if self._has("ESCAPE") else ""
            return _matching(value, _like(pattern, escape))
        for words, form in (
            (("STARTS", "WITH"), "{}.*"),
            (("ENDS", "WITH"), ".*{}"),
            (("CONTAINS",), ".*{}.*"),
        ):
            if self._has(words[0]):
                for word in words[1:]:
                    self._expect(word)
                return _matching(value, form.format(re.escape(self._string())))
        return None

    def _among(self, value: Value) -> Test:
        self._expect("(")
        tests = [_compared(value, "=", self._signed())]
        while self._has(","):
            tests.append(_compared(value, "=", self._signed()))
        self._expect(")")
        return _joined(truth.either, tests)

    def _of_truth(self, test: Test) -> Test:
        inverse = self._has("NOT")
        found = self._truth_named(test)
        return _not(found) if inverse else found

    def _truth_named(self, test: Test) -> Test:
        wanted = truth.TRUE if self._has("TRUE") else truth.FALSE
        if wanted == truth.FALSE:
            self._expect("FALSE")
        return lambda content: truth.is_truth(test(content), wanted)

    def _within(self) -> Test:
        self._expect("(")
        numbers = [self._signed()(Content(None))]
        while self._has(","):
            numbers.append(self._signed()(Content(None)))
        self._expect(")")
        if len(numbers) != 3 or not all(map(truth.is_number, numbers)):
            raise UnreadableError("WITHIN has three numbers")
        lat, lon, metres = numbers
        return lambda content: truth.within(_position(content), (lat, lon), metres)

    def _sum(self) -> Value:
        first, further = self._product(), list[tuple[str, Value]]()
        while (sign := self._one_of("+", "-")) is not None:
            further.append((sign, self._product()))
        return _computed(first, further)

    def _product(self) -> Value:
        first, further = self._signed(), list[tuple[str, Value]]()
        while (sign := self._one_of("*", "/")) is not None:
            further.append((sign, self._signed()))
        return _computed(first, further)

    def _signed(self) -> Value:
        signs = []
        while (sign := self._one_of("+", "-")) is not None:
            signs.append(sign)
        if self._has("("):
            with self._deeper():
                value = self._sum()
            self._expect(")")
        else:
            value = self._constant_or_name()
        if not signs:
            return value
        return _computed(lambda _: 0, [("-" if signs.count("-") % 2 else "+", value)])

    def _constant_or_name(self) -> Value:
        kind, text = self.kind, self._next()
        if kind == "number":
            self._at += 1
            number = int(text) if text.isdigit() else float(text)
            return lambda _: number
        if kind == "string":
            string = self._string()
            return lambda _: string
        if kind == "word" and text.upper() in ("TRUE", "FALSE"):
            self._at += 1
            return lambda _: text.upper() == "TRUE"
        return self._name()

    def _name(self) -> Value:
        attribute = self._has("@")
        kind, text = self.kind, self._next()
        if kind not in ("word", "quoted") or (kind == "word" and text.upper() in _RESERVED):
            raise UnreadableError("expected a name")
        self._at += 1
        name = text[1:-1].replace('""', '"') if kind == "quoted" else text
        if attribute:
            return lambda _: truth.ANY  # no log has attributes
        if kind == "word" and name == "subject":
            return lambda content: content.title
        return lambda content: content.parameter(name)

    def _string(self) -> str:
        kind, text = self.kind, self._next()
        if kind != "string":
            raise UnreadableError("expected a string")
        self._at += 1
        return text[1:-1].replace("''", "'")

    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _one_of(self, *signs: str) -> str | None:
        return next((sign for sign in signs if self._has(sign)), None)

    def _has(self, text: str) -> bool:
        """Return whether a keyword or sign is next, and read it."""
        if self.kind in ("word", "sign") and self._next().upper() == text:
            self._at += 1
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._has(text):
            raise UnreadableError(f"expected {text}")


_RESERVED: Final = frozenset(
    {"AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ESCAPE", "STARTS", "ENDS", "WITH"}
    | {"CONTAINS", "IS", "NULL", "EXISTS", "TRUE", "FALSE", "WITHIN"}
)


def _position(content: Content) -> tuple[Any, Any]:
    for names in (("lat", "lon"), ("latitude", "longitude")):
        found = (content.parameter(names[0]), content.parameter(names[1]))
        if truth.ABSENT not in found:
            return found
    return (truth.ABSENT, truth.ABSENT)


def _joined(how: Callable[[int, int], int], tests: Sequence[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    return lambda content: reduce(how, (test(content) for test in tests))


def _state(value: Value, how: Callable[[int], int]) -> Test:
    return lambda content: how(truth.is_absent(value(content)))


def _not(test: Test) -> Test:
    return lambda content: truth.negated(test(content))


def _compared(one: Value, sign: str, other: Value) -> Test:
    return lambda content: truth.compared(one(content), sign, other(content))


def _computed(first: Value, further: Sequence[tuple[str, Value]]) -> Value:
    if not further:
        return first

    def value(content: Content) -> Any:
        found = first(content)
        for sign, other in further:
            found = truth.computed(found, sign, other(content))
        return found

    return value


def _matching(value: Value, pattern: str) -> Test:
    compiled = re.compile(pattern, re.DOTALL)
    return lambda content: truth.text_test(value(content), compiled)


def _like(pattern: str, escape: str) -> str:
    parts, letters = [], iter(pattern)
    for letter in letters:
        if escape and letter == escape:
            parts.append(re.escape(next(letters, "")))
        else:
            parts.append({"%": ".*", "_": "."}.get(letter) or re.escape(letter))
    return "".join(parts)
