"""Variables that stand for options, and those that a platform sets."""

import os
from collections.abc import Mapping

import pytest
from analytics import settings as analytics_settings
from can_sim import settings as can_sim_settings
from fes.options import OptionParser
from serving.variables import is_platforms
from traffic_control import settings as city_settings

ADDRESS = "tcp://10.43.7.12:8090"


def kubernetes(service: str) -> dict[str, str]:
    """Return what Kubernetes sets in each pod for a Service."""
    name = service.upper().replace("-", "_")
    return {
        f"{name}_SERVICE_HOST": "10.43.7.12",
        f"{name}_SERVICE_PORT": "8090",
        f"{name}_SERVICE_PORT_HTTP": "8090",
        f"{name}_PORT": ADDRESS,
        f"{name}_PORT_8090_TCP": ADDRESS,
        f"{name}_PORT_8090_TCP_PROTO": "tcp",
        f"{name}_PORT_8090_TCP_PORT": "8090",
        f"{name}_PORT_8090_TCP_ADDR": "10.43.7.12",
    }


def gateway_port(environment: Mapping[str, str]) -> object:
    parser = OptionParser("fes-gateway", "x", environment)
    for name in ("http", "link"):
        parser.option(f"--{name}-port", "x", kind=int, default=0)
    return parser.parse_args([])


@pytest.mark.parametrize(
    "service", ["traffic-control", "fes-http", "fes-link", "analytics-http", "can-sim", "fes"]
)
def test_a_service_with_a_name_of_ours_sets_no_option(
    service: str, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = kubernetes(service)
    assert all(is_platforms(name, environment) for name in environment)
    assert city_settings.read(["serve"], environment).port == city_settings.DEFAULT_PORT
    assert analytics_settings.read(["serve"], environment).http_port == 8100
    assert can_sim_settings.read(["run"], environment) == can_sim_settings.read(["run"], {})
    assert gateway_port(environment) == gateway_port({})
    noted = capsys.readouterr().err
    if service in ("traffic-control", "fes-http", "fes-link", "analytics-http"):
        assert noted.count("is what a platform sets for a service") == 1
        assert f"_PORT={ADDRESS}" in noted


def test_a_port_that_is_a_number_is_the_users_beside_a_service_of_the_name() -> None:
    environment = {**kubernetes("traffic-control"), "TRAFFIC_CONTROL_PORT": "9000"}
    assert city_settings.read(["serve"], environment).port == 9000


@pytest.mark.parametrize(
    "name", ["FES_HTTP_PORT", "TRAFFIC_CONTROL_LEASE_S", "FES_LINK", "PATH", "FES__CLOCK__SPEED"]
)
def test_a_variable_of_ours_is_no_platforms(name: str) -> None:
    assert not is_platforms(name, {**os.environ, name: "17"})


@pytest.mark.parametrize(
    ("read", "arguments", "variable", "value"),
    [
        (city_settings.read, ["serve"], "TRAFFIC_CONTROL_PORT", "http://x"),
        (city_settings.read, ["serve"], "TRAFFIC_CONTROL_PORT", "80 90"),
        (city_settings.read, ["serve"], "TRAFFIC_CONTROL_RENEW_S", "often"),
        (can_sim_settings.read, ["run"], "CAN_SIM_SPEEDUP", "fast"),
        (can_sim_settings.read, ["run"], "CAN_SIM_CLOCK_START_US", "now"),
        (can_sim_settings.read, ["run"], "CAN_SIM_BUS", "flexray"),
        (analytics_settings.read, ["serve"], "ANALYTICS_HTTP_PORT", "x"),
        (analytics_settings.read, ["serve"], "ANALYTICS_HEAP", "much"),
    ],
)
def test_what_is_wrong_with_a_variables_value_names_the_variable(
    read: object, arguments: list[str], variable: str, value: str
) -> None:
    assert callable(read)
    with pytest.raises(Exception, match=f"{variable}: ") as told:
        read(arguments, {variable: value})
    assert "literal" not in str(told.value)
    assert "\n" not in str(told.value)


def test_a_gateways_variable_is_named_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gateway_port({"FES_LINK_PORT": "seventeen"})
    told = capsys.readouterr().err
    assert "FES_LINK_PORT: 'seventeen' is not a number" in told
