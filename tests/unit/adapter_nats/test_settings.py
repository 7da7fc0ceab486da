"""What the file may say of a plain NATS system, and what filters become there."""

from typing import Any

import pytest
from adapter_nats.mapping import native_form
from adapter_nats.settings import Route, Settings
from fes.adapter.settings import read_settings
from fes.errors import FederationError
from fes.filter import Filter
from fes.mapping import Mapping
from msgspec.structs import replace

ROUTE = {"subject": "sensors.{room}.{quantity}", "event": "Reading"}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"payload": "xml"}, "xml"),
        ({"topics": []}, "topics"),
        ({"routes": [{"subject": "a.>", "event": "A"}]}, "neither a text nor one"),
        ({"routes": [{"subject": "a..b", "event": "A"}]}, "empty level"),
        ({"routes": [{"subject": "{x}.{x}", "event": "A"}]}, "occurs twice"),
        ({"routes": [{"subject": "a", "event": "FES_A"}]}, "reserved"),
        ({"routes": [{"subject": "a"}]}, "event"),
        ({"routes": [{"subject": f"a{n}", "event": "A"} for n in range(257)]}, "more than 256"),
        ({"separator": "|"}, "separator"),
    ],
)
def test_a_setting_that_is_not_good_is_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(FederationError, match=reason):
        read_settings("plant", settings, Settings)


def test_a_route_has_the_payload_of_the_service_unless_it_says_otherwise() -> None:
    route = Route(subject=ROUTE["subject"], event=ROUTE["event"])
    given = Settings(payload="msgpack", routes=(route, replace(route, payload="text")))
    assert [text.payload for text in given.texts()] == ["msgpack", "text"]


def test_the_native_form_of_a_filter_tells_what_is_widened() -> None:
    filter_ = Filter.of("subject = 'Reading' AND room = 'a b' AND value > 30")
    form = native_form(filter_, Mapping(()), {"routes": [ROUTE]})
    assert form.lines == ("sensors.a%20b.*",)
    assert len(form.widened) == 1
    assert form.widened[0].startswith("value > 30 is not applied")
