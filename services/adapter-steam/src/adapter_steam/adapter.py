"""The STEAM adapter."""

from dataclasses import asdict
from typing import ClassVar

import msgspec
from eventservices.errors import EventServiceError
from eventservices.stamp import Stamp
from eventservices.steam import Event as SteamEvent
from eventservices.steam import (
    Location,
    Node,
    NodeSettings,
    Notification,
    Observer,
    Proximity,
    Sighting,
)
from eventservices.steam import Subscription as NativeSubscription
from eventservices.steam.codec import encode
from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.adapter.observed import Observed
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, CodecError, UnavailableError
from fes.mapping import Native
from fes.model import Event
from fes.model.attributes import PROXIMITY

from adapter_steam.announcements import Announcements
from adapter_steam.codec import to_native, to_steam
from adapter_steam.control import CONTROL_TYPE, from_steam_control, to_steam_control
from adapter_steam.errors import adapter_error, native_errors
from adapter_steam.mapping import plan
from adapter_steam.observed import LABEL, observed, present
from adapter_steam.place import location_of
from adapter_steam.proximity import area_of, parse_area
from adapter_steam.settings import LARGEST_BYTES, SteamSettings, air_settings, read_settings
from adapter_steam.shared import SharedAir

BURST = 64
"""Publications between two turns of the loop."""

_OF_THE_AIR = ("malformed", "unclaimed", "refused", "uncovered", "reconnected")
_SHARED = (*_OF_THE_AIR, "takeovers")


