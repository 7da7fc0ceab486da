"""The STEAM adapter."""

from collections.abc import Mapping
from typing import Any, ClassVar

from eventservices.counting import counts_of
from eventservices.stamp import Stamp
from eventservices.steam import Event as SteamEvent
from eventservices.steam import (
    Location,
    NodeSettings,
    Notification,
    Observer,
    Proximity,
    Sighting,
)
from eventservices.steam import Subscription as NativeSubscription
from eventservices.steam.codec import encode
from eventservices.steam.shared import SharedAir
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.adapter.observed import Observed
from fes.adapter.outbound.held import Held
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.model import Event
from fes.model.attributes import PROXIMITY

from adapter_steam.announcements import Announcements
from adapter_steam.codec import to_native, to_steam
from adapter_steam.control import CONTROL_TYPE, from_steam_control, to_steam_control
from adapter_steam.mapping import Wanted, native_form, plan
from adapter_steam.observed import LABEL, observed, present
from adapter_steam.place import location_of
from adapter_steam.proximity import area_of, parse_area
from adapter_steam.settings import LARGEST_BYTES, SteamSettings, air_settings

BURST = 64
"""Publications in one turn of the loop."""

_OF_THE_AIR = ("malformed", "unclaimed", "refused", "uncovered", "reconnected")
_SHARED = (*_OF_THE_AIR, "takeovers")


class SteamAdapter(Adapter[SteamSettings, Notification]):
    """Connects an access point to the air: one node, of several that a process may have.

    Attributes:
        location: Location service of the access point; with `location: {live: true}` the
            surrounding program updates it: `adapter.location.update(…)`. None until it connects.
    """

    kind: ClassVar[str] = "steam"
    settings_type = SteamSettings

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self.location: Location | None = None
        self._air_settings = air_settings(context, self.settings, self._one_broker())
        self._area: Proximity = parse_area(self.settings.area)
        self._observer: Observer | None = None
        self._announcements = Announcements()
        self._last: Notification | None = None
        self._said = 0

    @classmethod
    def capabilities_for(cls, settings: SteamSettings) -> Capabilities:
        """Return what STEAM can do."""
        del settings
        return Capabilities(
            filters_at_source=True,
            observes=("subscriptions", "announcements"),
            honours=(PROXIMITY,),
            needs_announcement=True,
            max_event_bytes=LARGEST_BYTES,
        )

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the native subscriptions of a filter."""
        del given
        return native_form(filter_, mapping)

    def _counted(self) -> dict[str, int]:
        """Return counters of the node; those that begin with `air_` are of the whole process."""
        node, air = counts_of(self._node.counters), self._shared.counted()
        own = {name: count for name, count in node.items() if name not in _SHARED}
        shared = {f"air_{name}": air[name] for name in _OF_THE_AIR}
        return own | shared | {"takeovers": air["takeovers"]}

    async def _open(self) -> None:
        self.location = self.location or await location_of(self.context, self.settings.location)
        wanted = self._air_settings
        key = (self.kind, wanted.url, wanted.name)
        shared = self._shared = await self._pooled(key, self._connect, SharedAir.close)
        differing = shared.differing(wanted)
        if differing:
            raise AdapterError(
                f"{differing} differs between adapters on the air {wanted.name!r} of this process"
            )
        shared.air.watchers.append(self.set_aside)
        self._closing.callback(shared.air.watchers.remove, self.set_aside)
        name, home = self.context.id, self.context.service
        settings = NodeSettings(name, self.settings.range_m, home, LABEL)
        self._node = shared.air.node(settings, self.location)
        self._closing.callback(self._node.close)
        self._closing.callback(self._forget)
        self._held = Held(self._subscribe_natively, self._cancel)
        if self.context.hears_control:
            await self._node.subscribe(CONTROL_SUBJECT, self.receive)

    async def _connect(self) -> SharedAir:
        return await SharedAir.open(self._air_settings, self.context.clock_us)

    def _forget(self) -> None:
        self._announcements.clear()
        self._last = None

    async def _observe(self) -> None:
        if self._observer is not None:
            for beacon in self._observer.in_force:
                self._tell(present(beacon))
            return
        range_m, air = self.settings.range_m, self._shared.air
        observer = Observer(
            air, self._sighted, location=self.location, range_m=range_m, events=False
        )
        self._observer = await observer.open()
        self._closing.push_async_callback(self._end_observing, observer)

    async def _end_observing(self, observer: Observer) -> None:
        self._observer = None
        await observer.close()

    def _sighted(self, sighting: Sighting) -> None:
        self._tell(observed(sighting))

    def _tell(self, seen: Observed | None) -> None:
        if seen is not None and self._sink is not None:
            self._sink.observed(seen)

    async def _announce(self, native: Native) -> None:
        subject, area = self._announced(native)
        self._node.announce(subject, area)
        self._announcements.add(subject, area)

    async def _unannounce(self, native: Native) -> None:
        subject, area = self._announced(native)
        left = self._announcements.remove(subject, area)
        if left is None:
            self._node.unannounce(subject)
        else:
            self._node.announce(subject, left)

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        await self._say(to_steam(native), stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        said = to_steam_control(event)
        if CONTROL_SUBJECT not in self._node.announced:
            self._node.announce(CONTROL_TYPE, self._area)
        await self._say(said, stamp)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        planned = plan(subscription.filter, self.context.mapping)
        await self._held.add(subscription.number, planned.wanted)
        return planned.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._held.remove(subscription.number)

    async def _subscribe_natively(self, wanted: Wanted) -> NativeSubscription:
        return await self._node.subscribe(wanted.subject, self._once, wanted.terms)

    async def _cancel(self, native: NativeSubscription) -> None:
        self._node.unsubscribe(native)

    async def _probe(self) -> None:
        await self._shared.probe()

    def _announced(self, native: Native) -> tuple[str, Proximity]:
        if native.subject is None:
            raise AdapterError("a STEAM event has a subject")
        return native.subject, area_of(native.attributes) or self._area

    async def _say(self, event: SteamEvent, stamp: Stamp) -> None:
        self._said += 1
        if self._said % BURST == 0:
            await self._shared.room()
        if self._node.publish(event, stamp=stamp) is None:
            raise AdapterError(f"no position at {stamp.time_us}")

    def _once(self, notification: Notification) -> None:
        # The node calls once for each subscription that accepts an event, in direct succession.
        if notification is not self._last:
            self._last = notification
            self.receive(notification)

    def _read(self, message: Notification) -> Received | ReceivedControl:
        if message.subject == CONTROL_SUBJECT:
            return ReceivedControl(from_steam_control(message), message.stamp)
        return Received(to_native(message), message.stamp)

    def _raw(self, message: Notification) -> bytes:
        return encode(message)

    def _named(self, message: Notification) -> str:
        return "control event" if message.subject == CONTROL_SUBJECT else ""
