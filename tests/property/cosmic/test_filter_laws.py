"""Law of every adapter: what a filter accepts of an event, is subscribed to natively."""

import contextlib
from typing import Any

import msgspec
from adapter_cosmic.mapping import Wanted, plan
from adapter_cosmic.settings import CosmicSettings
from fes.errors import AdapterError
from fes.filter import Filter
from fes.mapping import Mapping, Native, Rule
from fes.model import Field, Type
from hypothesis import given
from hypothesis import strategies as st

SUBJECTS = ("Speed", "CarSpeed", "Place")
SETTINGS = msgspec.convert({"node": 1}, CosmicSettings)

rules = st.one_of(
    st.builds(
        lambda subject, can_id, way: {
            "native": {"can_id": can_id, "extended": True},
            "subject": subject,
            "direction": way,
            "parameters": {"rate": {"bytes": [0, 0], "type": "double"}},
        },
        st.sampled_from(SUBJECTS),
        st.sampled_from((12345, 7)),
        st.sampled_from(("in", "out", "both")),
    ),
    st.builds(
        lambda subject, native: {"native": {"subject": native}, "subject": subject},
        st.sampled_from(SUBJECTS),
        st.sampled_from(SUBJECTS),
    ),
)
filters = st.sampled_from(
    (
        "Speed",
        "subject = 'Speed' AND rate > 30",
        "subject IN ('Speed', 'Place') AND NOT rate = 3",
        "subject = 'CarSpeed' OR (subject = 'Place' AND rate BETWEEN 1 AND 99)",
        "(subject = 'Speed' OR subject = 'CarSpeed') AND subject <> 'Speed'",
    )
)
natives = st.one_of(
    st.builds(
        lambda can_id, byte: Native(None, (), (), bytes((byte,)), can_id, extended=True),
        st.sampled_from((12345, 7)),
        st.integers(0, 255),
    ),
    st.builds(
        lambda subject, rate: Native(subject, (Field("rate", Type.DOUBLE, rate),)),
        st.sampled_from(SUBJECTS),
        st.floats(0, 100),
    ),
)


@given(st.lists(rules, max_size=4), filters, natives)
def test_what_a_filter_accepts_is_subscribed_to(
    plain: list[dict[str, Any]], text: str, native: Native
) -> None:
    mapping, wanted = Mapping([msgspec.convert(rule, Rule) for rule in plain]), Filter.of(text)
    source = (
        Wanted("", native.can_id, native.extended)
        if native.can_id is not None
        else Wanted(native.subject or "")
    )
    accepted = [event for event, _ in mapping.to_events(native) if wanted.matches(event)]
    planned: tuple[Wanted, ...] = ()
    with contextlib.suppress(AdapterError):  # refused as a whole, and told
        planned = plan(wanted, mapping, SETTINGS).wanted
        assert not accepted or source in planned
