"""Two gateways at one plain MQTT system would copy one another: the file is refused."""

import pytest
from fes.federation import check, examine
from fes.federation.kinds import installed_kinds

FILE = """
version: 1
system: twice
brokers: {house: {kind: mqtt}}
event_services:
  house: {kind: mqtt, brokers: [house], settings: {payload: PAYLOAD}}
gateways:
  one: {adapters: {house: {}}}
  two: {adapters: {house: {}}}
"""


@pytest.mark.parametrize("payload", ["json", "cloudevents"])
def test_a_second_gateway_is_refused_whatever_the_payload(payload: str) -> None:
    text = FILE.replace("PAYLOAD", payload)
    found = [str(each) for each in check(examine(text, "f", {}), installed_kinds())]
    (line,) = [each for each in found if "only one gateway" in each]
    assert "found one, two (set stamped: true at all others of them)" in line
    alone = text.replace("  two: {adapters: {house: {}}}\n", "")
    told = [str(each) for each in check(examine(alone, "f", {}), installed_kinds())]
    assert not [each for each in told if "only one gateway" in each]
