"""Patterns of native subjects as subscriptions of brokers: NATS subjects, MQTT topic filters.

Their wildcards match whole levels, a filter's match any run of characters; so a pattern is kept up
to its first wildcard, and the rest is any number of levels.
"""

from collections.abc import Callable, Iterable
from typing import Final

from fes.wildcard import Element, Wildcard

NATS_ALL: Final = ">"
MQTT_ALL: Final = "#"

_NATS_ILLEGAL: Final = frozenset(" \t\r\n\f\0*>")
_MQTT_ILLEGAL: Final = frozenset("\0+#")


def nats_subjects(patterns: Iterable[Wildcard]) -> tuple[str, ...]:
    """Return NATS subjects, one of which matches every legal subject that a pattern matches.

    Args:
        patterns: Patterns of native subjects, levels separated by `.`.

    Source:
        NATS documentation, subject-based messaging: `>` matches one level or more, so that
        `a.>` does not match `a`.
    """
    return _topics(patterns, ".", NATS_ALL, _legal_in_nats)


def mqtt_topics(patterns: Iterable[Wildcard]) -> tuple[str, ...]:
    """Return MQTT topic filters, one of which matches every legal topic that a pattern matches.

    Topics that begin with `$` are the broker's own: a wildcard in the first level does not match
    them.

    Args:
        patterns: Patterns of native subjects, levels separated by `/`.

    Source:
        MQTT 3.1.1, section 4.7: `#` matches any number of levels, also none.
    """
    return _topics(patterns, "/", MQTT_ALL, _legal_in_mqtt)


def _topics(
    patterns: Iterable[Wildcard], separator: str, rest: str, is_legal: Callable[[str], bool]
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for pattern in patterns:
        plain = _plain_start(pattern.elements)
        is_wild = len(plain) < len(pattern.elements)
        levels = plain.rpartition(separator)[0] + separator if separator in plain else ""
        if is_legal(levels if is_wild else plain):
            found[levels + rest if is_wild else plain] = None
    if rest in found:
        return (rest, *(topic for topic in found if topic.startswith("$") and separator == "/"))
    return tuple(found)


def _plain_start(elements: tuple[Element, ...]) -> str:
    plain = ""
    for element in elements:
        if not isinstance(element, str):
            break
        plain += element
    return plain


def _legal_in_nats(subject: str) -> bool:
    """Return whether a subject, or its beginning, has no empty level or illegal character."""
    levels = subject.removesuffix(".").split(".")
    return not _NATS_ILLEGAL & set(subject) and (not subject or all(levels))


def _legal_in_mqtt(topic: str) -> bool:
    return not _MQTT_ILLEGAL & set(topic)