class SteamAdapter(Adapter):
    """Connects an access point to the air: one node, among others that the process may have.

    Attributes:
        location: Tells where the access point is; with `location: {live: true}` the program
            around the adapter tells it: `adapter.location.update(…)`. None until it connects.
    """

    kind: ClassVar[str] = "steam"
    capabilities: ClassVar[Capabilities] = Capabilities(
        filters_at_source=True,
        observes=("subscriptions", "announcements"),
        honours=(PROXIMITY,),
        needs_announcement=True,
        max_event_bytes=LARGEST_BYTES,
    )
    settings_type: ClassVar[type[msgspec.Struct]] = SteamSettings

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self.settings = read_settings(context)
        self.location: Location | None = None
        self._air_settings = air_settings(context, self.settings)
        self._area: Proximity = parse_area(self.settings.area)
        self._shared: SharedAir | None = None
        self._joined: Node | None = None
        self._observer: Observer | None = None
        self._announcements = Announcements()
        self._held: dict[int, list[NativeSubscription]] = {}
        self._last: Notification | None = None
        self._said = 0

    @property
    def counters(self) -> dict[str, int]:
        """Counters of the node; those that begin with `air_` are of the whole process."""
        if self._shared is None or self._joined is None:
            return {}
        node, air = asdict(self._joined.counters), self._shared.counted()
        own = {name: count for name, count in node.items() if name not in _SHARED}
        shared = {f"air_{name}": air[name] for name in _OF_THE_AIR}
        return own | shared | {"takeovers": air["takeovers"]}

    async def _open(self) -> None:
        self.location = self.location or await location_of(self.context, self.settings.location)
        try:
            with native_errors():
                await self._join(self.location)
        except BaseException:
            await self._close()
            raise

    async def _join(self, location: Location) -> None:
        shared = self._shared = await SharedAir.acquire(self.context, self._air_settings)
        shared.air.watchers.append(self._malformed)
        name, home = self.context.id, self.context.service
        settings = NodeSettings(name, self.settings.range_m, home, LABEL)
        node = self._joined = shared.air.node(settings, location)
        if self.context.hears_control:
            await node.subscribe(CONTROL_SUBJECT, self._heard_control)

    async def _close(self) -> None:
        observer, self._observer = self._observer, None
        node, self._joined = self._joined, None
        shared, self._shared = self._shared, None
        self._announcements.clear()
        self._held.clear()
        self._last = None
        if observer is not None:
            await observer.close()
        if node is not None:
            node.close()
        if shared is not None:
            if self._malformed in shared.air.watchers:
                shared.air.watchers.remove(self._malformed)
            await self.context.pool.release(shared.key)

    async def _observe(self) -> None:
        if self._observer is not None:
            for beacon in self._observer.in_force:
                self._tell(present(beacon))
            return
        range_m, air = self.settings.range_m, self._air.air
        observer = Observer(
            air, self._sighted, location=self.location, range_m=range_m, events=False
        )
        with native_errors():
            self._observer = await observer.open()

    def _sighted(self, sighting: Sighting) -> None:
        self._tell(observed(sighting))

    def _tell(self, seen: Observed | None) -> None:
        if seen is not None and self._sink is not None:
            self._sink.observed(seen)

    async def _announce(self, native: Native) -> None:
        subject, area = self._announced(native)
        with native_errors():
            self._node.announce(subject, area)
        self._announcements.add(subject, area)

    async def _unannounce(self, native: Native) -> None:
        subject, area = self._announced(native)
        left = self._announcements.remove(subject, area)
        with native_errors():
            if left is None:
                self._node.unannounce(subject)
            else:
                self._node.announce(subject, left)

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        await self._say(to_steam(native), stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        said = to_steam_control(event)
        with native_errors():
            if CONTROL_SUBJECT not in self._node.announced:
                self._node.announce(CONTROL_TYPE, self._area)
        await self._say(said, stamp)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        planned = plan(subscription.filter, self.context.mapping)
        made: list[NativeSubscription] = []
        try:
            with native_errors():
                for wanted in planned.wanted:
                    made.append(  # noqa: PERF401 - what was made before a failure is taken back
                        await self._node.subscribe(wanted.subject, self._heard, wanted.terms)
                    )
        except BaseException:
            self._take_back(made)
            raise
        self._take_back(self._held.pop(subscription.number, []))
        self._held[subscription.number] = made
        return planned.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self._take_back(self._held.pop(subscription.number, []))

    async def _probe(self) -> None:
        with native_errors():
            await self._air.probe()

    @property
    def _node(self) -> Node:
        if self._joined is None:
            raise UnavailableError("the adapter is not connected")
        return self._joined

    @property
    def _air(self) -> SharedAir:
        if self._shared is None:
            raise UnavailableError("the adapter is not connected")
        return self._shared

    def _announced(self, native: Native) -> tuple[str, Proximity]:
        if native.subject is None:
            raise AdapterError("a STEAM event has a subject")
        return native.subject, area_of(native.attributes) or self._area

    def _take_back(self, subscriptions: list[NativeSubscription]) -> None:
        if self._joined is not None:
            for one in subscriptions:
                self._joined.unsubscribe(one)

    async def _say(self, event: SteamEvent, stamp: Stamp) -> None:
        self._said += 1
        if self._said % BURST == 0:
            await self._air.room()
        try:
            said = self._node.publish(event, stamp=stamp)
        except EventServiceError as error:
            raise adapter_error(error) from error
        if said is None:
            raise AdapterError(f"no position at {stamp.time_us}")

    def _malformed(self, reason: str, raw: bytes) -> None:
        if self._sink is not None:
            self._sink.set_aside(reason, raw)

    def _heard(self, notification: Notification) -> None:
        # The node calls once for each subscription that accepts an event, one after the other.
        if notification is self._last:
            return
        self._last = notification
        try:
            native = to_native(notification)
        except CodecError as error:
            self.sink.set_aside(str(error), encode(notification))
            return
        self.sink.heard(native, notification.stamp)

    def _heard_control(self, notification: Notification) -> None:
        try:
            event = from_steam_control(notification)
        except CodecError as error:
            self.sink.set_aside(f"control event: {error}", encode(notification))
            return
        self.sink.heard_control(event, notification.stamp)
