"""Gateways that are gone for long, start anew, and have clocks that are set: drawn from a seed.

All meet at one event service, so whoever is there sees the others. Each client stands at the event
service of one gateway and asks through it alone; so what it asked last is what is right, whoever
was away meanwhile. As a program, plays a seed and shows what happened.

python -m support.play.wandering SEED    (from the folder `tests`)
"""

import random
import sys
from collections import Counter
from dataclasses import dataclass, field

import msgspec
from fes.control import RequestType, signal_event
from fes.control.signal import Ask, Attendance, Hello, Table
from fes.model import binary
from support.drawing.wishes import at_least
from support.simulation.scripted import topology
from support.simulation.watch import SYSTEM
from support.simulation.world import SECOND, World

HORIZON_US = 12 * SECOND
HOUR_US = 3_600 * SECOND
SHARED = "shared"
SETTLED_S = 14
"""By when all know what one of them does, once they see one another."""

MARGIN_US = 4 * SECOND
"""How much earlier or later a lease may end than it says."""

SUB, UNSUB = RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION


@dataclass
class Client:
    """Who asks for something, through the gateway where it stands.

    Attributes:
        name: Its requester.
        gateway: Where it stands.
        opaque: Whether it publishes its requests on the event service there.
        holds: Whether its last request still holds.
        ends_us: When its lease ends; 0 where it has none.
        clock_us: How wrong its clock is.
    """

    name: str
    gateway: str
    opaque: bool
    holds: bool = False
    ends_us: int = 0
    clock_us: int = 0


