import pytest
from eventservices.errors import MalformedError
from eventservices.natsstamp import header_of, read_stamp, stamped
from eventservices.stamp import Stamp, pack

STAMP = Stamp("car/1", 5, 7, 1_700_000_000_000_000, "FES0001", ("cns-a", "siena"))


def block(*lines: str) -> bytes:
    return "\r\n".join(["NATS/1.0", *lines, "", ""]).encode()


@pytest.mark.parametrize(
    "headers",
    [
        block(f"Event-Stamp: {pack(STAMP)}"),
        block(f"Event-Stamp:{pack(STAMP)}"),
        block(f"Event-Stamp:  {pack(STAMP)}", "Other: x"),
        block("Other: Event-Stamp: no", "Broken", f"Event-Stamp: {pack(STAMP)} "),
    ],
)
def test_a_stamp_is_found_wherever_it_stands(headers: bytes) -> None:
    assert stamped(headers)
    assert read_stamp(headers) == STAMP


@pytest.mark.parametrize(
    "headers", [b"", block(), block("Other: Event-Stamp: x"), b"NATS/1.0", b"junk"]
)
def test_a_message_without_stamp_has_none(headers: bytes) -> None:
    assert not stamped(headers)
    assert read_stamp(headers) is None


@pytest.mark.parametrize(
    "packed", ["", "x", "a;1;2;3;h", "a;1;0;3;h;", "a;1;2;3;;", "a;b;c;d;e;f", "ä;1;1;1;h;"]
)
def test_a_broken_stamp_is_malformed(packed: str) -> None:
    with pytest.raises(MalformedError):
        read_stamp(block(f"Event-Stamp: {packed}"))


def test_the_headers_that_carry_a_stamp_are_read_again() -> None:
    (line,) = (f"{name}: {value}" for name, value in header_of(STAMP).items())
    assert read_stamp(block(line)) == STAMP
