"""The schemas of the REST interface."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

RequestWord = Literal[
    "announcement", "unannouncement", "subscription", "unsubscription", "publication"
]
NAME = 128
LIST = 4096
FILTER = 16_384


def _form(types: tuple[RequestWord, ...], needs: str, without: str) -> dict[str, Any]:
    """Return a schema of which members some types of requests need and must not have."""
    return {
        "properties": {
            "type": {"enum": list(types)},
            needs: {"not": {"type": "null"}},
            without: {"type": "null"},
        },
        "required": [needs],
    }


class RequestIn(BaseModel):
    """A request to inject."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "type": "subscription",
                    "source": "siena-m",
                    "dist_list": "steam-m-*",
                    "filter": "subject = 'Speed' AND rate > 50",
                }
            ],
            "anyOf": [
                _form(("subscription", "unsubscription"), "filter", "event"),
                _form(("announcement", "unannouncement", "publication"), "event", "filter"),
            ],
        },
    )

    type: RequestWord
    source: str = Field(
        min_length=1, max_length=NAME, description="Event service that the request comes from."
    )
    dist_list: str = Field(
        min_length=1, max_length=LIST, description="Distribution list: where it shall be applied."
    )
    filter: str | None = Field(
        None, max_length=FILTER, description="Of (un)subscriptions, in the filter language."
    )
    event: dict[str, Any] | None = Field(
        None,
        description="Of all others: `{subject, parameters, attributes}`.",
    )
    requester: str = Field("api", min_length=1, max_length=NAME, description="Name of the client.")
    lease_s: float | None = Field(
        None,
        gt=0,
        le=86_400 * 366,
        description="Seconds that a subscription lasts unrenewed.",
    )


class RequestAccepted(BaseModel):
    """The request was accepted; its outcome is reported under its id."""

    id: str


class StepOut(BaseModel):
    """One thing that was done with a request."""

    decision: str
    service: str
    detail: str
    wall_us: int


class RequestOut(BaseModel):
    """What this gateway did with a request."""

    id: str
    steps: list[StepOut]


class AppliedOut(BaseModel):
    """Where a request is applied natively."""

    service: str
    state: str = Field(
        description="`ordered`; `applied`, once every replica that lives has the request; or why "
        "it failed."
    )
    widened: list[str]


class SubscriptionOut(BaseModel):
    """An active subscription."""

    source: str
    requester: str
    dist_list: str
    filter: str
    request: str
    version: int
    expires_us: int
    applied: list[AppliedOut]


class AnnouncementOut(BaseModel):
    """An active announcement."""

    source: str
    requester: str
    dist_list: str
    event: dict[str, Any]
    request: str
    version: int
    expires_us: int
    applied: list[AppliedOut]


class AdapterOut(BaseModel):
    """An adapter of this gateway."""

    id: str
    service: str
    linked: bool
    ready: bool
    reason: str
    proved_us: int = Field(
        description="When its last round trip succeeded, µs since 1970 UTC; 0 for never."
    )
    counters: dict[str, int]


class ReplicaOut(BaseModel):
    """A replica of this gateway that lives."""

    name: str
    leads: bool = Field(description="Whether it leads: it handles requests and persistent events.")
    this: bool = Field(description="Whether it is the replica that answers.")


class Problem(BaseModel):
    """Why a request was not accepted."""

    detail: str = Field(description="The place and the reason.")


class Health(BaseModel):
    """The health of a gateway or process."""

    status: str
    faults: dict[str, str]
