import pytest
from eventservices.natsrefusals import Refusals
from nats.errors import Error, SlowConsumerError

OWN = ["cns.event.A", "cns.change.A", "_INBOX.abc"]


@pytest.mark.parametrize(
    "told",
    [
        "nats: 'permissions violation for subscription to \"cns.event.a\"'",
        'nats: permissions violation for subscription to "cns.event.a" (sid "4")',
        'Permissions Violation for Subscription to "cns.event.A" using queue "q"',
    ],
)
def test_a_subscription_that_is_refused_is_remembered_by_its_own_name(told: str) -> None:
    refusals = Refusals()
    refusals.hear(Error(told), OWN)
    assert str(refusals) == "cns.event.A"
    assert refusals.take() == {"cns.event.A"}
    refusals.answered(["cns.event.A"])
    assert not str(refusals)


@pytest.mark.parametrize(
    "told",
    [
        'nats: permissions violation for publish to "cns.event.a"',
        'nats: permissions violation for subscription to "somebody.elses"',
        "nats: permissions violation for subscription to",
        "nats: stale connection",
        "",
    ],
)
def test_nothing_else_is(told: str) -> None:
    refusals = Refusals()
    refusals.hear(Error(told), OWN)
    refusals.hear(SlowConsumerError("x", "", 1, None), OWN)  # type: ignore[arg-type] # any will do
    assert refusals.take() == frozenset()


def test_until_it_is_answered_what_is_asked_for_again_counts_as_refused() -> None:
    """Others prove the same connection meanwhile, and must not find it whole."""
    refusals, told = Refusals(), Error('permissions violation for subscription to "cns.change.a"')
    refusals.hear(told, OWN)
    asked = refusals.take()
    assert refusals.take() == frozenset()
    assert str(refusals) == "cns.change.A"
    refusals.hear(told, OWN)
    refusals.answered(asked)
    assert str(refusals) == "cns.change.A"
    assert refusals.take() == asked
