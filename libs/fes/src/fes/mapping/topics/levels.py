"""Names of the federation as topics with levels, and back: each has one form on the other side.

A character that the service does not accept is written as `%` and two hexadecimal digits, and an
empty level, where the service accepts none, as `~`; so is an empty topic. Text that looks like such
an escape gets another `%` or `~`, so that no name is refused and no two names become the same:

    living room   living%20room
    a%20b         a%%20b
    a..b          a.~.b

Source:
    nats-io/nats-server#1879 (a dot in a level, and the inverse), nats-io/nats-server#4836 (a space
    ends the connection).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

EMPTY: Final = "~"
"""An empty level, where the service accepts none."""

_EMPTY: Final = re.compile(f"%*{EMPTY}")


class Escape:
    """Writes characters that a service does not accept; a bijection.

    On the service's side an escape is a run of `%` and the two digits of an illegal character. An
    odd run of 2n + 1 is the character itself after n signs, an even one of 2n is n signs before
    what only looks like an escape.

    Args:
        illegal: Characters that the service does not accept; below U+0100, none of them `%`, a
            letter or a digit.
    """

    def __init__(self, illegal: Iterable[str]) -> None:
        chars = "".join(sorted(illegal))
        codes = "|".join(f"{ord(char):02X}" for char in chars)
        self._out = re.compile(f"(%*)([{re.escape(chars)}])|(%+)({codes})")
        self._back = re.compile(f"(%+)({codes})")

    def write(self, text: str) -> str:
        """Return the form of a text at the service."""
        return self._out.sub(_written, text)

    def read(self, native: str) -> str:
        """Return the text whose form on the service is `native`, which has no illegal character."""
        return self._back.sub(_read, native)


def _written(found: re.Match[str]) -> str:
    signs, char, more, code = found.groups()
    if char is None:
        return f"{more}{more}{code}"
    return f"{signs}{signs}%{ord(char):02X}"


def _read(found: re.Match[str]) -> str:
    signs, code = found.groups()
    half = "%" * (len(signs) // 2)
    return half + (chr(int(code, 16)) if len(signs) % 2 else code)


@dataclass(frozen=True, slots=True)
class Syntax:
    """The syntax of a service's topics.

    Attributes:
        name: Name of the service, for messages.
        separator: Between levels.
        one: Wildcard for one level in a subscription.
        rest: Wildcard for the last levels in a subscription.
        rest_may_be_none: Whether `rest` also matches no level, as `x/#` matches `x`.
        illegal: Characters that no topic may contain.
        empty_levels: Whether a level may be empty.
        wild_hides_dollar: Whether a subscription that begins with a wildcard matches no topic that
            begins with `$`.
        own: First levels of topics that belong to the server.
    """

    name: str
    separator: str
    one: str
    rest: str
    rest_may_be_none: bool
    illegal: str
    empty_levels: bool
    wild_hides_dollar: bool
    own: re.Pattern[str] = re.compile(r"\$[A-Z0-9_]+|_INBOX.*", re.DOTALL)


_CONTROL: Final = "".join(map(chr, (*range(0x20), 0x7F)))

NATS: Final = Syntax("NATS", ".", "*", ">", False, f"{_CONTROL} *>", False, False)
"""Source: NATS documentation, subject-based messaging; control characters end a protocol line."""

MQTT: Final = Syntax("MQTT", "/", "+", "#", True, f"{_CONTROL}+#", True, True)
"""Source: MQTT 3.1.1, section 4.7; control characters: section 1.5.3, a broker may refuse them."""

KAFKA: Final = Syntax("Kafka", ".", "*", ">", False, "*>", True, False)
"""Kafka has no wildcards: the adapter makes regular expressions from them, and escapes the rest of
the characters itself."""

ACTIVEMQ: Final = Syntax(
    "ActiveMQ", ".", "*", ">", True, f"{_CONTROL} *>,?:", False, False, re.compile("ActiveMQ")
)
"""A comma joins destinations, a question mark begins options, `queue:` changes the kind.

