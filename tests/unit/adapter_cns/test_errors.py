import pytest
from adapter_cns.errors import as_adapter_error, told
from eventservices.cns.errors import AdminLimitExceededError, DisconnectedError
from eventservices.errors import (
    EventServiceError,
    MalformedError,
    NotConnectedError,
    RefusedError,
    TooLargeError,
)
from fes.errors import AdapterError, UnavailableError


@pytest.mark.parametrize("error", [NotConnectedError("away"), DisconnectedError("closed")])
def test_a_retry_helps_where_the_broker_is_away(error: EventServiceError) -> None:
    assert type(as_adapter_error(error)) is UnavailableError


@pytest.mark.parametrize(
    "error",
    [
        MalformedError("bad"),
        RefusedError("no"),
        TooLargeError(2, 1),
        AdminLimitExceededError("MaxConsumers", 1),
    ],
)
def test_a_retry_helps_nothing_where_the_broker_refuses(error: EventServiceError) -> None:
    assert type(as_adapter_error(error)) is AdapterError


def test_an_error_keeps_its_cause_and_its_words() -> None:
    cause = TooLargeError(2000, 1000)

    with (
        pytest.raises(AdapterError, match="2000 bytes exceeds the limit of 1000") as caught,
        told(),
    ):
        raise cause

    assert caught.value.__cause__ is cause
