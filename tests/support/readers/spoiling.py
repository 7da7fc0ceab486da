"""Ways to spoil a file; each changes it as power cuts, disks, editors or strangers do."""

from collections.abc import Callable
from random import Random

HUGE = (b"1e400", b"9" * 400, b"-0", b"NaN", b"1e-400", b"18446744073709551616", b"1,234.5")
WORDS = (b'"', b"'", b",", b";", b"\n", b"\r", b"\r\n", b"\0", b"<", b">", b"&", b"]]>", b"<!--")
BLOCK = 64
LONG = 70_000


def truncate(data: bytes, chance: Random) -> bytes:
    """Cut a file off."""
    return data[: chance.randrange(len(data) + 1)]


def flip(data: bytes, chance: Random) -> bytes:
    """Flip some bits."""
    spoilt = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if spoilt:
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
    return bytes(spoilt)


def insert(data: bytes, chance: Random) -> bytes:
    """Insert bytes that mean something to a format."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(WORDS + HUGE) + data[at:]


def insert_random(data: bytes, chance: Random) -> bytes:
    """Insert bytes that mean nothing."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.randbytes(chance.randint(1, BLOCK)) + data[at:]


def remove(data: bytes, chance: Random) -> bytes:
    """Leave out a run of bytes."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[at + chance.randint(1, BLOCK) :]


def repeat(data: bytes, chance: Random) -> bytes:
    """Repeat a run of bytes."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[at : at + chance.randint(1, BLOCK)] * 3 + data[at:]


def blank(data: bytes, chance: Random) -> bytes:
    """Overwrite a block with NUL bytes, as a power cut does."""
    at = chance.randrange(len(data) + 1)
    size = chance.randint(1, BLOCK)
    return data[:at] + bytes(size) + data[at + size :]


def swap_lines(data: bytes, chance: Random) -> bytes:
    """Exchange two lines."""
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def huge_number(data: bytes, chance: Random) -> bytes:
    """Put a number of another size in the place of a digit."""
    digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    at = chance.choice(digits)
    return data[:at] + chance.choice(HUGE) + data[at + 1 :]


def long_line(data: bytes, chance: Random) -> bytes:
    """Insert a line, or a cell, that is longer than any."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice((b"A", b",", b"<a>", b'"', b"0")) * LONG + data[at:]


def lengths(data: bytes, chance: Random) -> bytes:
    """Overwrite four bytes with a length that is none, as in binary formats."""
    if len(data) < BLOCK:
        return data
    at = chance.randrange(len(data) - 3)
    value = chance.choice((0, 1, 15, 16, 31, 0x7FFFFFFF, 0xFFFFFFFF, len(data)))
    return data[:at] + value.to_bytes(4, "little") + data[at + 4 :]


SPOILERS: tuple[Callable[[bytes, Random], bytes], ...] = (
    truncate,
    flip,
    insert,
    insert_random,
    remove,
    repeat,
    blank,
    swap_lines,
    huge_number,
    long_line,
    lengths,
)


def spoil(data: bytes, keep: int, chance: Random) -> bytes:
    """Return a file spoilt in one to three ways, but for its first `keep` bytes."""
    head, rest = data[:keep], data[keep:]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        rest = chance.choice(SPOILERS)(rest, chance)
    return head + rest
