"""Named clients in gateways: their event service is where they are, and they cannot be parted."""

from fes.federation.scopes.change import Change
from fes.model import Event
from support.scopes.federated import FILE, Federated, joins, leaves, scope

QUOTE = Event.of("Quote", price=4.0)


def _file(clients: str = "") -> str:
    head, tail = FILE.split("gateways:")
    named = f"clients:\n  ann: {{service: north, principal: ann}}\n{clients}"
    return f"{head}{named}gateways:{tail}".replace("members: {north", "members: {ann")


def _subscribed(text: str) -> Federated:
    federated = Federated(text)
    federated.wait(3)
    for at, name in enumerate(("north", "middle", "south")):
        federated.subscribe(name, at + 1, "g2" if name == "south" else "g1")
    federated.wait(2)
    return federated


def test_what_an_event_service_publishes_enters_the_scopes_of_its_client_and_the_other_way() -> (
    None
):
    federated = _subscribed(_file())
    assert federated.publish("north", 1, QUOTE, "g1") == ["middle"]
    assert federated.publish("middle", 2, QUOTE, "g1") == ["north"]
    assert federated.publish("south", 3, QUOTE, "g2") == []


def test_a_client_joins_and_leaves_while_gateways_run() -> None:
    federated = _subscribed(_file())
    assert federated.change(scope("other")) == []
    for member in ("ann", "south"):
        assert federated.change(joins(member, "other")) == []
    assert sorted(federated.publish("north", 1, QUOTE, "g1")) == ["middle", "south"]
    assert federated.publish("south", 2, QUOTE, "g2") == ["north"]
    assert federated.change(leaves("ann", "market")) == []
    assert federated.publish("north", 3, QUOTE, "g1") == ["south"]
    assert federated.change(leaves("ann", "other")) == []
    assert federated.publish("north", 4, QUOTE, "g1") == []
    assert federated.generations() == {"g1": 5, "g2": 5}


def test_a_clients_interface_and_mapping_are_those_of_its_event_service() -> None:
    federated = _subscribed(_file())
    down = [{"set": {"seen": 1}}]
    assert federated.change(joins("ann", "market", output=["price > 5"], down=down)) == []
    assert federated.publish("north", 1, QUOTE, "g1") == []
    assert federated.publish("middle", 2, QUOTE, "g1") == ["north"]
    assert federated.published[0][1].parameter("seen") == 1


def test_a_change_that_would_part_clients_is_refused_and_names_them() -> None:
    federated = _subscribed(_file("  bob: {service: north, principal: bob}\n"))
    federated.change(scope("other"))
    (refused,) = federated.change(joins("bob", "other"))
    assert refused == (
        "scopes: ann and bob receive each other's events natively at north, and no scope has both;"
        " declare an event service for each account or channel, or make north the member"
    )
    assert federated.change(joins("bob", "market")) == []
    (refused,) = federated.change(joins("ann", "other"))
    assert "and only ann is in other" in refused
    assert federated.publish("north", 1, QUOTE, "g1") == ["middle"]


def test_a_client_is_neither_a_scope_nor_ended_as_one() -> None:
    federated = _subscribed(_file())
    assert federated.change(Change(0, "ann")) == ["scopes: ann is a simple component"]
    assert federated.change(leaves("north", "ann")) == ["scopes: north is not a member of ann"]
    (refused,) = federated.change(joins("south", "ann"))
    assert "simple component" in refused
    assert federated.publish("north", 1, QUOTE, "g1") == ["middle"]
