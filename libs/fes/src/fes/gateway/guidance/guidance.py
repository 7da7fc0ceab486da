"""What the naming and policy services answered, and what of a request is active for it.

The core queries nothing itself: `questions` states what it needs to know, and `Guided` brings
answers. Where the naming service has not answered, a subscription applies wherever its list states;
where the policy service has not, it applies nowhere.

Source:
    Smart-building thesis, sections 3.4, 4.4.3, 4.4.5 and 4.4.7.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from fes.control import RequestType
from fes.distribution import is_pattern
from fes.errors import FilterError
from fes.gateway.guidance.narrowing import narrowed, subjects_in
from fes.gateway.inputs import Asker, Guided, Right
from fes.gateway.requests.row import Key, Row
from fes.gateway.settings import GuidanceSettings

Confine = Callable[[Row | None, str], Row | None]

MOST_MADE: Final = 100_000
"""Most requests whose narrowed form is remembered."""


class Questions(NamedTuple):
    """What a gateway needs to know.

    Attributes:
        subjects: Of which it needs to know where sources are.
        askers: Whose rights it needs to know.
    """

    subjects: frozenset[str]
    askers: frozenset[Asker]


NONE: Final = Questions(frozenset(), frozenset())


class _Made(NamedTuple):
    row: Row
    rights: tuple[tuple[str, str], ...]
    result: Row | None


class Guidance:
    """Decides where a request applies, and as what.

    Args:
        settings: Which services there are.
        confine: Returns a request as scopes let it be active at an event service.
    """

    def __init__(self, settings: GuidanceSettings, confine: Confine) -> None:
        self._settings = settings
        self._confine = confine
        self._places: dict[str, frozenset[str]] = {}
        self._rights: dict[Asker, Right] = {}
        self._made: dict[tuple[Key, str], _Made] = {}
        self._questions: tuple[tuple[int, int], Questions] = ((-1, 0), NONE)

    @property
    def decides(self) -> bool:
        """Whether there is a policy service."""
        return self._settings.policy

    def row(self, row: Row | None, service: str) -> Row | None:
        """Return a request as it is active at an event service; None where it is not.

        The same request returns the same object again as long as it is active in the same form.
        """
        found = self._confine(row, service)
        if row is None or found is None or row.kind is not RequestType.SUBSCRIPTION:
            return found
        if self._settings.naming and is_pattern(row.pattern) and not self._has(row, service):
            return None
        return self._permitted(row, found, service) if self._settings.policy else found

    def accept(self, guided: Guided, wall_us: int) -> frozenset[str]:
        """Accept answers; return the subjects that they change anything about."""
        changed: set[str] = set()
        for subject, services in guided.places.items():
            before = self._places.pop(subject, None)
            if services is not None:
                self._places[subject] = frozenset(services)
            if self._places.get(subject) != before:
                changed.add(subject)
        for asker, right in guided.rights.items():
            known = self._rights.get(asker)
            if right is not None and right.permit and right.until_us > wall_us:
                self._rights[asker] = right
            elif right is not None:
                self._rights.pop(asker, None)
            if _text(self._rights.get(asker)) != _text(known):
                changed.add(asker.subject)
        return frozenset(changed) | self.expire(wall_us)

    def expire(self, wall_us: int) -> frozenset[str]:
        """End the decisions whose time is over; return the subjects that they were about."""
        over = [asker for asker, right in self._rights.items() if right.until_us <= wall_us]
        for asker in over:
            del self._rights[asker]
        return frozenset(asker.subject for asker in over)

    def questions(self, rows: Iterable[Row], version: tuple[int, int]) -> Questions:
        """Return what has to be known for the requests of a table.

        Args:
            rows: Of the table.
            version: Another one where the table is another.
        """
        if self._questions[0] == version:
            return self._questions[1]
        live = [each for each in rows if _is_live(each)]
        subjects = frozenset(
            subject
            for row in live
            if self._settings.naming and is_pattern(row.pattern)
            for subject in subjects_in(row.filter) or ()
        )
        askers = frozenset(
            Asker(row.source, subject)
            for row in live
            if self._settings.policy
            for subject in subjects_in(row.filter) or ()
        )
        found = Questions(subjects, askers)
        self._questions = (version, found)
        self._forget(found)
        return found

    def about(self, rows: Iterable[Row], subjects: Collection[str]) -> Iterator[Row]:
        """Yield the subscriptions that may match events of some subjects."""
        for row in rows:
            if _is_live(row) and not (subjects_in(row.filter) or frozenset()).isdisjoint(subjects):
                yield row

    def permitted(self, row: Row) -> Row | None:
        """Return a request as far as it is permitted, wherever it applies; None where not."""
        return self._permitted(row, row, "") if self._settings.policy else row

    def _has(self, row: Row, service: str) -> bool:
        """Return whether a subject of a request may have a source at an event service."""
        subjects = subjects_in(row.filter)
        if subjects is None:
            return True
        known = [self._places.get(subject) for subject in subjects]
        return any(services is None or service in services for services in known)

    def _permitted(self, row: Row, found: Row, service: str) -> Row | None:
        subjects = subjects_in(row.filter) or frozenset()
        rights = {
            subject: right.filter
            for subject in subjects
            if (right := self._rights.get(Asker(row.source, subject))) is not None
        }
        if rights.keys() == subjects and subjects and not any(rights.values()):
            return found
        shape = tuple(sorted(rights.items()))
        key = (row.key, service)
        made = self._made.get(key)
        if made is None or made.row is not found or made.rights != shape:
            if len(self._made) >= MOST_MADE:
                self._made.clear()  # what is made again only is not the same object
            made = self._made[key] = _Made(found, shape, self._narrow(found, row.source, rights))
        return made.result

    def _narrow(self, row: Row, source: str, rights: dict[str, str]) -> Row | None:
        if not rights:
            return None
        user, device = self._settings.user(source), self._settings.device(source)
        try:
            what, text = narrowed(row.filter, rights, user, device)
        except FilterError:
            return None  # nothing is permitted that cannot be filtered
        return msgspec.structs.replace(row, what=what, filter=text)

    def _forget(self, needed: Questions) -> None:
        """Forget the answers that no request needs any more."""
        for subject in self._places.keys() - needed.subjects:
            del self._places[subject]
        for asker in self._rights.keys() - needed.askers:
            del self._rights[asker]


def _is_live(row: Row) -> bool:
    return row.kind is RequestType.SUBSCRIPTION and not row.withdrawn


def _text(right: Right | None) -> str | None:
    return None if right is None else right.filter
