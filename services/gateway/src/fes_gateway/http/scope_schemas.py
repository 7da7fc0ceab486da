"""The schemas of scopes in the REST interface."""

from typing import Literal

from pydantic import BaseModel, Field

_INTERFACE = "Filters of which one must accept; null: everything passes, none: nothing does."


class MemberOut(BaseModel):
    """A membership: the edge from a member to the scope."""

    member: str
    kind: Literal["event service", "client", "scope"]
    service: str = Field(description="Event service of a client; empty for a scope.")
    principal: str = Field(description="Client as the broker authenticates it; empty: all clients.")
    input: list[str] | None = Field(description=f"What enters the member. {_INTERFACE}")
    output: list[str] | None = Field(description=f"What leaves the member. {_INTERFACE}")
    up: int = Field(description="Number of rules that map what leaves the member.")
    down: int = Field(description="Number of rules that map what enters the member.")
    produces: bool = Field(description="Whether it publishes into the scope, rights included.")
    consumes: bool = Field(description="Whether it receives from the scope, rights included.")


class DeliveryOut(BaseModel):
    """Which of the members that could receive an event receive it."""

    to: str
    key: str
    plugin: str


class PublishingOut(BaseModel):
    """When, and into which direct superscopes, events go."""

    choose: dict[str, str]
    which: str | None
    delay_s: float
    until: str | None
    waiting: int
    overflow: str
    at_end: Literal["release", "drop"]


class ScopeOut(BaseModel):
    """A scope with its interfaces, policies and members."""

    name: str
    session: bool
    superscopes: list[str] = Field(description="Direct superscopes, in declaration order.")
    input: list[str] | None = Field(description=_INTERFACE)
    output: list[str] | None = Field(description=_INTERFACE)
    delivery: DeliveryOut
    traverse: str
    publishing: PublishingOut
    producers: list[str] | None = Field(description="Patterns of allowed publishers; null: all.")
    consumers: list[str] | None = Field(description="Patterns of allowed receivers; null: all.")
    members: list[MemberOut]
    members_total: int = Field(description="Number of members; the scope's own page lists all.")


class ScopesOut(BaseModel):
    """The scopes of this gateway."""

    manager: str = Field(
        description="Gateway that manages mappings, policies and sessions; empty for none."
    )
    manages: bool = Field(description="Whether it is the one that answers.")
    generation: int = Field(description="Of the graph; every change begins a new one.")
    orders: str = Field(description="Gateway that orders changes.")
    changes: int = Field(description="How many changes it has applied since the file was read.")
    acknowledged: dict[str, int] = Field(
        description="The same of each gateway, as it states it itself."
    )
    total: int = Field(description="How many scopes there are.")
    scopes: list[ScopeOut]


class ExplainedOut(BaseModel):
    """Why a component receives, or does not receive, what another publishes."""

    passes: bool = Field(
        description="Whether a path is open, and accepts the event, where one is in the query."
    )
    lines: list[str] = Field(
        description="Each path, then each edge of it that checks something; with an event also "
        "what blocks it."
    )
    left_off: int = Field(description="Lines beyond those.")


class ChangedOut(BaseModel):
    """A change of scopes that was committed."""

    change: int = Field(description="Its number: changes are applied in their order.")
    acknowledged: dict[str, int] = Field(
        description="How many changes each gateway states to have applied."
    )
