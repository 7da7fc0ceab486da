"""Counters are told by name."""

from dataclasses import asdict

from eventservices.counting import counts_of
from eventservices.natsoptions import LinkCounters


def test_counts_are_told_by_name_as_they_are_now() -> None:
    counters = LinkCounters()
    counters.rebuilds += 2
    told = counts_of(counters)
    assert told == asdict(counters)
    counters.rebuilds += 1
    assert (told["rebuilds"], counts_of(counters)["rebuilds"]) == (2, 3)
