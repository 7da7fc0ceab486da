"""Membership: which replicas of a gateway live, and which of them leads; sans-IO.

Every replica writes heartbeats into the journal. The one that leads states the members in a view;
where its heartbeats cease, another states in a new view that it leads. A view is a fencing term:
decisions under an older lead are not committed any more, since each append names the sequence
number that it expects.

Source:
    design, section 6, Store.
"""

from collections.abc import Mapping

import msgspec

VIEW = "view"
"""Key of the present view."""

HEARTBEAT = "heartbeat\x1f"
"""What the keys of heartbeats begin with."""

PATIENCE = 4
"""Number of heartbeats of a replica that must fail to come before it counts as dead."""

NUMBERS = 1_000_000_000
"""More numbers than a leader ever assigns."""


class View(msgspec.Struct, frozen=True, array_like=True):
    """The replicas of a gateway, and which of them leads.

    Attributes:
        number: Increases with each view.
        leader: The replica that leads.
        members: The replicas that live, sorted.
        base: The leader's numbers begin above it, and above those of any leader before. It is not a
            time, though it begins as one: nothing may compare it with a clock.
    """

    number: int
    leader: str
    members: tuple[str, ...]
    base: int


class Heartbeat(msgspec.Struct, frozen=True, array_like=True):
    """A heartbeat: a replica lives.

    Attributes:
        count: Number of heartbeats, from a number that identifies the start.
        seen: Sequence number up to which it has read the journal.
    """

    count: int
    seen: int


_NONE = Heartbeat(0, 0)
_ALL = 1 << 62

_encoder = msgspec.msgpack.Encoder()
_views = msgspec.msgpack.Decoder(View)
_heartbeats = msgspec.msgpack.Decoder(Heartbeat)


class Membership:
    """Keeps which replicas live, as known to one of them.

    Args:
        name: Name of this replica.
        start: Distinguishes this start from others, e.g. the wall clock in microseconds.
        heartbeat_s: Seconds between two heartbeats.

    Attributes:
        name: Name of this replica.
        view: The present view; None where there is none yet.
    """

    def __init__(self, name: str, start: int, heartbeat_s: float) -> None:
        self.name = name
        self.view: View | None = None
        self._count = start
        self._patience_s = PATIENCE * heartbeat_s
        self._heartbeats: dict[str, Heartbeat] = {}
        self._heard_s: dict[str, float] = {}

    @property
    def leads(self) -> bool:
        """Whether this replica leads in the present view."""
        return self.view is not None and self.view.leader == self.name

    @property
    def seen(self) -> int:
        """The sequence number up to which every other member has read the journal."""
        others = [name for name in self.members if name != self.name]
        return min((self._heartbeats.get(name, _NONE).seen for name in others), default=_ALL)

    @property
    def members(self) -> tuple[str, ...]:
        """The replicas that live, by the present view."""
        return () if self.view is None else self.view.members

    def heartbeat(self, seen: int) -> tuple[str, bytes]:
        """Return the next heartbeat as the journal keeps it: key and value.

        Args:
            seen: Sequence number up to which this replica has read the journal.
        """
        self._count += 1
        return HEARTBEAT + self.name, _encoder.encode(Heartbeat(self._count, seen))

    def take(self, changes: Mapping[str, bytes | None], now_s: float) -> bool:
        """Accept what was committed; return whether there is a new view.

        Args:
            changes: Values by key; None where a key was deleted.
            now_s: A clock that only goes forward, seconds.

        Raises:
            msgspec.DecodeError: A view or a heartbeat is not valid; everything else was accepted.
        """
        unread: msgspec.DecodeError | None = None
        for key, value in changes.items():
            if key.startswith(HEARTBEAT):
                try:
                    self._take_heartbeat(key.removeprefix(HEARTBEAT), value, now_s)
                except msgspec.DecodeError as error:
                    unread = error
        new = self._take_view(changes.get(VIEW), now_s)
        if unread is not None:
            raise unread
        return new

    def _take_view(self, told: bytes | None, now_s: float) -> bool:
        if told is None:
            return False
        view = _views.decode(told)
        if self.view is not None and view.number <= self.view.number:
            return False
        for name in view.members:
            self._heard_s.setdefault(name, now_s)
        self.view = view
        return True

    def proposal(self, now_s: float, wall_us: int) -> View | None:
        """Return the view that this replica should propose; None where the present one is right.

        Args:
            now_s: As for `take`. Everything committed until then was accepted.
            wall_us: Wall clock, microseconds since 1970 UTC.
        """
        view, living = self.view, self._living(now_s)
        if view is None:
            return View(1, self.name, living, wall_us)
        if view.leader == self.name:
            return None if living == view.members else self._next(view, self.name, living)
        if view.leader in living or self._is_early(view, living, now_s):
            return None
        return self.takeover(wall_us)

    def takeover(self, wall_us: int) -> View:
        """Return the view in which this replica leads in place of the one that does."""
        view = self.view or View(0, "", (), 0)
        members = tuple(sorted({*view.members, self.name} - {view.leader}))
        if view.leader == self.name:
            members = view.members
        return View(view.number + 1, self.name, members, max(wall_us, view.base + NUMBERS))

    def farewell(self, now_s: float, wall_us: int) -> View | None:
        """Return the view that transfers the lead; None where this replica does not lead."""
        view = self.view
        others = [name for name in self._living(now_s) if name != self.name]
        if view is None or view.leader != self.name or not others:
            return None
        base = max(wall_us, view.base + NUMBERS)
        return View(view.number + 1, others[0], tuple(others), base)

    def _take_heartbeat(self, name: str, value: bytes | None, now_s: float) -> None:
        if value is None:
            self._heartbeats.pop(name, None)
            self._heard_s.pop(name, None)
            return
        heartbeat = _heartbeats.decode(value)
        if self._heartbeats.get(name) != heartbeat:
            self._heartbeats[name] = heartbeat
            self._heard_s[name] = now_s

    def _living(self, now_s: float) -> tuple[str, ...]:
        heard = (name for name, at in self._heard_s.items() if now_s - at < self._patience_s)
        return tuple(sorted({self.name, *heard}))

    def _is_early(self, view: View, living: tuple[str, ...], now_s: float) -> bool:
        """Return whether it is too early to lead.

        Others that live come first, one heartbeat each.
        """
        silent_s = now_s - self._heard_s.get(view.leader, -self._patience_s)
        rank = [name for name in living if name != view.leader].index(self.name)
        return silent_s < self._patience_s * (1 + rank / PATIENCE)

    @staticmethod
    def _next(view: View, leader: str, members: tuple[str, ...]) -> View:
        return View(view.number + 1, leader, members, view.base)


def write_view(view: View) -> tuple[str, bytes]:
    """Return a view as the journal keeps it: key and value."""
    return VIEW, _encoder.encode(view)
