"""An error that only knows its key is told with file, line and column."""

from pathlib import Path

import pytest
from fes.errors import AdapterError, FederationError, Place
from fes.federation.locate import located


@pytest.fixture
def path(small: str, tmp_path: Path) -> Path:
    text = small.replace("brokers: [nats]}\n  car", "brokers: [nats], settings: {a: 1}}\n  car")
    text = text.replace("      city: {}", "      city: {settings: {routes: [{b: 2}, {b: 3}]}}")
    file = tmp_path / "f.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("key", "at"),
    [
        ("event_services.bus.settings.a", "1}}"),
        ("event_services.bus.settings", "settings: {a"),
        ("event_services.bus.settings.missing", "settings: {a"),
        ("event_services.city.settings.routes[1].b", "3}]"),
    ],
)
def test_a_setting_is_found_at_the_event_service_or_at_its_adapter(
    path: Path, key: str, at: str
) -> None:
    found = located(FederationError("not good", key=key), path, {})
    assert isinstance(found, FederationError)
    before = path.read_text("utf-8").partition(at)[0].splitlines()
    line, column = len(before), len(before[-1]) + 1
    assert found.place == Place(line, column)
    assert str(found) == f"{path}:{line}:{column}: {key}: not good"


def test_any_other_error_stays_as_it_is(path: Path) -> None:
    for error in (AdapterError("x"), FederationError("y"), FederationError("z", "f", Place(1, 2))):
        assert located(error, path, {}) is error
