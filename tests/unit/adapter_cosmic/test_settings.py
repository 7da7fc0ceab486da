from typing import Any

import pytest
from adapter_cosmic.adapter import CosmicAdapter
from adapter_cosmic.settings import bus_settings
from eventservices.cosmic import Interface, TimeClass
from eventservices.cosmic.driver import GROUP
from fes.adapter.pool import ConnectionPool
from fes.errors import FederationError
from support.processes.contexts import adapter_context


def read(**given: Any) -> CosmicAdapter:
    context = adapter_context("g", "cosmic-v", CosmicAdapter, ConnectionPool(), settings=given)
    return CosmicAdapter(context)


def test_a_bus_in_memory_is_named_after_its_event_service() -> None:
    adapter = read(node=1)
    wanted = bus_settings(adapter.context, adapter.settings)
    assert wanted.interface == Interface("virtual", "cosmic-v")
    assert wanted.hashed


def test_a_bus_between_processes_has_a_group_and_a_port() -> None:
    adapter = read(node=1, interface="udp_multicast", port=4000, broker="elsewhere")
    wanted = bus_settings(adapter.context, adapter.settings)
    assert wanted.interface == Interface("udp_multicast", GROUP, 4000)
    assert not wanted.hashed


def test_a_channel_is_announced_as_the_file_says() -> None:
    settings = read(
        node=1, channels={"Speed": {"class": "srt", "deadline_ms": 5, "validity_ms": 50}}
    ).settings
    speed = settings.attributes("Speed")
    assert (speed.time_class, speed.deadline_us, speed.validity_us) == (TimeClass.SRT, 5000, 50_000)
    assert settings.attributes("Other").time_class is TimeClass.NRT
    assert speed.hold_us == 0


def test_stamps_are_waited_for_where_all_events_have_them() -> None:
    settings = read(node=1, stamped=True, stamp_wait_ms=250).settings
    assert settings.attributes("Speed").hold_us == 250_000


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "node is needed"),
        ({"node": 127}, "node"),
        ({"node": 1, "interface": "serial"}, "interface"),
        ({"node": 1, "interface": "socketcan"}, "channel"),
        ({"node": 1, "port": 0}, "port"),
        ({"node": 1, "bit_rate": -1}, "bit_rate"),
        ({"node": 1, "broker": "yes"}, "broker"),
        ({"node": 1, "channels": {"Speed": {"etag": 99}}}, "channels"),
        ({"node": 1, "channels": {"Speed": {"class": "fast"}}}, "channels"),
        ({"node": 1, "channels": {"A": {"etag": 300}, "B": {"etag": 300}}}, "two channels"),
        ({"node": 1, "unknown": 1}, "unknown"),
    ],
)
def test_a_setting_that_is_not_good_is_named(given: dict[str, Any], named: str) -> None:
    with pytest.raises(FederationError, match=named):
        read(**given)
