from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from adapter_steam.adapter import SteamAdapter
from adapter_steam.settings import SteamSettings, air_settings
from fes.adapter.context import AdapterContext
from fes.adapter.pool import ConnectionPool
from fes.adapter.settings import read_settings
from fes.errors import FederationError
from fes.federation.check import check
from fes.federation.kinds import installed_kinds
from fes.federation.load import examine
from fes.model.limits import Limits
from support.processes.contexts import adapter_context

HERE = {"lat": 50.0, "lon": 11.0}
URL = "mqtt://127.0.0.1:1883"


def context(settings: dict[str, Any], brokers: tuple[str, ...] = (URL,)) -> AdapterContext:
    return adapter_context(
        "g",
        "steam-m",
        SteamAdapter,
        ConnectionPool(),
        settings=settings,
        brokers=brokers,
        medium="air",
    )


def test_only_the_location_must_be_told() -> None:
    settings = settings_of(context({"location": HERE}))
    assert (settings.range_m, settings.cell_edge_m, settings.connections) == (300.0, 300.0, 1)
    assert settings.area == "0,1,0,0,300.0"


def test_the_air_is_named_by_system_and_medium() -> None:
    told = context({"location": HERE, "v_max_mps": 40})
    air = air_settings(told, settings_of(told), URL)
    assert (air.name, air.url, air.v_max_mps) == ("test.air", URL, 40.0)
    assert air.client_id.startswith("test.g.steam-m.")
    assert air.client_id != air_settings(told, settings_of(told), URL).client_id


def test_a_client_identifier_that_is_configured_is_used_as_it_is() -> None:
    told = context({"location": HERE, "client_id": "kerb 7"})
    assert air_settings(told, settings_of(told), URL).client_id == "kerb 7"


def test_an_air_may_have_a_name_of_its_own() -> None:
    told = context({"location": HERE, "air": "town"})
    assert air_settings(told, settings_of(told), URL).name == "town"


def test_the_air_takes_events_of_the_federations_limit() -> None:
    told = replace(context({"location": HERE}), limits=Limits(event_bytes=5000))
    assert air_settings(told, settings_of(told), URL).event_bytes > 5000


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({}, "settings: .*location"),
        ({"location": HERE, "rang_m": 3}, "settings: .*rang_m"),
        ({"location": HERE, "range_m": "far"}, "settings.range_m: "),
        ({"location": HERE, "range_m": 0}, "settings.range_m: "),
        ({"location": HERE, "connections": 65}, "settings.connections: "),
        ({"location": HERE, "cell_edge_m": 0.5}, "settings.cell_edge_m: "),
        ({"location": HERE, "v_max_mps": -1}, "settings.v_max_mps: "),
        ({"location": HERE, "proximity": "2,0,0"}, "settings: proximity: "),
        ({"location": HERE, "proximity": "0,0,95,0,3"}, "settings: proximity: "),
        ({"location": {"lat": 91, "lon": 0}}, "settings.location.lat: "),
        ({"location": {"lat": 1}}, "settings.location: expected .* found lat"),
        ({"location": {"trace": "t.csv"}}, "settings.location: expected .* found trace"),
        ({"location": {}}, "settings.location: expected .* found nothing"),
        ({"location": {"live": False}}, "settings.location: expected .* found nothing"),
        ({"location": {**HERE, "live": True}}, "settings.location: .* found lat, lon, live"),
    ],
)
def test_a_bad_setting_is_named_by_its_key(settings: dict[str, Any], key: str) -> None:
    with pytest.raises(FederationError, match=f"^event_services.steam-m.{key}"):
        SteamAdapter(context(settings))


@pytest.mark.parametrize("brokers", [(), (URL, URL)])
def test_an_air_has_one_broker(brokers: tuple[str, ...]) -> None:
    with pytest.raises(FederationError, match=r"steam-m\.brokers: steam needs exactly one"):
        SteamAdapter(context({"location": HERE}, brokers))


def settings_of(context: AdapterContext) -> SteamSettings:
    return read_settings(context.service, context.settings, SteamSettings)


FILE = """
version: 1
system: test
media: {air: {}}
brokers: {air: {kind: mqtt, url: "mqtt://127.0.0.1:1883"}}
event_services:
  steam-m:
    kind: steam
    brokers: [air]
    medium: air
    settings:
      range_m: 150
      location: {lat: 50.0, lng: 11.0}
gateways:
  g: {adapters: {steam-m: {control: {accept: [], relay: false}}}}
"""


def test_a_bad_setting_is_found_in_the_file_at_its_line() -> None:
    document = examine(FILE, "federation.yaml", {})
    findings = [str(finding) for finding in check(document, installed_kinds())]
    where = "federation.yaml:13:29: event_services.steam-m.settings.location.lng"
    assert findings == [f"{where}: unknown key; did you mean 'lon'?"]


def test_the_documented_settings_are_good_and_all_documented() -> None:
    text = (Path(__file__).parents[3] / "docs/adapters/steam.md").read_text("utf-8")
    example = yaml.safe_load(text.split("```yaml")[1].split("```")[0])
    told = example["event_services"]["steam-m-M01"]["settings"]
    assert settings_of(context(told)).range_m == 150.0
    for field in msgspec.structs.fields(SteamSettings):
        assert f"| `{field.name}` |" in text
