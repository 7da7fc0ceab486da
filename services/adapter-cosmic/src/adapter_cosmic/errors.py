"""Errors of the native API as errors of adapters: none passes as it is."""

from collections.abc import Iterator
from contextlib import contextmanager

from eventservices.errors import EventServiceError
from fes.errors import AdapterError, UnavailableError


def adapter_error(error: EventServiceError) -> AdapterError:
    """Return what an error of COSMIC is to whoever uses the adapter.

    Returns:
        `UnavailableError` where trying again helps.
    """
    kind = UnavailableError if error.retryable else AdapterError
    return kind(f"COSMIC: {error}")


@contextmanager
def native_errors() -> Iterator[None]:
    """Turn what COSMIC raises into `AdapterError` or `UnavailableError`."""
    try:
        yield
    except EventServiceError as error:
        raise adapter_error(error) from error
    except OSError as error:
        raise UnavailableError(f"COSMIC: {error or type(error).__name__}") from error
