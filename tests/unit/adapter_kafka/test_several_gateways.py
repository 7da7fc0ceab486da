"""Several gateways at one Kafka need no `stamped`: the file is reported where it is set."""

import pytest
from fes.federation import check, examine
from fes.federation.kinds import installed_kinds

FILE = """
version: 1
system: several
brokers: {log: {kind: kafka}}
event_services: {log: {kind: kafka, brokers: [log]}}
gateways:
  one: {adapters: {log: {settings: {stamped: STAMPED}}}}
  two: {adapters: {log: {}}}
"""


@pytest.mark.parametrize("stamped", ["true", "false"])
def test_records_that_all_would_leave_to_others_are_reported(stamped: str) -> None:
    found = check(examine(FILE.replace("STAMPED", stamped), "f", {}), installed_kinds())

    reported = [str(each) for each in found if "stamped is not needed" in str(each)]
    assert [": gateways.one.adapters.log" in each for each in reported] == [True] * (
        stamped == "true"
    ), reported
