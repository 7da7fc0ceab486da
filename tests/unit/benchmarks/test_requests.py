"""The benchmark of requests measures what it states."""

from importlib import import_module


def test_each_of_the_live_requests_is_applied_and_has_a_native_subscription() -> None:
    """The benchmark itself raises where one is not."""
    (row,) = import_module("bench_requests").measure((60,))
    assert row.live == 60
    assert row.request_us > 0
    assert row.native_us > 0
