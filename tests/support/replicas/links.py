"""Links between the adapters and the replicas of a town: they take time, and break."""

from collections.abc import Callable
from functools import partial

from fes.adapter import AdapterRuntime
from fes.adapter.replicas import Line
from fes.link.end import Hello, Message
from fes.link.lanes import Lanes
from fes_gateway.host import GatewayHost
from support.replicas.processes import Process
from support.simulation.timeline import MS, Timeline

WINDOW = 64
"""Most batches on their way that the other end has not taken."""

Receiver = Callable[[Message], None]


class End:
    """One end of a link, with the lanes of the product.

    Args:
        town: Its timeline.
        near: The process whose end it is.
        far: The other process.

    Attributes:
        peer: The other end.
        ended: Whether its process has noticed that the link broke.
        broken: Whether nothing passes any more.
        receiver: Takes what the other end sends.
        on_broken: What is done when its process notices that the link broke.
    """

    def __init__(self, town: Timeline, near: Process, far: Process) -> None:
        self.peer: End | None = None
        self.ended = False
        self.broken = False
        self.lost = 0
        self.receiver: Receiver = _take_nothing
        self.on_broken: Callable[[], object] = _do_nothing
        self._town = town
        self._near = near
        self._far = far
        self._lanes = Lanes()
        self._going = False
        self._unread = 0

    def send(self, message: Message) -> bool:
        """Send a message; see `LinkEnd`."""
        if self.ended:
            self.lost += 1
            return False
        taken = self._lanes.put(message)
        self._pump()
        return taken

    async def close(self) -> None:
        """Close the link."""

    @property
    def counters(self) -> dict[str, int]:
        """What was lost."""
        return {"link_lost": self.lost}

    def displaced_with(self, receiver: Receiver) -> None:
        """Have a function told what had to go for something more urgent."""
        self._lanes.on_displaced = receiver

    def notice(self) -> None:
        """End, as the link broke."""
        self.ended = True
        self.on_broken()

    def _pump(self) -> None:
        if not self._going and self._lanes.count and self._unread < WINDOW:
            self._going = True
            self._town.at(self._town.rng.randint(200, 3 * MS), self._go)

    def _go(self) -> None:
        self._going = False
        if self.broken or not self._near.alive:
            return
        if self._near.stalled:
            self._near.on_resume(self._pump)
            return
        batch = self._lanes.take()
        self._unread += 1
        self._far.do(self._arrive, batch)
        self._pump()

    def _arrive(self, batch: tuple[Message, ...]) -> None:
        self._unread -= 1
        peer = self.peer
        for message in batch:
            if peer is not None and not peer.ended:
                peer.receiver(message)
        self._pump()


class Link:
    """What an adapter dials one replica with, again and again.

    Args:
        town: Its timeline.
        near: The adapter's process.
        runtime: The adapter.
        service: Its event service.
        replica: Returns the replica's process and host, once it takes links; None where it is not.

    Attributes:
        up: Whether both ends use it.
        given_up: Whether it is dialled no more.
    """

    def __init__(
        self,
        town: Timeline,
        near: Process,
        runtime: AdapterRuntime,
        service: str,
        replica: Callable[[], tuple[Process, GatewayHost] | None],
    ) -> None:
        self.given_up = False
        self.ends: tuple[End, End] | None = None
        self.far: Process | None = None
        self._town = town
        self._near = near
        self._runtime = runtime
        self._service = service
        self._replica = replica
        self._line: Line = runtime.link()
        self._attached = False

    @property
    def up(self) -> bool:
        """Whether both ends use it and the adapter knows the whole desired state."""
        ends = self.ends
        used = ends is not None and not any(end.ended or end.broken for end in ends)
        return used and self._attached and self._line.whole

    @property
    def line(self) -> Line:
        """The adapter's side."""
        return self._line

    def dial(self) -> None:
        """Dial, unless the adapter is gone."""
        if not self._near.alive or self.given_up:
            return
        found = self._replica()
        if found is None or found[0].stalled:
            self._again()
            return
        self.far, host = found
        near, far = End(self._town, self._near, self.far), End(self._town, self.far, self._near)
        near.peer, far.peer = far, near
        self.ends, self._attached = (near, far), False
        near.receiver = self._line.receive
        far.receiver = lambda message: self._said(message, host, far)
        self._near.do(self._dialled, near)

    def cut(self, *, slow: str = "") -> None:
        """Break the link.

        Args:
            slow: Whose process notices it only when nothing was answered for seconds: `near`,
                `far`, or neither.
        """
        ends, rng = self.ends, self._town.rng
        if ends is None or self.far is None or ends[0].broken:
            return
        near, far = ends
        near.broken = far.broken = True
        soon, late = (MS, 20 * MS), (5_000 * MS, 10_000 * MS)
        process = self.far
        delay = rng.randint(*(late if slow == "near" else soon))
        self._town.at(delay, lambda: self._near.do(self._down, near))
        delay = rng.randint(*(late if slow == "far" else soon))
        # At that moment: a process that stood still may have read a hello just before.
        self._town.at(delay, lambda: process.do(far.notice))

    def _again(self) -> None:
        self._town.at(self._town.rng.randint(100 * MS, 1_500 * MS), self.dial)

    def _dialled(self, end: End) -> None:
        runtime = self._runtime
        end.displaced_with(self._line.displaced)
        capabilities = runtime.adapter.capabilities.by_name()
        end.send(Hello(runtime.adapter.id, self._service, runtime.epoch, capabilities))
        self._line.up(end)
        end.send(runtime.counted())

    def _down(self, end: End) -> None:
        end.ended = True
        if self.ends is not None and self.ends[0] is end:
            self._line.down()
            self._again()

    def _said(self, message: Message, host: GatewayHost, end: End) -> None:
        if isinstance(message, Hello) and not host.adapters[self._service].linked:
            self._attached = True
            end.displaced_with(host.displaced)
            end.receiver = host.receiver(self._service)
            end.on_broken = partial(host.detach, self._service, "the link broke")
            host.attach(self._service, end, message.capabilities)
        elif isinstance(message, Hello):
            self.cut()


def _take_nothing(message: Message) -> None:
    del message


def _do_nothing() -> None:
    pass