@dataclass
class Wandering:
    """Plays a federation whose gateways are gone for longer than the horizon.

    Attributes:
        broken: What was otherwise than it should be, in words.
        happened: What was drawn, counted.
    """

    seed: int
    broken: list[str] = field(default_factory=list)
    happened: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Draw who is there."""
        self._rng = random.Random(f"wandering {self.seed}")
        names = [f"g{number}" for number in range(self._rng.choice((2, 3, 3, 4)))]
        pairs = " ".join(f"{name}-{SHARED} {name}-own{name}" for name in names)
        self.world = World(topology(pairs), self.seed)
        self.world.now_us += 1_700_000_000 * SECOND
        self.world.start_us = self.world.now_us
        self._names = names
        self._clients = [
            Client(f"c{number}", self._rng.choice(names), self._rng.random() < 0.5)
            for number in range(self._rng.randint(2, 5))
        ]
        if self._rng.random() < 0.15:
            where = self._rng.choice(names)
            count = self._rng.randint(110, 240)
            self._clients += [Client(f"many{n}", where, opaque=False) for n in range(count)]
            self.happened["table of more than one part"] += 1
        self._last_us = self._outages_us = 0

    def play(self) -> list[str]:
        """Have everything happen; return what was not as it should be."""
        rng = self._rng
        for name in self._names:
            self._set_clock(name, 0.3)
            self.world.start(name)
        self._pass(rng.choice((2, 2, 18)))
        self._ask(self._names, 0.9)
        self._pass(3)
        for _ in range(rng.randint(1, 3)):
            self._separate()
            self._pass(SETTLED_S)
            self._judge()
            self._ask(self._names, 0.3)
            self._pass(3)
        self._end()
        return self.broken + self.world.broken

    def _end(self) -> None:
        """Have all be withdrawn, and forgotten."""
        for client in self._clients:
            self._say(client, UNSUB)
        self._pass(3)
        self._judge()
        last_us = max(self._last_us + self._outages_us - self.world.now_us, 0)
        self._pass((3 * HORIZON_US + last_us) // SECOND)
        left = {name: len(core.table) for name, core in self.world.cores.items() if core.table}
        if any(left.values()):
            self.broken.append(f"left: rows at the end: {left}")

    def _separate(self) -> None:
        """Have some gateways, or all, be gone; and come back."""
        rng, world = self._rng, self.world
        gone = rng.sample(self._names, rng.randint(1, len(self._names)))
        long = rng.random() < 0.7
        kills = {name: rng.random() < 0.6 for name in gone}
        for name in gone:
            self._go(name, killed=kills[name])
        kind = "all" if len(gone) == len(self._names) else "some"
        self.happened[f"{kind} gone for {'longer' if long else 'less'} than the horizon"] += 1
        before_us = world.now_us
        self._pass(5)
        self._ask([name for name in self._names if name in world.cores], 0.4)
        self._pass(5)
        if long:
            self._pass(rng.randint(12, 40))
        self._ask([name for name in self._names if name in world.cores], 0.2)
        self._pass(5)
        for name in gone:
            self._set_clock(name, 0.3)
            self._come(name, killed=kills[name])
        self._outages_us += world.now_us - before_us

    def _go(self, name: str, *, killed: bool) -> None:
        if not killed:
            self.happened["parted while it ran"] += 1
            self.world.cut_link(name, SHARED)
            return
        self.happened["killed"] += 1
        self.world.kill(name)
        if self._rng.random() < 0.2 and len(self._names) > 1 and len(self.world.cores) > 0:
            self.happened["new, with an empty journal"] += 1
            self.world.wipe(name)

    def _come(self, name: str, *, killed: bool) -> None:
        if killed:
            self.world.start(name)
        else:
            self.world.mend_link(name, SHARED)

    def _ask(self, where: list[str], chance: float) -> None:
        """Have clients at some gateways ask for something, or withdraw it."""
        rng = self._rng
        for client in self._clients:
            if client.gateway not in where or rng.random() > chance:
                continue
            if client.opaque and rng.random() < 0.3:
                self.happened["clock of a client set"] += 1
                client.clock_us = self._offset_us()
            kind = UNSUB if client.holds and rng.random() < 0.5 else SUB
            lease_us = rng.choice((3, 6, 30, 60)) * SECOND if rng.random() < 0.4 else 0
            if client.holds and kind is SUB and bool(client.ends_us) != bool(lease_us):
                self.happened["length of a lease changed"] += 1
            self._say(client, kind, lease_us if kind is SUB else 0)

    def _say(self, client: Client, kind: RequestType, lease_us: int = 0) -> None:
        world, source = self.world, f"own{client.gateway}"
        ends_us = world.now_us + lease_us if lease_us else 0
        client.holds, client.ends_us = kind is SUB, ends_us
        self._last_us = max(self._last_us, ends_us)
        request = world.request(kind, source, "*", at_least(0), client.name, ends_us)
        off_us = client.clock_us
        made = {
            "stamp": msgspec.structs.replace(
                request.stamp, origin=client.name, time_us=request.stamp.time_us + off_us
            ),
            "version": request.version + off_us if client.opaque else 0,
            "expires_us": ends_us and ends_us + off_us,
        }
        if not client.opaque and ends_us:  # the API reckons with the gateway's own clock
            made["expires_us"] = ends_us + world.skew_us[client.gateway]
        request = msgspec.structs.replace(request, **made)
        if client.opaque:
            world.say(source, request)
        else:
            world.inject(client.gateway, request)

    def _pass(self, seconds: int) -> None:
        """Let time pass; clocks are set in it, and somebody says nonsense."""
        rng, world = self._rng, self.world
        for _ in range(seconds):
            if rng.random() < 0.03:
                self._set_clock(rng.choice(self._names), 1.0)
            if rng.random() < 0.03:
                self.happened["hostile signal"] += 1
                world.control(SHARED, hostile(rng, world), None, "")
            world.pass_time(world.now_us + SECOND)

    def _set_clock(self, name: str, chance: float) -> None:
        if self._rng.random() < chance:
            self.happened["clock set"] += 1
            self.world.skew_us[name] = self._offset_us()

    def _offset_us(self) -> int:
        rng = self._rng
        return rng.choice((-1, 1)) * rng.choice((rng.randint(60, 900) * SECOND, 5 * HOUR_US, 0))

    def _judge(self) -> None:
        """Compare what gateways know with what clients asked for."""
        now_us = self.world.now_us
        known = {
            name: {row.requester for row in core.table.rows() if not row.withdrawn}
            for name, core in self.world.cores.items()
        }
        for client in self._clients:
            ends_us = client.ends_us
            must = client.holds and not ends_us
            may = client.holds and (not ends_us or ends_us + self._outages_us + MARGIN_US > now_us)
            for name, requesters in known.items():
                if must and client.name not in requesters:
                    self.broken.append(f"lost: {client} at {name}, {self._at()}")
                if not may and client.name in requesters:
                    self.broken.append(f"revived: {client} at {name}, {self._at()}")
        strangers = set().union(*known.values()) - {client.name for client in self._clients}
        if strangers:
            self.broken.append(f"invented: {strangers}, {self._at()}")

    def _at(self) -> str:
        return f"{(self.world.now_us - self.world.start_us) / SECOND:.0f} s"


def hostile(rng: random.Random, world: World) -> bytes:
    """Return a signal that no gateway makes."""
    now_us = world.now_us
    far = rng.choice((2**62, 2**63, 10**30, -1, now_us + 10**12))
    stamp = ["o", 1, 1, now_us, "s"]
    sound = [2, f"own{rng.choice(['g0', 'g1'])}", "evil", "number >= 0", "*", False, now_us, 0, 0]
    row = [*sound, "number >= 0", "", stamp, 0, 0]
    place = rng.choice((0, 1, 2, 4, 6, 8, 12))
    row[place] = {0: 3, 1: "nowhere", 2: "x" * 600, 4: "a,b"}.get(place, far)
    raw = msgspec.Raw(msgspec.json.encode(row) if abs(far) < 2**63 else b"[" + b"9" * 30 + b"]")
    evil = rng.choice(
        (
            Table("g9", 0, 0, 1, rows=(raw,)),
            Table("g9", 1, 7, 3, rows=(raw,), buckets=(500,), of=3),
            Hello("g9", 1, 1, 1, attendances=(Attendance("g1", 2**62, 2**62, ()),)),
            Ask("g9", "g0", (1, 2, 3)),
            Ask("g9", f"nobody{rng.random()}"),
        )
    )
    return binary.encode(signal_event(evil, SYSTEM, SHARED))


def main(seed: int) -> int:
    """Play a seed and show it; return how many things were wrong, at most 1."""
    played = Wandering(seed)
    for name in ("start", "kill", "wipe", "cut_link", "mend_link", "inject", "say"):
        _listen(played.world, name)
    broken = played.play()
    sys.stdout.write(f"{dict(played.happened)}\n{len(broken)} wrong\n" + "\n".join(broken) + "\n")
    return min(1, len(broken))


def _listen(world: World, name: str) -> None:
    act = getattr(world, name)

    def told(*given: object) -> None:
        seconds = (world.now_us - world.start_us) / SECOND
        sys.stdout.write(f"{seconds:7.1f} {name} {given} clocks {dict(world.skew_us)}\n"[:330])
        act(*given)

    setattr(world, name, told)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
