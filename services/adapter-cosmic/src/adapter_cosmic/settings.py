"""Settings of a COSMIC event service, checked before anything starts."""

from typing import Annotated, Literal

import msgspec
from eventservices.cosmic import BusSettings, ChannelAttributes, Interface, TimeClass
from eventservices.cosmic.attributes import MAX_OMISSION, NRT_PRIORITY
from eventservices.cosmic.driver import GROUP, PORT
from eventservices.cosmic.identifier import ETAGS, NRT_PRIORITIES, RESERVED_ETAGS
from eventservices.cosmic.settings import BIT_RATE, FASTEST
from fes.adapter.context import AdapterContext
from msgspec import Meta, field

ENVELOPE_BYTES = 16 * 1024
"""Bytes on the bus beside an event: stamp, names of types."""

LARGEST_BYTES = 1024 * 1024
"""Largest event that fits into fragments."""

Milliseconds = Annotated[float, Meta(ge=0, le=3_600_000)]
Etag = Annotated[int, Meta(ge=RESERVED_ETAGS, lt=ETAGS)]
NodeNumber = Annotated[int, Meta(ge=0, le=126)]


class Channel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the adapter announces, and subscribes to, one event channel.

    Attributes:
        time_class: `hrt`, `srt` or `nrt` (`class` in the file).
        etag: Its number on the bus; assigned by the broker, or derived from the name, where absent.
        period_ms: HRT: time between two slots.
        omission: HRT: how often a frame that failed is repeated within its slot.
        deadline_ms: SRT: when an event is to be sent, from its publication.
        validity_ms: SRT and NRT: how long an event without `Timeout` is worth sending; 0 is for
            ever.
        priority: NRT: 251 .. 255.
        local: Whether its events are for this network only, so that it cannot be subscribed to.
    """

    time_class: Literal["hrt", "srt", "nrt"] = field(default="nrt", name="class")
    etag: Etag | None = None
    period_ms: Milliseconds = 10.0
    omission: Annotated[int, Meta(ge=0, le=MAX_OMISSION)] = 0
    deadline_ms: Milliseconds = 100.0
    validity_ms: Milliseconds = 0.0
    priority: Annotated[int, Meta(ge=NRT_PRIORITIES[0], le=NRT_PRIORITIES[-1])] = NRT_PRIORITY
    local: bool = False

    def attributes(self, hold_ms: float) -> ChannelAttributes:
        """Return the channel's attributes in the form of its native client."""
        return ChannelAttributes(
            TimeClass(self.time_class),
            period_us=round(self.period_ms * 1000),
            omission=self.omission,
            deadline_us=round(self.deadline_ms * 1000),
            validity_us=round(self.validity_ms * 1000),
            priority=self.priority,
            hold_us=round(hold_ms * 1000),
            local=self.local,
        )


class CosmicSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a COSMIC event service.

    Attributes:
        interface: `virtual` (within one process), `udp_multicast` (between processes), or
            `socketcan` (where the kernel has it).
        channel: Name of the virtual bus (the event service's where empty), multicast group, or
            network interface (`can0`).
        port: UDP port of a multicast bus; each bus of a host needs one of its own.
        bit_rate: Bits a second; 0 for a bus on which frames need no time.
        node: Number of the adapter's node; requested from the broker where absent.
        broker: Where the broker of the bus is: `none` (etags follow from subjects), `here` (this
            adapter is it) or `elsewhere`.
        stamped: Whether all nodes send the stamps of their events. If so, an event without one is
            set aside, and several gateways may be attached; if not, the adapter stamps.
        stamp_wait_ms: How long to wait for the stamp that follows an event of at most 8 bytes.
        channels: Event channels by name; others are not real-time.
    """

    interface: Literal["virtual", "udp_multicast", "socketcan"] = "virtual"
    channel: Annotated[str, Meta(max_length=255)] = ""
    port: Annotated[int, Meta(ge=1, le=65535)] = PORT
    bit_rate: Annotated[int, Meta(ge=0, le=FASTEST)] = BIT_RATE
    node: NodeNumber | None = None
    broker: Literal["none", "here", "elsewhere"] = "none"
    stamped: bool = False
    stamp_wait_ms: Annotated[float, Meta(gt=0, le=60_000)] = 1000.0
    channels: dict[str, Channel] = {}

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if self.interface == "socketcan" and not self.channel:
            raise ValueError("socketcan needs channel, the name of the network interface")
        if self.node is None and self.broker == "none":
            raise ValueError("node is needed, as there is no broker to assign it")
        etags = [each.etag for each in self.channels.values() if each.etag is not None]
        if len(set(etags)) != len(etags):
            raise ValueError("channels: an etag is assigned to two channels")

    @property
    def hold_ms(self) -> float:
        """How long an event of at most 8 bytes waits for its stamp."""
        return self.stamp_wait_ms if self.stamped else 0.0

    def of(self, subject: str) -> Channel:
        """Return the settings of a channel."""
        return self.channels.get(subject, Channel())

    def attributes(self, subject: str) -> ChannelAttributes:
        """Return the attributes of a channel."""
        return self.of(subject).attributes(self.hold_ms)


def bus_settings(context: AdapterContext, settings: CosmicSettings) -> BusSettings:
    """Return the settings with which this process connects to the bus."""
    fallback = GROUP if settings.interface == "udp_multicast" else context.service
    interface = Interface(settings.interface, settings.channel or fallback, settings.port)
    most = min(context.limits.event_bytes + ENVELOPE_BYTES, LARGEST_BYTES)
    hashed = settings.broker == "none"
    return BusSettings(interface, settings.bit_rate, hashed=hashed, event_bytes=most)
