"""Settings of a CNS event service in `federation.yaml`."""

from typing import Annotated, Literal

import msgspec
from fes.model import is_reserved
from msgspec import Meta

Name = Annotated[str, Meta(max_length=255)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        channel: The event channel; the event service's identifier where empty.
        domain: Domain of the event types of published events. Those of received events may be any;
            where it is another, it is kept in the attribute `DomainName`.
        subject: Which part of a structured event's header is its subject. Suppliers are notified of
            subscribed subjects only where it is the type's name.
        any_subject: Subject of Any events that contain a struct or octets; events of this subject
            are published as Any events. Where empty, only CAN frames are mapped.
        mode: Whether the channel pushes events to the adapter, or the adapter pulls them.
        persistent: Whether events with `Reliability` 1 are kept by the channel: published ones are
            stored, and received ones stay until the gateway has custody of them. It needs
            JetStream.
    """

    channel: Name = ""
    domain: Name = ""
    subject: Literal["type_name", "event_name"] = "type_name"
    any_subject: Name = ""
    mode: Literal["push", "pull"] = "push"
    persistent: bool = False

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if is_reserved(self.any_subject):
            raise ValueError("any_subject: subjects that begin with FES_ are reserved")
