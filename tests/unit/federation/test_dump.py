from pathlib import Path

from fes.federation import dump, load, loads, resolved
from fes.federation.model import Adapter, Broker, EventService, Federation, Gateway
from hypothesis import given
from hypothesis import strategies as st

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
    | st.sampled_from(["1e5", "yes", "012", "${A}", "$${A}", "~", "<<"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts.filter(lambda key: "${" not in key), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_a_dumped_federation_reads_back_equal(small: str) -> None:
    federation = loads(small, {})
    assert loads(dump(federation), {}) == federation


def test_the_example_reads_back_equal(root: Path) -> None:
    federation = load(root / "scenarios/traffic/federation.yaml", {})
    assert loads(dump(federation), {}) == federation


@given(st.dictionaries(texts.filter(lambda key: "${" not in key), plain, max_size=4))
def test_any_settings_read_back_equal(settings: dict[str, object]) -> None:
    federation = Federation(
        version=1,
        system="s",
        event_services={"a": EventService(kind="k", settings=settings)},
        gateways={"g": Gateway(adapters={"a": Adapter()})},
    )
    assert loads(dump(federation), {}).event_services["a"].settings == settings


def test_a_resolved_federation_tells_since_when_and_where(small: str) -> None:
    federation = resolved(loads(small, {}), 17, {"nats": "nats://127.0.0.1:1"})
    again = loads(dump(federation), {})
    assert again.clock.wall_start_us == 17
    assert again.brokers["nats"] == Broker(kind="nats", url="nats://127.0.0.1:1")
    assert again.brokers["mqtt"] == Broker(kind="mqtt")


def test_the_order_of_gateways_is_kept(small: str) -> None:
    text = small.replace("g1", "zz")
    assert list(loads(dump(loads(text, {})), {}).gateways) == ["zz", "g2"]
