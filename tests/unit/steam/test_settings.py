import pytest
from eventservices.errors import MalformedError
from eventservices.steam.cells import Grid
from eventservices.steam.node_settings import NodeSettings
from eventservices.steam.settings import AirSettings, parse_url


def test_a_url_names_host_port_and_credentials() -> None:
    address = parse_url("mqtt://me:p%40ss@broker.test:1884")
    assert (address.host, address.port, address.secure) == ("broker.test", 1884, False)
    assert (address.user, address.password) == ("me", "p@ss")


def test_settings_do_not_show_a_password() -> None:
    assert "secret" not in repr(AirSettings("mqtt://me:secret@broker.test"))
    assert "secret" not in repr(parse_url("mqtt://me:secret@broker.test"))


def test_each_scheme_has_its_port() -> None:
    assert parse_url("mqtt://h").port == 1883
    secure = parse_url("mqtts://h")
    assert secure.port == 8883
    assert secure.secure


@pytest.mark.parametrize("url", ["", "nats://h:1", "mqtt://", "h:1883", "mqtts://h?token_file=/x"])
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(MalformedError):
        parse_url(url)


def test_the_margin_is_what_a_node_may_drive_before_its_subscription_is_in_force() -> None:
    settings = AirSettings(
        "mqtt://h", v_max_mps=50.0, position_interval_s=1.0, subscription_time_s=0.1, speed=20.0
    )
    assert settings.margin_m == pytest.approx(50.0 * (1.0 + 0.1 * 20.0))


def test_the_margin_grows_where_looks_cannot_follow_the_clock() -> None:
    settings = AirSettings(
        "mqtt://h", v_max_mps=50.0, position_interval_s=1.0, subscription_time_s=0.0, speed=1000.0
    )
    assert settings.round_s == 0.01
    assert settings.margin_m == pytest.approx(50.0 * 10.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"speed": 0.0},
        {"speed": float("inf")},
        {"cell_edge_m": -1.0},
        {"connections": 0},
        {"beacon_period_s": 0.0},
        {"v_max_mps": -1.0},
        {"v_max_mps": float("nan")},
        {"subscription_time_s": -0.1},
        {"leave_after_s": float("nan")},
    ],
)
def test_a_setting_out_of_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(MalformedError):
        AirSettings("mqtt://h", **wrong)  # type: ignore[arg-type]  # one field at a time


@pytest.mark.parametrize(
    ("name", "range_m", "label"),
    [("", 1.0, ""), ("n", -1.0, ""), ("n", float("nan"), ""), ("n", 1.0, "x" * 256)],
)
def test_a_node_that_cannot_go_on_the_air_is_refused(name: str, range_m: float, label: str) -> None:
    with pytest.raises(MalformedError):
        NodeSettings(name, range_m, label=label)


@pytest.mark.parametrize("edge_m", [0.0, 0.5, float("nan"), float("inf")])
def test_a_grid_needs_a_sensible_edge(edge_m: float) -> None:
    with pytest.raises(MalformedError):
        Grid(edge_m)
