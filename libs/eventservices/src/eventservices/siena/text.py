r"""SENP's textual form: `filter{ a >5 b >*"ab"}`, `event{ a=1 b="x"}`, `pattern{ filter{ a any}}`.

Strings have the escapes `\" \\ \n \t \r \f \b \a \v` and octal code points; octets, our extension,
are `x"00ff"`; doubles always show a fraction or an exponent, or are `Infinity`, `-Infinity`, `NaN`.
What is printed parses to the same again.

Source:
    SENP 1.8; digest `reference/siena.md`, section 5.
"""

import math
import re
from collections.abc import Mapping
from typing import Final

from eventservices.siena.filters import MAX_CONSTRAINTS, Constraint, Filter, Op
from eventservices.siena.notification import Notification
from eventservices.siena.pattern import MAX_FILTERS, Pattern
from eventservices.siena.scan import Scanner, TextError, Token
from eventservices.siena.values import INT_MAX, INT_MIN, MAX_NAME_CHARACTERS, Value

_LETTERS: Final = dict(zip('ntrfbav"\\', '\n\t\r\f\b\a\v"\\', strict=True))
_ESCAPED: Final = {character: f"\\{letter}" for letter, character in _LETTERS.items()}
_ESCAPE: Final = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_TO_ESCAPE: Final = re.compile(r'["\\\x00-\x1f\x7f]')
_OCTAL: Final = "01234567"
_VALUES: Final = "a value (integer, double, true, false, string in double quotes)"


def parse_filter(text: str) -> Filter:
    """Return the filter that a text describes.

    Raises:
        TextError: It is none; the message shows the place.
    """
    scanner = Scanner(text)
    what = _filter(scanner)
    _end(scanner)
    return what


def parse_pattern(text: str) -> Pattern:
    """Return the pattern that a text describes, e.g. `pattern{ filter{ a =1} filter{ a =2}}`.

    Raises:
        TextError: It is none; the message shows the place.
    """
    scanner = Scanner(text)
    _open(scanner, "pattern")
    filters = [_filter(scanner)]
    while not _closing(scanner):
        if len(filters) == MAX_FILTERS:
            scanner.fail(f"at most {MAX_FILTERS} filters")
        filters.append(_filter(scanner))
    scanner.take()
    _end(scanner)
    return Pattern(tuple(filters))


def parse_notification(text: str) -> Notification:
    """Return the notification that a text describes.

    Raises:
        TextError: It is none, or names an attribute twice; the message shows the place.
    """
    scanner = Scanner(text)
    _open(scanner, "event")
    attributes: dict[str, Value] = {}
    while not _closing(scanner):
        name = _name(scanner, "an attribute name or }")
        if name.text in attributes:
            scanner.fail("each attribute once", name)
        scanner.expect("op", "=", "=")
        attributes[name.text] = _value(scanner)
    scanner.take()
    _end(scanner)
    return Notification(attributes, checked=True)


def format_filter(what: Filter) -> str:
    """Return the text of a filter; equal filters have equal texts."""
    return _braced("filter", [_format_constraint(each) for each in what.constraints])


def format_pattern(what: Pattern) -> str:
    """Return the text of a pattern; equal patterns have equal texts."""
    return _braced("pattern", [format_filter(each) for each in what.filters])


def format_notification(what: Mapping[str, Value]) -> str:
    """Return the text of a notification, its attributes in their order."""
    return _braced("event", [f"{name}={format_value(value)}" for name, value in what.items()])


def format_value(value: Value) -> str:
    """Return the text of a value; it shows the type too."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{_TO_ESCAPE.sub(_escape, value)}"'
    if isinstance(value, bytes):
        return f'x"{value.hex()}"'
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def _open(scanner: Scanner, word: str) -> None:
    scanner.expect("name", word, f"{word}{{")
    scanner.expect("brace", "{", "{")


def _closing(scanner: Scanner) -> bool:
    return scanner.token.sort == "brace" and scanner.token.text == "}"


def _end(scanner: Scanner) -> None:
    if scanner.token.sort != "end":
        scanner.fail("the end")


def _filter(scanner: Scanner) -> Filter:
    start = scanner.token
    _open(scanner, "filter")
    constraints: list[Constraint] = []
    while not _closing(scanner):
        if len(constraints) == MAX_CONSTRAINTS:
            scanner.fail(f"at most {MAX_CONSTRAINTS} constraints", start)
        constraints.append(_constraint(scanner))
    scanner.take()
    return Filter(tuple(constraints))


def _name(scanner: Scanner, expected: str) -> Token:
    token = scanner.expect("name", None, expected)
    if len(token.text) > MAX_NAME_CHARACTERS:
        scanner.fail(f"a name of at most {MAX_NAME_CHARACTERS} characters", token)
    return token


def _constraint(scanner: Scanner) -> Constraint:
    name = _name(scanner, "an attribute name or }").text
    if scanner.token.text == "any":
        scanner.take()
        return Constraint(name, Op.ANY)
    op = Op(scanner.expect("op", None, "an operator (= != < > <= >= >* *< * any)").text)
    place = scanner.token
    value = _value(scanner)
    if isinstance(value, float) and math.isnan(value):
        scanner.fail("an operand that something compares with", place)
    return Constraint(name, op, value)


def _value(scanner: Scanner) -> Value:
    token = scanner.token
    value = _read(scanner, token)
    if value is None:
        scanner.fail(_VALUES)
    scanner.take()
    return value


def _read(scanner: Scanner, token: Token) -> Value | None:
    match token.sort:
        case "integer":
            number = int(token.text) if len(token.text) <= 40 else INT_MAX + 1
            if not INT_MIN <= number <= INT_MAX:
                scanner.fail("an integer of 64 bit")
            return number
        case "double":
            return float(token.text)
        case "string":
            return _unescape(scanner, token)
        case "octets":
            return _octets(scanner, token)
        case "name":
            return {"true": True, "false": False}.get(token.text)
        case _:
            return None


def _octets(scanner: Scanner, token: Token) -> bytes:
    digits = token.text[2:-1]
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", digits):
        scanner.fail("pairs of hexadecimal digits", token)
    return bytes.fromhex(digits)


def _unescape(scanner: Scanner, token: Token) -> str:
    def plain(found: re.Match[str]) -> str:
        code = found.group(1)
        if code in _LETTERS:
            return _LETTERS[code]
        if code[0] not in _OCTAL or int(code, 8) > 0xFF:
            place = token.position + 1 + found.start()
            raise TextError(f"unknown escape \\{code}", scanner.text, place)
        return chr(int(code, 8))

    text = _ESCAPE.sub(plain, token.text[1:-1])
    if not text.isascii() and any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        scanner.fail("Unicode text", token)
    return text


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return _ESCAPED.get(character) or f"\\{ord(character):03o}"


def _format_constraint(constraint: Constraint) -> str:
    if constraint.value is None:
        return f"{constraint.name} any"
    return f"{constraint.name} {constraint.op.value}{format_value(constraint.value)}"


def _braced(word: str, parts: list[str]) -> str:
    return f"{word}{{ {' '.join(parts)}}}" if parts else f"{word}{{}}"
