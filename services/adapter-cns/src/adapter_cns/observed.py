"""Declarations of a channel's native clients, in the neutral form of the federation's mapping.

A channel reports to its members the event types that each subscribes to and offers, also those in
filters, but not what filters test of the content.

Source:
    OMG Notification Service 1.1, section 2.6 (offer and subscription change).
"""

from collections.abc import Callable, Iterator
from typing import Final

from eventservices.cns import ANY_TYPE, EventChannel, EventType, Member, structured_event
from eventservices.cns.event_type import canonical, matches
from fes.adapter.observed import Observed
from fes.errors import EventError
from fes.filter import Condition
from fes.filter.language.tree import (
    Attribute,
    Comparison,
    Constant,
    IsTrue,
    Like,
    Not,
    Reference,
    Subject,
    Truth,
    all_of,
    any_of,
)
from fes.mapping import Mapping, Native
from fes.mapping.inversion.asked import asked_for

from adapter_cns.codec import DOMAIN_NAME
from adapter_cns.mapping import Forms
from adapter_cns.settings import Settings

MARK: Final = "fes-adapter "
"""Prefix of an adapter's name among the members of a channel."""

_ANY: Final = canonical(ANY_TYPE)
_ESCAPE: Final = "!"

Tell = Callable[[Observed], None]


class Declarations:
    """Reports what the other members of a channel declare and withdraw.

    Args:
        channel: The channel.
        given: The adapter's settings.
        mapping: Between native events and the federation's.
        forms: Native events in the forms of CNS.
        tell: Called with what is declared or withdrawn.
    """

    def __init__(
        self, channel: EventChannel, given: Settings, mapping: Mapping, forms: Forms, tell: Tell
    ) -> None:
        self._channel = channel
        self._given = given
        self._mapping = mapping
        self._forms = forms
        self._tell = tell
        self._told: frozenset[str] = frozenset()

    def open(self) -> None:
        """Begin to report; another call reports everything again."""
        self.close()
        self._told = frozenset()
        self._channel.watch(self._look)
        self._look()

    def close(self) -> None:
        """Stop reporting; idempotent."""
        self._channel.unwatch(self._look)

    def _look(self) -> None:
        present = {
            by: (member, event_type, offered)
            for member in self._channel.others
            if not member.client.startswith(MARK)
            for by, event_type, offered in _declared(member)
        }
        for by in sorted(self._told - present.keys()):
            self._tell(Observed(by, withdrawn=True))
        for by in present.keys() - self._told:
            _, event_type, offered = present[by]
            self._tell(self._offer(by, event_type) if offered else self._wish(by, event_type))
        self._told = frozenset(present)

    def _wish(self, by: str, event_type: EventType) -> Observed:
        if event_type == _ANY:
            return Observed(by, asks=anys_asked(self._given, self._mapping))
        return Observed(by, wants=wanted(event_type, self._given, self._forms.naming.other))

    def _offer(self, by: str, event_type: EventType) -> Observed:
        return Observed(by, announces=announced(event_type, self._given, self._forms))


def _declared(member: Member) -> Iterator[tuple[str, EventType, bool]]:
    for event_type in member.subscriptions:
        name = "/".join(event_type)
        yield f"{member.client} ({member.id}) subscribes to {name}", event_type, False
    for event_type in member.offers:
        yield f"{member.client} ({member.id}) offers {'/'.join(event_type)}", event_type, True


def wanted(event_type: EventType, given: Settings, other: str) -> Condition:
    """Return a subscription to an event type in the filter language.

    Args:
        event_type: In canonical form; it may have wildcards.
        given: The adapter's settings.
        other: Attribute with the event's type or name, whichever is not its subject.
    """
    domain, type_name = event_type
    tests = []
    if given.subject == "event_name":
        is_told = IsTrue(Comparison(Attribute(other), "<>", Constant("")))
        untold = all_of((Not(is_told), _test(Subject(), type_name)))
        tests.append(any_of((_test(Attribute(other), type_name), untold)))
    else:
        tests.append(_test(Subject(), type_name))
    if not matches(EventType(domain, "*"), EventType(given.domain, "")):
        tests.append(_test(Attribute(DOMAIN_NAME), domain))
    return all_of(tuple(test for test in tests if test != Truth(value=True)))


def anys_asked(given: Settings, mapping: Mapping) -> Condition:
    """Return a filter for the events of the federation that become Any events of the channel."""
    framed = [
        Comparison(Subject(), "=", Constant(rule.rule.subject))
        for rule in mapping.rules
        if rule.rule.direction != "in" and rule.native_subject is None
    ]
    structs = Comparison(Subject(), "=", Constant(given.any_subject))
    held = [asked_for(structs, mapping).tree] if given.any_subject else []
    return any_of((*framed, *held))


def announced(event_type: EventType, given: Settings, forms: Forms) -> tuple[Native, ...]:
    """Return examples of the events of an offer; none where it does not specify their subject."""
    if event_type == _ANY:
        return (Native(given.any_subject),) if given.any_subject else ()
    domain, type_name = event_type
    if given.subject == "event_name" or "*" in type_name or type_name in ("", "%ALL"):
        return ()
    at = given.domain if domain == "*" else domain
    try:
        return (forms.from_structured(structured_event((at, type_name), type_name)),)
    except EventError:
        return ()


def _test(name: Reference, pattern: str) -> Condition:
    """Return the test of a name against a pattern of CNS."""
    if pattern in ("*", "", "%ALL"):
        return Truth(value=True)
    if "*" not in pattern:
        return Comparison(name, "=", Constant(pattern))
    parts = (_literally(part) for part in pattern.split("*"))
    return Like(name, "%".join(parts), _ESCAPE)


def _literally(text: str) -> str:
    return "".join(f"{_ESCAPE}{char}" if char in f"%_{_ESCAPE}" else char for char in text)
