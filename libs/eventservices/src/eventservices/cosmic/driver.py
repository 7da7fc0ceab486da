"""The interface to the bus, by python-can: the only module with a thread.

A thread waits for frames and passes them to the event loop. Every interface is configured to return
what it sent, so that a frame counts as sent when it was received from the bus, and all nodes of a
process receive all frames in the order of the bus.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import can
from can.interfaces.udp_multicast import UdpMulticastBus

from eventservices.cosmic.frame import Frame
from eventservices.cosmic.loopback import LoopbackBus
from eventservices.errors import MalformedError, NotConnectedError, RefusedError

INTERFACES: Final = ("virtual", "udp_multicast", "socketcan")

POLL_S: Final = 0.1
"""Longest that the thread waits for a frame before it looks whether it shall end."""

PAUSE_S: Final = 0.02
"""Pause of the thread after an error, so that a broken interface does not keep it busy."""

BROKEN_AFTER: Final = 25
"""Errors in a row after which the interface counts as broken."""

WAITING: Final = 20_000
"""Most frames that wait for the event loop; those that come then are lost and counted."""

RECEIVE_BYTES: Final = 4 * 1024 * 1024
"""Buffer for frames that arrive, as far as the system grants it."""

GROUP: Final = "239.74.163.2"
PORT: Final = 43_113


@dataclass(frozen=True, slots=True)
class Interface:
    """Which bus.

    Attributes:
        kind: `virtual` (within this process), `udp_multicast` (between processes) or `socketcan`
            (where the kernel has it).
        channel: Name of the virtual bus, multicast group, or network interface (`can0`).
        port: UDP port. Buses of one host need a port each: the system returns a datagram to all who
            listen on its port, whatever their group.
        hop_limit: Routers that datagrams may pass; 0 keeps them on this host, and needs no network.
    """

    kind: str = "virtual"
    channel: str = "cosmic"
    port: int = PORT
    hop_limit: int = 0

    def __post_init__(self) -> None:
        """Check the kind.

        Raises:
            MalformedError: There is none of this name.
        """
        if self.kind not in INTERFACES:
            raise MalformedError(f"interface {self.kind!r} is none of {', '.join(INTERFACES)}")
        if not self.channel or not 0 < self.port < 65536:
            raise MalformedError("an interface has a channel and a port of 1 .. 65535")

    def open(self) -> can.BusABC:
        """Return the interface, open; every one returns what it sent.

        Raises:
            CanError: python-can cannot open it.
            OSError: The system cannot.
        """
        if self.kind != "udp_multicast":
            return can.Bus(interface=self.kind, channel=self.channel, receive_own_messages=True)
        if self.hop_limit == 0 and ":" not in self.channel:
            return LoopbackBus(self.channel, self.port)
        return UdpMulticastBus(self.channel, self.port, self.hop_limit)


@dataclass(slots=True)
class DriverCounters:
    """Counts what an interface brought.

    Attributes:
        heard: Data frames.
        remote: Remote frames, which carry no event.
        errors: Error frames, which carry no event.
        malformed: What was no frame at all.
        overrun: Frames lost because too many waited.
        reopened: Times that the interface was opened again.
    """

    heard: int = 0
    remote: int = 0
    errors: int = 0
    malformed: int = 0
    overrun: int = 0
    reopened: int = 0


Take = Callable[[Frame], None]
OnMalformed = Callable[[str], None]


class Driver:
    """Sends frames, and brings those of the bus, in the event loop that opened it.

    Args:
        interface: Which bus.
        take: Is called with each data frame, those that were sent here among them.
        malformed: Is called with what was not a frame.
    """

    def __init__(self, interface: Interface, take: Take, malformed: OnMalformed) -> None:
        self.interface = interface
        self.counters = DriverCounters()
        self.broken = ""
        self._take = take
        self._malformed = malformed
        self._bus: can.BusABC | None = None
        self._notifier: can.Notifier | None = None

    @property
    def is_open(self) -> bool:
        """Whether frames can be sent."""
        return self._bus is not None and not self.broken

    def open(self) -> None:
        """Open the interface.

        Raises:
            NotConnectedError: It is not there; a retry may help.
            RefusedError: python-can, or the system, does not know such an interface.
        """
        name, channel = self.interface.kind, self.interface.channel
        try:
            bus = self.interface.open()
        except can.CanInterfaceNotImplementedError as error:
            raise RefusedError(f"{name}: {error}") from error
        except (can.CanError, OSError, ValueError) as error:
            raise NotConnectedError(f"{name} {channel}: {error}") from error
        _widen(bus)
        self._bus, self.broken = bus, ""
        receiver = _Receiver(self, asyncio.get_running_loop())
        self._notifier = can.Notifier(bus, [receiver], timeout=POLL_S)

    async def close(self) -> None:
        """Close the interface; harmless where that was done."""
        notifier, self._notifier = self._notifier, None
        bus, self._bus = self._bus, None
        if notifier is not None:
            await asyncio.to_thread(notifier.stop)
        if bus is not None:
            bus.shutdown()

    def send(self, frame: Frame) -> None:
        """Put a frame on the bus.

        Raises:
            NotConnectedError: The interface did not accept it.
        """
        if self._bus is None or self.broken:
            raise NotConnectedError(self.broken or "the bus is closed")
        message = can.Message(
            arbitration_id=frame.can_id, is_extended_id=frame.extended, data=frame.data
        )
        try:
            self._bus.send(message)
        except (can.CanError, OSError, ValueError) as error:
            raise NotConnectedError(f"{self.interface.kind}: {error}") from error

    def deliver(self, messages: deque[can.Message | str]) -> None:
        """Pass on what waits; the event loop calls it."""
        for _ in range(len(messages)):
            message = messages.popleft()
            if self._bus is None:
                continue
            if isinstance(message, str):
                self.counters.malformed += 1
                self._malformed(message)
            elif message.is_error_frame:
                self.counters.errors += 1
            elif message.is_remote_frame:
                self.counters.remote += 1
            else:
                self.counters.heard += 1
                self._take(_frame(message))


class _Receiver(can.Listener):
    """Receives frames in the thread and passes them to the loop, many at a time."""

    def __init__(self, driver: Driver, loop: asyncio.AbstractEventLoop) -> None:
        self._driver = driver
        self._loop = loop
        self._waiting: deque[can.Message | str] = deque()
        self._called = False
        self._errors = 0

    def on_message_received(self, msg: can.Message) -> None:
        """Accept a frame."""
        self._errors = 0
        self._hand_over(msg)

    def on_error(self, exc: Exception) -> None:
        """Note what was no frame, or of an interface that does not work."""
        self._errors += 1
        if self._errors >= BROKEN_AFTER:
            self._driver.broken = f"{self._driver.interface.kind} does not work: {exc}"
        self._hand_over(str(exc) or repr(exc))
        time.sleep(PAUSE_S)

    def _hand_over(self, what: can.Message | str) -> None:
        if len(self._waiting) >= WAITING:
            self._driver.counters.overrun += 1
            return
        self._waiting.append(what)
        if not self._called:
            self._called = True
            with contextlib.suppress(RuntimeError):  # the loop ended, and nobody listens any more
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._called = False  # before the queue is read: a frame that comes now calls again
        self._driver.deliver(self._waiting)


def _frame(message: can.Message) -> Frame:
    data, time_us = bytes(message.data), round(message.timestamp * 1e6)
    return Frame(message.arbitration_id, data, message.is_extended_id, time_us)


def _widen(bus: can.BusABC) -> None:
    """Query the system for a larger buffer, where the interface has a socket."""
    try:
        descriptor = bus.fileno()
    except NotImplementedError:  # python-can's word for an interface that has no socket
        return
    if descriptor >= 0:
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as same:
            same.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
