"""What the REST interface accepts and returns, in the standard's terms."""

import unicodedata
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from eventservices.cns.domains.records import MemberID
from fastapi import Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Identifier = Annotated[int, Field(ge=0, lt=2**31)]
"""A number of the standard's type `long`, in a path as in a body."""

Properties = Annotated[dict[Annotated[str, Field(max_length=200)], Any], Field(max_length=100)]
"""Properties of quality of service, or administrative ones, by name."""


def _without_control_characters(text: str) -> str:
    if any(unicodedata.category(each) == "Cc" for each in text):
        raise ValueError("it has control characters")
    return text


Name = Annotated[str, AfterValidator(_without_control_characters)]
"""A name that a log, a picture and a terminal can show."""


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid")


MOST_LISTED: Final = 1_000
"""Most channels or connections of one answer."""

After = Annotated[int, Query(ge=-1, lt=2**31, description="Identifier after which to begin.")]
Most = Annotated[int, Query(ge=1, le=MOST_LISTED, description="Most that are listed.")]


class DomainIn(_In):
    """A new domain."""

    kind: Literal["event", "typed", "log"] = "event"
    qos: Properties = Field({}, examples=[{"CycleDetection": 1}])
    admin: Properties = Field({}, description="The standard defines none.")


class DomainOut(BaseModel):
    """A domain, without its channels and connections."""

    id: int
    kind: str
    qos: dict[str, int]
    default_supplier_channel: MemberID | None
    default_consumer_channel: MemberID | None
    channels: int = Field(description="How many there are.")
    connections: int


class ChannelIn(_In):
    """A channel that runs already, or comes into being with its first client."""

    broker: str = Field(
        "", max_length=500, pattern=r"^((nats|tls)://[^\s?]+)?$", examples=["nats://127.0.0.1:4222"]
    )
    channel: Name = Field(min_length=1, max_length=200)
    service: Name = Field(
        "",
        max_length=128,
        description="The event service of the federation that it is.",
    )
    gateway: str = Field(
        "",
        max_length=500,
        pattern=r"^(https?://\S+)?$",
        description="Address of the gateway that makes connections there.",
    )
    interfaces: list[Annotated[str, Field(max_length=200)]] | None = Field(
        None, max_length=100, description="Of a typed channel; left out of an untyped one."
    )
    log: "LogIn | None" = Field(None, description="Of a channel whose events are logged.")


class LogIn(_In):
    """The settings of a log."""

    full_action: Literal[0, 1] = Field(0, description="0 wrap, 1 halt.")
    max_size: int = Field(0, ge=0, lt=2**63, description="Octets; 0 for no limit.")
    max_record_life_s: int = Field(0, ge=0, lt=2**32, description="0 for ever.")
    thresholds: list[Annotated[int, Field(ge=0, le=100)]] = Field([], max_length=100)
    forwarding: bool = True
    constraint: str = Field("", max_length=10_000, description="Which events are logged, in ETCL.")


class LogOut(BaseModel):
    """A log."""

    current_size: int
    n_records: int
    enabled: bool
    off_duty: bool
    log_full: bool
    forwarding: bool
    not_logged: dict[str, int]


class ChannelOut(BaseModel):
    """A member of a domain."""

    id: MemberID
    broker: str
    channel: str
    service: str
    kind: str
    connected: bool = Field(description="Whether it is open and its broker there.")
    reason: str = Field(description="Why it is not open; empty where it is.")


class Style(StrEnum):
    """Who acts on a connection."""

    PUSH = "Push"
    PULL = "Pull"


class Form(StrEnum):
    """The form in which events pass."""

    ANY = "ANY_EVENT"
    STRUCTURED = "STRUCTURED_EVENT"
    SEQUENCE = "SEQUENCE_EVENT"


class ConnectionIn(_In):
    """A connection between two channels; events go from the first to the second."""

    supplier_id: Identifier
    consumer_id: Identifier
    ctype: Form = Form.ANY
    notification_style: Style = Style.PUSH
    key: str | None = Field(None, max_length=200, description="The interface of a typed one.")


class ConnectionOut(BaseModel):
    """A connection, and what became of its events."""

    id: int
    supplier_id: MemberID
    consumer_id: MemberID
    ctype: Form | None = Field(description="None of a typed connection.")
    key: str | None = Field(description="The interface of a typed connection.")
    notification_style: Style
    runs: bool
    counters: dict[str, int]


class DefaultsIn(_In):
    """Default channels; what is left out stays."""

    supplier_channel: Identifier | None = None
    consumer_channel: Identifier | None = None


class Role(StrEnum):
    """The role of a client."""

    PUSH_CONSUMER = "push_consumer"
    PULL_CONSUMER = "pull_consumer"
    PUSH_SUPPLIER = "push_supplier"
    PULL_SUPPLIER = "pull_supplier"


class ClientIn(_In):
    """A client that joins; it then uses the channel that is returned."""

    role: Role
    ctype: Form = Form.ANY
    member_id: Identifier | None = Field(None, description="The default channel where left out.")
    name: Name = Field("", max_length=200)
    lease_s: float = Field(30.0, gt=0, le=86_400, allow_inf_nan=False)


class ClientOut(BaseModel):
    """A client of a domain."""

    id: int
    name: str
    role: str
    member_id: MemberID
    broker: str
    channel: str
    lease_s: float


class CyclesOut(BaseModel):
    """The elementary cycles, each from its lowest channel on."""

    cycles: list[list[MemberID]]
    more: bool = Field(description="Whether there are others beyond these.")


class DiamondsOut(BaseModel):
    """The diamonds, each a list of its routes."""

    view: Literal["minimal", "pair"]
    diamonds: list[list[list[MemberID]]]
    more: bool = Field(description="Whether there are, or may be, others beyond these.")


class Made(BaseModel):
    """The identifier of what was made."""

    id: int


class RangeOut(BaseModel):
    """The values that a property may have."""

    low: int
    high: int


class Problem(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="The exception, named as in the standard.")
    detail: str
    data: dict[str, Any] = Field({}, description="The exception's data.")


class Health(BaseModel):
    """The state of the service."""

    status: str
    faults: dict[str, str]
