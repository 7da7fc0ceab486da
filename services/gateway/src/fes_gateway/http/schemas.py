"""What the REST interface accepts and returns."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

RequestWord = Literal[
    "announcement", "unannouncement", "subscription", "unsubscription", "publication"
]
NAME = 128
LIST = 4096
FILTER = 16_384


def _form(types: tuple[RequestWord, ...], needs: str, without: str) -> dict[str, Any]:
    """Return what types of requests need, and what they do not have."""
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
        None, description="Of the others: `{subject, parameters, attributes}`."
    )
    requester: str = Field("api", min_length=1, max_length=NAME, description="Names the client.")
    lease_s: float | None = Field(
        None, gt=0, le=86_400 * 366, description="How long a subscription lives unless renewed."
    )


class RequestAccepted(BaseModel):
    """The request was accepted; what becomes of it is reported under its id."""

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
        "it could not be."
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
        description="When a round trip of its own came back last, µs since 1970 UTC; 0 for never."
    )
    counters: dict[str, int]


class ReplicaOut(BaseModel):
    """A replica of this gateway that lives."""

    name: str
    leads: bool = Field(description="Whether requests and persistent events are its job.")
    this: bool = Field(description="Whether it is the one that answers.")


class Problem(BaseModel):
    """Why a request was not accepted."""

    detail: str = Field(description="The place and the reason.")


class Health(BaseModel):
    """How a gateway does."""

    status: str
    faults: dict[str, str]
