"""A crowd: many gateway cores at one event service, where each hears what every other says."""

from collections import Counter, deque

from fes.control import ControlEvent, is_signal, read_signal, to_event
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Input, LinkUp, Ready, Tick
from fes.gateway.outputs import Mutation, PutRow, ToAdapter
from fes.gateway.settings import Instant
from fes.link.messages import Done, HeardControl, PublishControl, Subscribe
from fes.model import Stamp, binary
from support.gateways.cores import SECOND, request

CITY = "city"


class Crowd:
    """Gateways at one event service, and each at one of its own that no control event passes.

    Args:
        size: How many.

    Attributes:
        said: What they said at the shared event service, by kind.
        heard: How often a gateway heard something.
        mutations: What they committed.
    """

    def __init__(self, size: int) -> None:
        names = [f"g{number}" for number in range(size)]
        attached = tuple(
            (name, place) for number, name in enumerate(names) for place in (f"own{number}", CITY)
        )
        topology = Topology(attached)
        self.said: Counter[str] = Counter()
        self.heard = 0
        self.mutations: list[Mutation] = []
        self.now_us = 1_000 * SECOND
        self._numbers = 0
        self._waiting: deque[tuple[int, bytes]] = deque()
        self.cores = [
            GatewayCore(
                GatewaySettings(
                    id=name,
                    system="test",
                    adapters={
                        f"own{number}": AdapterSettings(
                            f"{name}.own", f"own{number}", accept=frozenset(), relay=False
                        ),
                        CITY: AdapterSettings(f"{name}.city", CITY, repeats=number == 0),
                    },
                    services=(CITY, *(f"own{each}" for each in range(size))),
                    topology=topology,
                ),
                after=number + 1,
            )
            for number, name in enumerate(names)
        ]

    def start(self) -> None:
        """Have all links come up, and all adapters prove themselves."""
        for message in (LinkUp(), Ready(ready=False), Ready(ready=True)):
            for number in range(len(self.cores)):
                for place in (f"own{number}", CITY):
                    self.do(number, message, place)
            self.deliver()

    def pass_time(self, seconds: int) -> None:
        """Let each gateway tick every second."""
        for _ in range(seconds):
            self.now_us += SECOND
            for number in range(len(self.cores)):
                self.do(number, Tick(), "")
            self.deliver()

    def ask(self, number: int, sequence: int, lease_s: int = 60) -> None:
        """Have a client at the shared service ask for something at one gateway's own."""
        asked = request(
            source=CITY,
            dist_list=f"own{number}",
            sequence=sequence,
            version=self.now_us + sequence,
            expires_us=self.now_us + lease_s * SECOND,
        )
        self._hear(asked)
        self.deliver()

    def forget(self) -> None:
        """Count from now on."""
        self.said.clear()
        self.heard = 0
        self.mutations.clear()

    def later(self) -> int:
        """Return how many rows the journals may have later."""
        return sum(isinstance(each, PutRow) and not each.soon for each in self.mutations)

    def tables(self) -> int:
        """Return how many different request tables there are."""
        return len({core.table.digest for core in self.cores})

    def do(self, number: int, message: Input, service: str) -> None:
        """Give one gateway one input."""
        now = Instant(self.now_us, self.now_us)
        mutations, outputs = self.cores[number].handle(message, now, service)
        self.mutations += mutations
        for output in outputs:
            if not isinstance(output, ToAdapter):
                continue
            if isinstance(output.order, PublishControl) and output.service == CITY:
                self._waiting.append((number, output.order.body))
            elif isinstance(output.order, Subscribe):
                self.do(number, Done(output.order.number), output.service)

    def deliver(self) -> None:
        """Deliver all that was said to everybody else."""
        while self._waiting:
            speaker, body = self._waiting.popleft()
            event = binary.decode(body)
            kind = type(read_signal(event, "test")).__name__ if is_signal(event) else "Request"
            self.said[kind] += 1
            self._numbers += 1
            stamp = Stamp(f"a{speaker}", 1, self._numbers, self.now_us, CITY)
            heard = HeardControl(stamp, body)
            for number in range(len(self.cores)):
                if number != speaker:
                    self._give(number, heard)

    def _hear(self, asked: ControlEvent) -> None:
        heard = HeardControl(asked.stamp, binary.encode(to_event(asked)))
        for number in range(len(self.cores)):
            self._give(number, heard)

    def _give(self, number: int, heard: HeardControl) -> None:
        self.heard += 1
        self.do(number, heard, CITY)
