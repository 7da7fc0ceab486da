"""Calls of clients, as calls of the core."""

from typing import Protocol

from eventservices.bus.binding.guests import Guest
from eventservices.bus.binding.options import BusOptions
from eventservices.bus.binding.own_clock import OwnClock
from eventservices.bus.core import BusCore
from eventservices.bus.errors import SubscriptionError
from eventservices.bus.wire import calls
from eventservices.bus.wire.calls import Call
from eventservices.bus.wire.tokens import user_of


class Opened(Protocol):
    """A bus that is open."""

    options: BusOptions
    clock: OwnClock

    @property
    def core(self) -> BusCore:
        """What decides."""


class Dispatch:
    """Has the core do what clients request.

    Args:
        bus: Whose core does it.
    """

    def __init__(self, bus: Opened) -> None:
        self._bus = bus

    def call(self, client: str, call: Call, guest: Guest | None) -> bool:
        """Accept a call; return whether the client leaves."""
        core, number, now_us = self._bus.core, call.number, self._bus.clock.now_us()
        match call.request:
            case calls.Delivered(sink, serial):
                core.delivered(sink, serial)
            case calls.AutoCleanUp(watch):
                if guest is not None:
                    guest.watched = watch
                core.acknowledge(client, number)
            case calls.Alive():
                pass
            case calls.Leave():
                return True
            case calls.Subscribe():
                self._subscribe(client, number, call.request, now_us)
            case _:
                self._perform(client, number, call.request, now_us)
        return False

    def _perform(
        self,
        client: str,
        number: int,
        request: calls.Advertise
        | calls.Unadvertise
        | calls.Refilter
        | calls.Unsubscribe
        | calls.Notify,
        now_us: int,
    ) -> None:
        core = self._bus.core
        match request:
            case calls.Advertise(name):
                core.advertise(client, number, name, now_us)
            case calls.Unadvertise(name, source):
                core.unadvertise(client, number, source, name)
            case calls.Refilter(sink, filter_):
                core.refilter(client, number, sink, filter_, now_us)
            case calls.Unsubscribe(sink):
                core.unsubscribe(client, number, sink, now_us)
            case calls.Notify(source, values, attributes, persistent, stamp):
                core.notify(
                    client, number, source, values, attributes=attributes,
                    persistent=persistent, stamp=stamp, now_us=now_us,
                )  # fmt: skip

    def _subscribe(self, client: str, number: int, request: calls.Subscribe, now_us: int) -> None:
        user, secret = request.user, self._bus.options.secret
        if secret is not None:
            try:
                user = user_of(secret, request.user, self._bus.options.clock_us())
            except SubscriptionError as error:
                self._bus.core.refuse(client, number, error)
                return
        self._bus.core.subscribe(
            client, number, request.name, request.filter,
            user=user, device=request.device, durable=request.durable, now_us=now_us,
        )  # fmt: skip
