"""Who has said goodbye says nothing more, whatever was on its way."""

from eventservices.cns.background import Background
from eventservices.cns.changes import Member
from eventservices.cns.event_type import EventType
from eventservices.cns.membership import Address, Membership
from eventservices.cns.notices import Leave, State, decode_notice


class Link:
    """Stands for a connection; keeps what is said over it."""

    connected = True

    def __init__(self) -> None:
        self.said: list[object] = []

    async def listen(self, subject: str, handler: object) -> str:
        return subject

    async def mute(self, listening: object) -> None:
        """Nothing is to be muted."""

    async def publish(self, subject: str, payload: bytes, reply: str = "") -> None:
        self.said.append(decode_notice(payload))


async def test_what_comes_after_a_goodbye_is_not_told() -> None:
    link, background = Link(), Background()
    membership = Membership(
        link,  # type: ignore[arg-type] # as much of a link as is needed
        background,
        Address("cns.change.x", "_INBOX.x"),
        Member("one", "client", beat_s=1.0),
        lambda: 1.0,
    )
    await membership.join()
    membership.put_offers("proxy", frozenset({EventType("Traffic", "Speed")}))
    await membership.tell_changes()
    assert isinstance(link.said[-1], State)

    await membership.leave()
    await membership.rejoin()
    await membership.beat()
    membership.tell_soon()
    await background.close()

    assert isinstance(link.said[-1], Leave)
    assert sum(isinstance(each, Leave) for each in link.said) == 1
