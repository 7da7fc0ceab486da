import pytest
from eventservices.cosmic.ccp import (
    NODES,
    STALE_US,
    Configuration,
    NodeTable,
    read_request,
    request,
)
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import BROKER_NODE, Identifier
from eventservices.errors import MalformedError, RefusedError

ONE, OTHER = b"node-one", b"node-two"


def configured(table: NodeTable, uid: bytes, now_us: int = 0) -> int | None:
    """Run the protocol to its end; return the number that the node found."""
    node = Configuration(uid)
    said: Frame | None = node.begin()
    while said is not None:
        answer = table.take(said, now_us)
        assert answer is not None
        said = node.take(answer)
    return node.number


def test_a_nibble_and_its_stage_stand_in_the_identifier_of_an_empty_frame() -> None:
    frame = request(15, 0xA)
    assert frame == Frame(0x1FBE8001, b"")
    assert read_request(frame) == (15, 0xA)
    assert request(0, 0).can_id & 0x3FFF == 1


def test_the_broker_repeats_what_it_knows_with_the_stage_in_the_last_nibble() -> None:
    table = NodeTable()
    answer = table.take(request(15, 0x6), 0)
    assert answer == Frame(
        Identifier(0xFD, BROKER_NODE, 0).can_id, bytes.fromhex("600000000000000f")
    )


@pytest.mark.parametrize("uid", [ONE, b"\xff" * 8, bytes(7) + b"\1", b"\x10" + bytes(7)])
def test_a_node_gets_a_number_in_16_stages(uid: bytes) -> None:
    assert configured(NodeTable(), uid) == NODES - 1


def test_a_node_gets_the_same_number_again() -> None:
    table = NodeTable()
    first = configured(table, ONE)
    assert configured(table, OTHER) != first
    assert configured(table, ONE) == first


def test_of_two_that_begin_at_once_one_goes_on_and_the_other_begins_anew() -> None:
    table, nodes = NodeTable(), [Configuration(ONE), Configuration(OTHER)]
    waiting = [node.begin() for node in nodes]
    for _ in range(200):
        waiting.sort(key=lambda frame: frame.can_id)
        if not waiting:
            break
        answer = table.take(waiting.pop(0), 0)
        if answer is not None:
            waiting += [said for node in nodes if (said := node.take(answer)) is not None]
    assert {node.number for node in nodes} == {125, 126}


def test_a_node_that_vanished_does_not_block_the_others_for_ever() -> None:
    table = NodeTable()
    assert table.take(request(15, 1), 0) is not None
    assert table.take(request(15, 6), 1000) is None
    assert configured(table, ONE, STALE_US + 1001) is not None


def test_a_broker_that_lost_a_node_has_all_begin_anew() -> None:
    node = Configuration(ONE)
    node.begin()
    broker = Identifier(0xFD, BROKER_NODE, 0).can_id
    assert node.take(Frame(broker, bytes(8))) == Configuration(ONE).begin()


def test_127_nodes_have_numbers_and_no_more() -> None:
    table = NodeTable()
    given = {table.number_of(number.to_bytes(8, "big")) for number in range(1, NODES + 1)}
    assert given == set(range(127))
    with pytest.raises(RefusedError):
        table.number_of(ONE)


def test_numbers_told_by_hand_are_given_to_nobody() -> None:
    assert NodeTable(reserved=frozenset({126, 125})).number_of(ONE) == 124


def test_a_name_of_nothing_but_0_is_refused() -> None:
    with pytest.raises(MalformedError):
        Configuration(bytes(8))
    with pytest.raises(MalformedError):
        NodeTable({ONE: 127})
