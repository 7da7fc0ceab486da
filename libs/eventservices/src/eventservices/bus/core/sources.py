"""The sources of this bus.

Source:
    Smart-building thesis, section 4.4.3, "Advertisement of Events" and "Unadvertising of Events".
"""

from typing import Any

from eventservices.bus.core.effects import ALL, AddName, RemoveName, Reply
from eventservices.bus.core.outgoing import Outgoing
from eventservices.bus.core.state import Source, State
from eventservices.bus.errors import AdvertiseError, NotifyError, UnadvertiseError
from eventservices.bus.names import NEW_SOURCE, check_name
from eventservices.bus.wire.messages import EBHave
from eventservices.stamp import Stamp


class Sources:
    """Keeps the sources that clients advertised.

    Args:
        state: The bus's.
        outgoing: What their events go through.
    """

    def __init__(self, state: State, outgoing: Outgoing) -> None:
        self._state = state
        self._outgoing = outgoing

    def advertise(self, client: str, call: int, name: str, now_us: int) -> None:
        """Make a source; answered once the naming service has its name, where there is one.

        Raises:
            EventNameError: The name is not valid.
            AdvertiseError: There are too many sources.
        """
        state = self._state
        check_name(name)
        if len(state.sources) >= state.settings.most_sinks:
            raise AdvertiseError(f"the bus has {len(state.sources)} sources")
        source = Source(state.new_id(), name, client)
        state.sources[source.id] = source
        state.attach(client, source.id)
        state.names[name] += 1
        if state.names[name] == 1:
            state.sources_version += 1
            state.retired.pop(name, None)
            self._outgoing.begin(name, now_us)
            state.effects.add(AddName(name))
            if not state.settings.naming:
                self.announce(name)
            elif name != NEW_SOURCE:
                state.adding[name] = []
        reply = Reply(client, call, source.id)
        if name in state.adding:
            state.adding[name].append(reply)
        else:
            state.effects.add(reply)

    def added(self, name: str) -> None:
        """Answer who waited for the naming service to have a name, or to be tried again."""
        for reply in self._state.adding.pop(name, ()):
            self._state.effects.add(reply)

    def announce(self, name: str) -> None:
        """Report a source to all buses."""
        self._state.effects.send(ALL, EBHave(name))
        self._state.effects.send(self._state.id, EBHave(name))

    def unadvertise(self, client: str, number: int, name: str) -> int:
        """End a source; what it sent before is still delivered.

        Raises:
            UnadvertiseError: The client has no such source.
        """
        source = self._state.sources.get(number)
        if source is None or source.client != client or name not in ("", source.name):
            raise UnadvertiseError(f"no source {number} of this client")
        self._end(source)
        return number

    def notify(
        self,
        client: str,
        number: int,
        values: dict[str, Any],
        attributes: dict[str, Any],
        *,
        persistent: bool,
        stamp: Stamp | None,
        now_us: int,
    ) -> int:
        """Send an event of a source, and return its number.

        Raises:
            NotifyError: The client has no such source, or a bus does not follow.
        """
        source = self._state.sources.get(number)
        if source is None or source.client != client:
            raise NotifyError(f"no source {number} of this client")
        return self._outgoing.notify(
            source.name, values, attributes, persistent=persistent, stamp=stamp, now_us=now_us
        )

    def end(self, number: int) -> int:
        """End a source of a client that ended; return the pieces of that."""
        source = self._state.sources.get(number)
        if source is None or source.client:
            return 0
        self._end(source)
        return 1

    def _end(self, source: Source) -> None:
        state = self._state
        del state.sources[source.id]
        state.detach(source.client, source.id)
        state.names[source.name] -= 1
        if not state.names[source.name]:
            del state.names[source.name]
            state.sources_version += 1
            state.retire(source.name)
            state.effects.add(RemoveName(source.name))
