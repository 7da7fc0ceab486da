"""The schemas of the REST interface."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from traffic_control.limit import MAX_KMH


class LimitIn(BaseModel):
    """A monitor's new limit."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"limit_kmh": 80}]}
    )

    limit_kmh: float = Field(
        ge=0, le=MAX_KMH, allow_inf_nan=False, description="Faster vehicles are offenders, km/h."
    )


class LimitOut(BaseModel):
    """A monitor's limit."""

    monitor: str
    destination: str = Field(description="Event service where the limit is applied.")
    limit_kmh: float
    filter: str = Field(description="The limit, in the filter language.")
    state: Literal["applied", "pending"]
    applied_us: int | None = Field(
        description="When it became active, microseconds since 1970 UTC."
    )
    request: str = Field(description="Id of the last request for it.")
    superseded: list[float] = Field(description="Earlier limits that are not withdrawn yet.")


class Accepted(BaseModel):
    """A change that was begun; `GET /v1/limits` shows its outcome."""

    monitor: str
    limit_kmh: float
    requests: list[str] = Field(
        description="Request ids; the old limit is withdrawn by another request, later."
    )


class OffenderOut(BaseModel):
    """One delivery of the city's native client."""

    number: int = Field(description="Counts from 1 since the run began.")
    wall_us: int
    time_us: int
    id: str
    monitor: str
    vehicle: str
    rate: float
    path: list[str]


class OffendersOut(BaseModel):
    """Offenders, oldest first."""

    offenders: list[OffenderOut]
    last: int = Field(description="Pass it as `after` to continue from here.")
    count: int = Field(description="Offenders of the run.")


class Problem(BaseModel):
    """Why a request was not accepted."""

    detail: str = Field(description="The place and the reason.")


class Health(BaseModel):
    """The health of traffic-control."""

    status: str
    faults: dict[str, str]
