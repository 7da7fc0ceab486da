"""Settings of the SIENA adapter."""

from typing import Any

import pytest
from adapter_siena.settings import Settings
from fes.adapter.settings import read_settings
from fes.errors import FederationError


def test_settings_have_defaults() -> None:
    assert read_settings("s", {}, Settings) == Settings(
        index=None, subject_attribute="", substitute={}
    )


def test_settings_are_read() -> None:
    given = {"index": "FES_Subject", "subject_attribute": "type", "substitute": {"-": "."}}
    assert read_settings("s", given, Settings) == Settings(
        index="FES_Subject", subject_attribute="type", substitute={"-": "."}
    )


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"indx": "a"}, "indx"),
        ({"index": "a-b"}, "'a-b' is not an attribute name"),
        ({"subject_attribute": "9"}, "'9' is not an attribute name"),
        ({"substitute": {"-": "-"}}, "substitute of '-'"),
        ({"substitute": {"--": "."}}, "substitute"),
        ({"substitute": {"a": "."}}, "'a' is legal"),
        ({"substitute": {"-": ""}}, "substitute"),
    ],
)
def test_a_setting_that_is_not_good_is_named(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(FederationError, match=fault):
        read_settings("s", given, Settings)
