import pytest
from eventservices.cns import can_frame_any
from eventservices.cns.codec import decode, encode_any
from eventservices.cns.event import AnyEvent
from eventservices.errors import MalformedError


def test_a_can_frame_is_a_struct() -> None:
    frame = can_frame_any(12345, b"FES0001\x37")

    assert frame == {"can_id": 12345, "extended": True, "data": b"FES0001\x37"}
    assert decode(encode_any(frame)) == AnyEvent(frame)


def test_a_standard_frame_has_eleven_bits() -> None:
    assert can_frame_any(0x7FF, b"", extended=False)["extended"] is False
    with pytest.raises(MalformedError, match=r"0\.\.2047"):
        can_frame_any(0x800, b"", extended=False)


@pytest.mark.parametrize(("can_id", "data"), [(-1, b""), (2**29, b""), (1, b"123456789")])
def test_what_no_frame_holds_is_refused(can_id: int, data: bytes) -> None:
    with pytest.raises(MalformedError):
        can_frame_any(can_id, data)
