"""Touch: whether a gateway may have missed withdrawals that nobody repeats any more.

It is *away* once it received nothing from any neighbour for the horizon, whether it ran or not; it
is *new* where its journal records no neighbour yet. What either knows is doubtful: others do not
learn from it. Doubt ends with a complete exchange with a neighbour that is neither away nor new; or
where for a horizon only neighbours in doubt were there: then what is active among them counts.

Source:
    design, sections 4 and 12.
"""

from collections.abc import Mapping

from fes.gateway.outputs import DropRow, Mutation, PutRow

CONTACT = "contact"
"""Key, in the journal, of when this gateway was last in touch with others, own clock."""

NEW = "contact\x1fnew"
"""Key, in the journal, that is there as long as a gateway is new."""

CONTACTS = 8
"""How often in a horizon contact is noted at least."""


class Touch:
    """States whether a gateway is away, or new.

    Args:
        horizon_us: How long a gateway may receive nothing.
        company: Whether it has neighbours at all: a gateway without any is never away.

    Attributes:
        away: Whether it was out of touch for longer.
        new: Whether it never was in touch.
        contact_us: When it last received something while not away, own clock.
    """

    def __init__(self, horizon_us: int, *, company: bool) -> None:
        self.away = False
        self.new = False
        self.contact_us = -1
        self._horizon_us = horizon_us
        self._company = company
        self._kept: tuple[int, bool] = (-1, False)
        self._first_us = self._last_us = -1

    @property
    def doubtful(self) -> bool:
        """Whether what it knows may have been withdrawn."""
        return self.away or self.new

    @property
    def shared_us(self) -> int:
        """Own time up to which others know what was accepted here; a new gateway was never away."""
        return self.contact_us if self.away else 0

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore what the journal kept."""
        contact = state.get(CONTACT)
        if contact is not None:
            self.contact_us = max(self.contact_us, int(contact))
            self.new = NEW in state
            self._kept = int(contact), self.new

    def pass_time(self, own_us: int) -> None:
        """Note the time: the gateway is away where it was out of touch for the horizon."""
        if not self._company:
            return
        if self.contact_us < 0:
            self.contact_us, self.new = own_us, True
        if not self.away and own_us - self.contact_us > self._horizon_us:
            self.away = True

    def doubt(self) -> None:
        """Treat this gateway as away, since nobody knows for how long it did not run."""
        self.away = self._company

    def received(self, own_us: int) -> bool:
        """Note that a neighbour was received; return whether doubt ends since all were in doubt."""
        if not self.away:
            self.contact_us = own_us
        if not self.doubtful:
            return False
        if own_us - self._last_us > self._horizon_us or self._first_us < 0:
            self._first_us = own_us
        self._last_us = own_us
        return own_us - self._first_us > self._horizon_us

    def settle(self, own_us: int) -> None:
        """End the doubt."""
        self.away = self.new = False
        self.contact_us = own_us
        self._first_us = self._last_us = -1

    def keep(self, accepted_us: int) -> list[Mutation]:
        """Return what the journal is to keep now.

        Args:
            accepted_us: When a request was accepted last, own clock: contact after it means that
                others know the request, and is noted soon.
        """
        kept_us, was_new = self._kept
        late = self.contact_us - kept_us >= self._horizon_us // CONTACTS
        shared = kept_us <= accepted_us < self.contact_us
        if self.contact_us < 0 or not (kept_us < 0 or late or shared or was_new != self.new):
            return []
        self._kept = self.contact_us, self.new
        found: list[Mutation] = [PutRow(CONTACT, str(self.contact_us).encode())]
        if self.new:
            found.append(PutRow(NEW, b"1"))
        elif was_new:
            found.append(DropRow(NEW))
        return found