Source: ActiveMQ documentation, wildcards, composite destinations, destination options, advisories.
"""

SEPARATORS: Final = "./"


class TopicNames:
    """Writes and reads subjects as topics, and values as levels.

    Args:
        syntax: The service's syntax.
        separator: Separator of the levels of subjects on the federation's side: where it is not the
            service's own, the two are exchanged, so that `spBv1.0/plant` is `spBv1/0.plant`.
    """

    def __init__(self, syntax: Syntax, separator: str = "") -> None:
        self.syntax = syntax
        self.separator = separator or syntax.separator
        other = SEPARATORS.replace(syntax.separator, "")
        self._swap = {ord(syntax.separator): other, ord(other): syntax.separator}
        self._swaps = self.separator != syntax.separator
        self._subject = Escape(syntax.illegal)
        self._level = Escape(syntax.illegal + syntax.separator)

    def topic(self, subject: str) -> str:
        """Return the topic of a subject."""
        return self._topic(subject, whole=True)

    def prefix(self, subject: str) -> str:
        """Return the first levels of all topics whose subjects begin with these levels."""
        return self._topic(subject, whole=False) + self.syntax.separator

    def _topic(self, subject: str, *, whole: bool) -> str:
        native = subject.translate(self._swap) if self._swaps else subject
        levels = native.split(self.syntax.separator)
        alone = whole and len(levels) == 1
        written = (self._full(self._subject.write(each), alone=alone) for each in levels)
        return self.syntax.separator.join(written)

    def subject(self, topic: str) -> str:
        """Return the subject of a topic."""
        levels = topic.split(self.syntax.separator)
        alone = len(levels) == 1
        read = (self._subject.read(self._bare(each, alone=alone)) for each in levels)
        native = self.syntax.separator.join(read)
        return native.translate(self._swap) if self._swaps else native

    def level(self, value: str, *, alone: bool = False) -> str:
        """Return a value, whatever it contains, as one level.

        Args:
            value: Any text.
            alone: Whether the level is the whole topic, which is empty on no service.
        """
        return self._full(self._level.write(value), alone=alone)

    def value(self, level: str, *, alone: bool = False) -> str:
        """Return the value that one level contains; `alone` as of `level`."""
        return self._level.read(self._bare(level, alone=alone))

    def _full(self, level: str, *, alone: bool) -> str:
        if self.syntax.empty_levels and not alone:
            return level
        if level and not _EMPTY.fullmatch(level):
            return level
        return f"%{level}" if level else EMPTY

    def _bare(self, level: str, *, alone: bool) -> str:
        if (self.syntax.empty_levels and not alone) or not _EMPTY.fullmatch(level):
            return level
        return level[1:] if level != EMPTY else ""


def is_servers(topic: str, syntax: Syntax) -> bool:
    """Return whether a topic is internal to the server or its clients, and no event.

    Source:
        MQTT 3.1.1, section 4.7.2; NATS: system and JetStream subjects, reply inboxes.
    """
    if syntax.wild_hides_dollar:
        return topic.startswith("$")
    return bool(syntax.own.fullmatch(topic.partition(syntax.separator)[0]))


def matches(pattern: str, topic: str, syntax: Syntax) -> bool:
    """Return whether a subscription matches a topic, level by level.

    Source:
        MQTT 3.1.1, section 4.7; NATS documentation, wildcards.
    """
    if (
        syntax.wild_hides_dollar
        and topic.startswith("$")
        and pattern[:1] in syntax.one + syntax.rest
    ):
        return False
    wanted, levels = pattern.split(syntax.separator), topic.split(syntax.separator)
    for at, each in enumerate(wanted):
        if each == syntax.rest:
            return len(levels) > at or syntax.rest_may_be_none
        if at >= len(levels) or each not in (syntax.one, levels[at]):
            return False
    return len(wanted) == len(levels)
