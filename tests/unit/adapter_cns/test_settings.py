from typing import Any

import msgspec
import pytest
from adapter_cns.adapter import CnsAdapter
from adapter_cns.settings import Settings
from fes.adapter.pool import ConnectionPool
from fes.adapter.settings import read_settings
from fes.errors import FederationError
from support.processes.contexts import adapter_context


def test_without_settings_the_defaults_hold() -> None:
    assert read_settings("c", {}, Settings) == Settings(
        channel="", domain="", subject="type_name", any_subject=""
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"chanel": "x"}, "chanel"),
        ({"channel": 5}, r"settings\.channel: "),
        ({"channel": "x" * 256}, r"settings\.channel: "),
        ({"subject": "domain_name"}, r"settings\.subject: "),
        ({"any_subject": "FES_ControlEvent"}, "any_subject"),
    ],
)
def test_a_bad_setting_is_named(given: dict[str, Any], named: str) -> None:
    with pytest.raises(FederationError, match=named):
        read_settings("c", given, Settings)


def test_an_adapter_with_a_bad_setting_is_not_made() -> None:
    context = adapter_context(
        "g", "cns", CnsAdapter, ConnectionPool(), settings={"domain": ["x"]}, brokers=("nats://x",)
    )
    with pytest.raises(FederationError, match="domain"):
        CnsAdapter(context)


def test_the_federations_file_is_checked_by_the_same_struct() -> None:
    assert CnsAdapter.settings_type is Settings
    assert msgspec.json.schema(Settings)["$defs"]["Settings"]["additionalProperties"] is False
