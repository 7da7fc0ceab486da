"""The native client's errors, as those of an adapter."""

from collections.abc import Iterator
from contextlib import contextmanager

from eventservices.errors import EventServiceError
from fes.errors import AdapterError, UnavailableError


@contextmanager
def native_errors() -> Iterator[None]:
    """Raise what the native client raises as an adapter's error.

    Raises:
        UnavailableError: The event service is away.
        AdapterError: It refused.
    """
    try:
        yield
    except EventServiceError as error:
        raise as_adapter_error(error) from error


def as_adapter_error(error: EventServiceError) -> AdapterError:
    """Return a native error as an adapter's; it says whether a retry helps."""
    return UnavailableError(str(error)) if error.retryable else AdapterError(str(error))
