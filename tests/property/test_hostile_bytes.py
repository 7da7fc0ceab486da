"""Whatever bytes come, a decoder gives what it promises or raises what it says."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from eventservices.cns import LongLong
from eventservices.cns import codec as cns
from eventservices.cns.notices import Query, decode_notice, encode_notice
from eventservices.errors import MalformedError
from eventservices.siena import codec as siena
from eventservices.siena import presence
from eventservices.siena.notification import Notification as SienaNotification
from eventservices.stamp import Stamp as NativeStamp
from eventservices.stamp import pack, unpack
from eventservices.steam import around
from eventservices.steam import codec as steam
from eventservices.steam.event import Notification
from eventservices.steam.geometry import Position
from fes.errors import CodecError, LinkError
from fes.link.body import read_body
from fes.link.frames import Frame, decode_frame, encode_frame
from fes.link.messages import Counted, Heard, HeardControl
from fes.model import Event, Stamp, binary
from fes.model.text import from_json, to_json
from hypothesis import given, settings
from hypothesis import strategies as st

EVENT = Event.of("Speed", rate=1.0, a="x", b=2**40, c=b"zz", d=True, e=Event.of("Inner", x=1))
STAMP = Stamp("o", 1, 1, 5, "home")
MESSAGES = (
    Heard(STAMP, ("a",), "Speed", (1,), 0, 0, 0, False, b"x"),
    HeardControl(None, b""),
    Counted(ready=True, reason="", counters={"a": 1}),
)
ON_AIR = Notification(
    NativeStamp("o", 1, 1, 5, "h"), "n", Position(50.0, 11.0), 300.0, around(300.0), "S", {"a": 1}
)
WHO = presence.Who("c", "s", None, 5, 1)


class Decoder(NamedTuple):
    """A decoder, bytes that it takes, and what it raises for others."""

    decode: Callable[[bytes], Any]
    good: bytes
    raises: type[Exception]


DECODERS = {
    "any of CNS": Decoder(cns.decode, cns.encode_any({"a": [1, LongLong(5)]}), MalformedError),
    "notice of CNS": Decoder(decode_notice, encode_notice(Query("m")), MalformedError),
    "notification of SIENA": Decoder(
        siena.decode, siena.encode(SienaNotification({"a": 1, "b": "x"})), MalformedError
    ),
    "presence of SIENA": Decoder(
        presence.decode, presence.encode(presence.Digest(WHO)), MalformedError
    ),
    "notification of STEAM": Decoder(
        steam.decode_notification, steam.encode(ON_AIR), MalformedError
    ),
    "packed stamp": Decoder(
        lambda data: unpack(data.decode("latin-1")),
        pack(NativeStamp("o/ü", 1, 2, 3, "h", ("a", "b"))).encode(),
        MalformedError,
    ),
    "event": Decoder(binary.decode, binary.encode(EVENT), CodecError),
    "body": Decoder(read_body, binary.encode(EVENT), CodecError),
    "text": Decoder(from_json, to_json(EVENT).encode(), CodecError),
    "frame": Decoder(decode_frame, encode_frame(Frame(1, 0, MESSAGES)), LinkError),
}
NASTY = (
    b"\xa2\xf4\x02",  # text that is no UTF-8
    b"\xcf" + b"\xff" * 8,  # 64 bits without a sign
    b"\x81\x80\x01",  # a map as a key
    b"\x81\x90\x01",  # a list as a key
    b"\xd7\xff" + b"\xff" * 8,  # a time out of range
    b"\xc7\x0c\x05" + b"\x00" * 12,  # an unknown extension
    b"\xdd\xff\xff\xff\xff",  # four thousand million elements
    b"\xc6\xff\xff\xff\xff",  # four gigabytes
    b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00",  # NaN
    b"\x91" * 2000,
)


def spoilt(good: bytes) -> st.SearchStrategy[bytes]:
    """Give good bytes in which a piece was replaced by a nasty one, or by any."""
    cut = st.tuples(st.integers(0, len(good)), st.integers(0, 3))
    piece = st.sampled_from(NASTY) | st.binary(max_size=4)
    return st.builds(
        lambda where, new: good[: where[0]] + new + good[where[0] + where[1] :], cut, piece
    )


@pytest.mark.parametrize("name", sorted(DECODERS))
@settings(max_examples=300)
@given(data=st.data())
def test_spoilt_bytes_are_refused_or_read_and_nothing_else(name: str, data: st.DataObject) -> None:
    decoder = DECODERS[name]
    content = data.draw(spoilt(decoder.good) | st.binary(max_size=20))
    try:
        decoder.decode(content)
    except decoder.raises:
        return


@pytest.mark.parametrize("name", sorted(DECODERS))
def test_what_is_good_is_read(name: str) -> None:
    decoder = DECODERS[name]
    assert decoder.decode(decoder.good) is not None


@pytest.mark.parametrize("name", sorted(DECODERS))
def test_every_nasty_piece_is_tried_everywhere(name: str) -> None:
    decoder = DECODERS[name]
    for at in range(len(decoder.good) + 1):
        for piece in NASTY:
            try:
                decoder.decode(decoder.good[:at] + piece + decoder.good[at + 1 :])
            except decoder.raises:
                continue
