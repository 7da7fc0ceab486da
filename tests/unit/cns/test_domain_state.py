"""Leases and pictures of domains, without any I/O."""

from xml.dom import minidom

from eventservices.cns.domains.graph import Digraph
from eventservices.cns.domains.leases import Leases
from eventservices.cns.domains.picture import Drawn, picture
from eventservices.cns.moved import Moved, header_of_moved, read_moved


def block(headers: dict[str, str]) -> bytes:
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(["NATS/1.0", *lines, "", ""]).encode()


def test_how_an_event_came_survives_its_header() -> None:
    for moved in (Moved(1), Moved(999_999_999, 2**50), Moved(3, 0)):
        assert read_moved(block(dict(header_of_moved(moved)))) == moved
    assert header_of_moved(None) == {}
    assert read_moved(block({})) is None


def test_a_header_of_no_use_counts_as_none() -> None:
    for text in ("", "x", "-1", "1" * 10, "²", "1e3"):
        assert read_moved(block({"Event-Moved": text})) is None
    assert read_moved(block({"Event-Moved": "4;soon"})) == Moved(4)


def test_a_client_that_does_not_renew_is_forgotten_and_its_identifier_never_used_again() -> None:
    leases = Leases()
    first = leases.add("a", "push_consumer", 0, 10.0, now_s=0.0)
    second = leases.add("b", "push_consumer", 0, 10.0, now_s=0.0)
    leases.renew(second.client_id, now_s=9.0)
    assert leases.known(now_s=10.0) == (second,)
    assert leases.forgotten == 1
    assert leases.add("c", "push_consumer", 1, 10.0, now_s=11.0).client_id == 2
    leases.forget_member(1)
    assert leases.known(now_s=12.0) == (second,)
    assert first.client_id == 0


def test_a_picture_has_each_channel_and_connection_and_escapes_names() -> None:
    graph = Digraph([(0, 1), (1, 2), (2, 1), (3, 3)])
    drawn = Drawn("<title>", {0: "a<b"}, {(0, 1): "0: any push"}, frozenset({2}))
    svg = picture(graph, drawn)
    assert svg == picture(Digraph([(3, 3), (2, 1), (1, 2), (0, 1)]), drawn)
    assert svg.count("<g>") == 4
    assert svg.count("marker-end") == 4
    assert svg.count("url(#round)") == 3
    assert "a&lt;b" in svg
    assert "stroke-dasharray" in svg
    assert "<title><title>" not in svg


def test_a_picture_is_xml_whatever_names_have_in_them() -> None:
    names = {0: "a\x00b\x1b[1m", 1: '"&<>\ud800', 2: "]]>" * 100}
    texts = {(0, 1): f"0: {'<x>' * 100}\x07 push", (1, 2): "1: Traffic::Sensor pull"}
    svg = picture(Digraph([(0, 1), (1, 2)]), Drawn("\x0b</text>", names, texts))
    drawn = minidom.parseString(svg)  # noqa: S318 - our own
    inside = [each.firstChild for each in drawn.getElementsByTagName("text")]
    shown = [each.data for each in inside if isinstance(each, minidom.Text)]
    assert len(shown) == len(inside)
    assert "1: Traffic::Sensor pull" in shown
    assert all(len(each) <= 40 for each in shown)
    assert "\N{REPLACEMENT CHARACTER}" in svg


def test_of_a_large_domain_a_picture_says_how_much_is_not_drawn() -> None:
    graph = Digraph((number, number + 1) for number in range(599))
    assert "100 more channels are not drawn" in picture(graph, Drawn("domain", {}, {}))
