"""Event services of a town, with the adapters that the product's runtime drives."""

from asyncio import sleep
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.settings import NoSettings
from fes.control import is_signal
from fes.errors import UnavailableError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Event, Identity, attributes
from support.replicas.processes import Process
from support.replicas.source import WINDOW, Source
from support.simulation.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Item:
    """An event as it stands on an event service."""

    event: Event
    stamp: Stamp

    @property
    def identity(self) -> Identity:
        return Identity(*self.stamp.identity)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event as native clients got it first."""

    item: Item
    at_us: int


class Service:
    """One event service, with native clients that want everything, and at most one adapter.

    Args:
        town: Its timeline.
        name: Event service identifier.
        keeps: Whether it keeps persistent events until somebody answers for them.
        suppresses: Whether native clients suppress what they had.
        note: Takes what a trace tells.

    Attributes:
        adapter: The adapter that is connected; None where there is none.
        filters: What is subscribed to natively, however often the adapter starts.
        kept: What waits for an answer.
        deliveries: What native clients got of the federation, each once where they suppress.
        fails: Whether it takes no publications now.
        slow: Whether it takes long to take them.
    """

    def __init__(
        self,
        town: Timeline,
        name: str,
        *,
        keeps: bool,
        suppresses: bool,
        note: Callable[[str], None],
    ) -> None:
        self.name = name
        self.keeps = keeps
        self.suppresses = suppresses
        self.adapter: NativeAdapter | None = None
        self.filters: dict[int, Filter] = {}
        self.since_us: dict[str, int] = {}
        self.announced: Counter[str] = Counter()
        self.kept = Source(town, town.rng.choice((1, WINDOW, WINDOW)))
        self.deliveries: list[Delivery] = []
        self.published: Counter[tuple[Identity, int]] = Counter()
        self.on_control: list[Callable[[Event], None]] = []
        self.fails = False
        self.slow = False
        self.lives = 0
        self._town = town
        self._note = note
        self._suppressor = Suppressor()
        self._numbers = 0
        self._lives: dict[str, int] = {}

    # What native clients do

    def emit(self, item: Item) -> None:
        """Publish an event natively; the adapter hears it."""
        if self.keeps and attributes.is_persistent(item.event):
            if self.wants(item.event):
                self.kept.add(item)
        elif self.adapter is not None and self.wants(item.event):
            adapter = self.adapter
            adapter.process.do(adapter.hear, item)

    def say(self, event: Event, stamp: Stamp) -> None:
        """Publish a control event natively."""
        if self.adapter is not None:
            adapter = self.adapter
            adapter.process.do(adapter.hear_control, event, stamp)

    # What the adapter does

    def connect(self, adapter: "NativeAdapter") -> None:
        """Deliver to an adapter, beginning with the oldest that is kept."""
        self.adapter = adapter
        self.lives += 1
        if not self.keeps:
            self.filters.clear()
        self.announced.clear()
        self.kept.connect(adapter)

    def subscribe(self, filter_: Filter) -> int:
        """Subscribe natively; return what names the subscription."""
        text = filter_.canonical
        for number, each in self.filters.items():
            if each.canonical == text:
                self._lives[text] = self.lives
                return number
        self._numbers += 1
        self.filters[self._numbers] = filter_
        self._lives[text] = self.lives
        self.since_us.setdefault(text, self._town.now_us)
        return self._numbers

    def unsubscribe(self, filter_: Filter) -> None:
        """Withdraw a native subscription."""
        text = filter_.canonical
        self.filters = {n: each for n, each in self.filters.items() if each.canonical != text}
        self.since_us.pop(text, None)

    def prune(self) -> None:
        """Withdraw what an adapter left behind that is gone, once the new one has what it wants."""
        for each in tuple(self.filters.values()):
            if self._lives[each.canonical] != self.lives:
                self.unsubscribe(each)

    def take(self, item: Item) -> None:
        """Take a publication: native clients get it."""
        self.published[item.identity, self.lives] += 1
        repeated = self._suppressor.repeated(item.stamp)
        if not repeated or not self.suppresses:
            self.deliveries.append(Delivery(item, self._town.now_us))

    def wants(self, event: Event) -> bool:
        """Tell whether the adapter subscribed to an event natively."""
        return any(each.matches(event) for each in self.filters.values())


class Heard(NamedTuple):
    """What a native service delivers: an event, or a control event."""

    event: Event
    stamp: Stamp
    is_control: bool = False


class NativeAdapter(Adapter[NoSettings, Heard]):
    """Connects an event service of a town."""

    kind: ClassVar[str] = "town"
    able: ClassVar[Capabilities] = Capabilities()

    @classmethod
    def capabilities_for(cls, settings: NoSettings) -> Capabilities:
        del settings
        return cls.able

    def __init__(self, context: AdapterContext, service: Service, process: Process) -> None:
        super().__init__(context)
        self.service = service
        self.process = process
        self.is_settled: Callable[[], bool] = lambda: False

    def hear(self, item: Item, answer: Callable[[bool], None] | None = None) -> None:
        """Hand over what the event service delivers."""
        self.receive(Heard(item.event, item.stamp), answer)

    def hear_control(self, event: Event, stamp: Stamp) -> None:
        """Hand over a control event."""
        self.receive(Heard(event, stamp, is_control=True))

    async def _open(self) -> None:
        self.service.connect(self)
        self._closing.callback(self._leave)

    def _leave(self) -> None:
        if self.service.adapter is self:
            self.service.adapter = None
            self.service.kept.disconnect()

    def _read(self, message: Heard) -> Received | ReceivedControl:
        event, stamp, is_control = message
        if is_control:
            return ReceivedControl(event, stamp)
        native = Native(event.subject, event.parameters, event.attributes, None, None, False)
        return Received(native, stamp)

    def _raw(self, message: Heard) -> bytes:
        return repr(message.event).encode()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        await self._trip()
        event = Event(str(native.subject), native.parameters, native.attributes)
        self.service.take(Item(event, stamp))

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        del stamp
        if is_signal(event):
            for hear in self.service.on_control:
                hear(event)

    async def _announce(self, native: Native) -> None:
        self.service.announced[str(native.subject)] += 1

    async def _unannounce(self, native: Native) -> None:
        self.service.announced[str(native.subject)] -= 1

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        await self._trip()
        self.service.subscribe(subscription.filter)
        return ()

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self.service.unsubscribe(subscription.filter)

    async def _probe(self) -> None:
        if self.service.fails:
            raise UnavailableError(f"{self.service.name} is away")
        if self.is_settled():
            self.service.prune()

    async def _trip(self) -> None:
        rng = self.service._town.rng
        if self.service.slow:
            await sleep(rng.uniform(0.05, 0.6))
        elif rng.random() < 0.3:
            await sleep(rng.uniform(0.0002, 0.003))
        if self.service.fails and rng.random() < 0.7:
            raise UnavailableError(f"{self.service.name} is away")


class Keeping(NativeAdapter):
    """Of a service that keeps events, and whose clients suppress what they had."""

    able: ClassVar[Capabilities] = Capabilities(persistent=True)


class KeepingRepeating(NativeAdapter):
    """Of a service that keeps events, and whose clients suppress nothing."""

    able: ClassVar[Capabilities] = Capabilities(persistent=True, suppresses=False)


class Repeating(NativeAdapter):
    """Of a service that keeps nothing, and whose clients suppress nothing."""

    able: ClassVar[Capabilities] = Capabilities(suppresses=False)


KINDS: dict[tuple[bool, bool], type[NativeAdapter]] = {
    (True, True): Keeping,
    (True, False): KeepingRepeating,
    (False, True): NativeAdapter,
    (False, False): Repeating,
}
"""Whether it keeps events, and whether clients suppress, to the adapter."""
