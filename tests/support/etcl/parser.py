"""ETCL by hand: a recursive-descent parser that shares nothing with the product's grammar.

It knows texts within the limits only, and gives nested tuples: `("and", a, b)`.
"""

import re
from typing import Any

KEYWORDS = {"and", "or", "not", "in", "exist", "default"}
WORDS_OF_TRADERS = {"min", "max", "first", "random", "with"}
TRUTHS = {"TRUE": True, "true": True, "FALSE": False, "false": False}
SPACE = " \t\r\n\f"
NUMBER = re.compile(r"\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?", re.ASCII)
WORD = re.compile(r"\\?[A-Za-z]\w*", re.ASCII)
IMPLICIT = re.compile(r"_(length|d|type_id|repos_id)\b", re.ASCII)


class SyntaxWrong(Exception):  # noqa: N818 - it is an outcome, not a failure of the reference
    pass


def parsed(text: str) -> Any:
    reader = _Reader(text)
    if reader.at_end():
        return ("constant", True)
    tree = reader.either()
    if not reader.at_end():
        raise SyntaxWrong(reader.position)
    return tree


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def at_end(self) -> bool:
        self.skip()
        return self.position == len(self.text)

    def skip(self) -> None:
        while self.position < len(self.text) and self.text[self.position] in SPACE:
            self.position += 1

    def take(self, *symbols: str) -> str:
        self.skip()
        for symbol in symbols:
            if self.text.startswith(symbol, self.position):
                self.position += len(symbol)
                return symbol
        return ""

    def need(self, symbol: str) -> None:
        if not self.take(symbol):
            raise SyntaxWrong(self.position)

    def match(self, pattern: re.Pattern[str]) -> str:
        self.skip()
        found = pattern.match(self.text, self.position)
        if found is None:
            return ""
        self.position = found.end()
        return found.group()

    def word(self, *wanted: str) -> str:
        start = self.position
        found = self.match(WORD)
        if found in wanted:
            return found
        self.position = start
        return ""

    def either(self) -> Any:
        parts = [self.both()]
        while self.word("or"):
            parts.append(self.both())
        return ("or", *parts) if len(parts) > 1 else parts[0]

    def both(self) -> Any:
        parts = [self.compared()]
        while self.word("and"):
            parts.append(self.compared())
        return ("and", *parts) if len(parts) > 1 else parts[0]

    def compared(self) -> Any:
        left = self.contained()
        sign = self.take("==", "!=", "<=", ">=", "<", ">")
        return (sign, left, self.contained()) if sign else left

    def contained(self) -> Any:
        left = self.likened()
        return ("in", left, self.place()) if self.word("in") else left

    def likened(self) -> Any:
        left = self.total()
        return ("~", left, self.total()) if self.take("~") else left

    def total(self) -> Any:
        left = self.term()
        while sign := self.take("+", "-"):
            left = (sign, left, self.term())
        return left

    def term(self) -> Any:
        left = self.inverse()
        while sign := self.take("*", "/"):
            left = (sign, left, self.inverse())
        return left

    def inverse(self) -> Any:
        return ("not", self.factor()) if self.word("not") else self.factor()

    def factor(self) -> Any:
        if self.take("("):
            inner = self.either()
            self.need(")")
            return inner
        if self.word("exist"):
            return ("exist", self.place())
        if self.word("default"):
            return ("default", self.component())
        self.skip()
        if self.text[self.position : self.position + 1] == "$":
            return self.component()
        return self.literal()

    def literal(self) -> Any:
        if (quoted := self.quoted()) is not None:
            return ("constant", quoted)
        sign = self.take("+", "-")
        if number := self.match(NUMBER):
            return ("constant", _number(sign, number))
        if sign:
            raise SyntaxWrong(self.position)
        word = self.match(WORD)
        if word in TRUTHS:
            return ("constant", TRUTHS[word])
        return ("bare", _bare(word))

    def place(self) -> Any:
        self.skip()
        if self.text[self.position : self.position + 1] == "$":
            return self.component()
        return ("component", _bare(self.match(WORD)), ())

    def component(self) -> Any:
        self.need("$")
        start = self.position
        word = self.match(WORD)
        if word in {"and", "or", "in"}:
            self.position, word = start, ""
        steps = []
        while step := self.step():
            steps.append(step)
            if step[0] == "implicit":
                break
        return ("component", word.lstrip("\\") or None, tuple(steps))

    def step(self) -> Any:
        step: tuple[str, Any]
        if self.take("["):
            step = ("index", self.digits())
            self.need("]")
            return step
        if self.take("("):
            key = self.quoted()
            step = ("named", self.name() if key is None else key)
            self.need(")")
            return step
        return self.dotted() if self.take(".") else None

    def dotted(self) -> Any:
        if self.take("("):
            label = self.label()
            self.need(")")
            return ("case", label)
        if implicit := self.match(IMPLICIT):
            return ("implicit", implicit)
        self.skip()
        if self.text[self.position : self.position + 1].isdigit():
            return ("position", self.digits())
        return ("member", self.name())

    def label(self) -> Any:
        if (quoted := self.quoted()) is not None:
            return quoted
        self.skip()
        if self.text[self.position : self.position + 1] == ")":
            return None
        sign = self.take("+", "-")
        found = self.match(re.compile("[0-9]+"))
        if found:
            return _number(sign, found)
        if sign:
            raise SyntaxWrong(self.position)
        return ("bare", self.name())

    def digits(self) -> int:
        found = self.match(re.compile("[0-9]+"))
        if not found or int(found) > 2**32 - 1:
            raise SyntaxWrong(self.position)
        return int(found)

    def name(self) -> str:
        found = self.match(WORD)
        if not found:
            raise SyntaxWrong(self.position)
        return found.lstrip("\\")

    def quoted(self) -> str | None:
        if not self.take("'"):
            return None
        text = ""
        while True:
            char = self.text[self.position : self.position + 1]
            self.position += 1
            if char == "'":
                return text
            if not char:
                raise SyntaxWrong(self.position)
            following = self.text[self.position : self.position + 1]
            if char == "\\" and following in ("'", "\\") and following:
                char, self.position = following, self.position + 1
            text += char


def _bare(word: str) -> str:
    if not word or word in KEYWORDS | WORDS_OF_TRADERS or word in TRUTHS:
        raise SyntaxWrong(word)
    return word.lstrip("\\")


def _number(sign: str, digits: str) -> int | float:
    if digits.isdigit():
        number: int | float = int(sign + digits)
        good = -(2**63) <= number < 2**64
    else:
        number = float(sign + digits)
        good = abs(number) != float("inf")
    if not good:
        raise SyntaxWrong(digits)
    return number
