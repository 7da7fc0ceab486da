"""Names in a small alphabet, and back: any other character is written as `_x`, its code and a sign.

Text that looks like such an escape gets another `_`. An escape ends with a sign other than `_`, so
that none is read across the end of another. With `-`:

    living room   living_x20-room
    a_x20-b       a__x20-b
"""

import re
from collections.abc import Callable


class Codes:
    """Writes names; a bijection.

    Args:
        legal: Characters that a name may have, as in a class of a regular expression; `_`, digits
            and letters are among them.
        end: Legal character that an escape ends with; not `_`, a letter or a digit.
        is_reserved: Whether a name that has no other characters is not free either; its first
            character is written as its code.
    """

    def __init__(
        self, legal: str, end: str, is_reserved: Callable[[str], bool] | None = None
    ) -> None:
        self._end = end
        escape = rf"(_+)(x([0-9A-F]{{2,6}}){re.escape(end)})"
        self._out = re.compile(rf"(_*)([^{legal}])|{escape}")
        self._back = re.compile(escape)
        self._legal = re.compile(f"[{legal}]")
        self._is_reserved = is_reserved

    def write(self, name: str) -> str:
        """Return a name as the service accepts it."""
        native = self._out.sub(self._written, name)
        if self._is_reserved is not None and name and self._is_reserved(native):
            return f"_x{ord(native[0]):02X}{self._end}{native[1:]}"
        return native

    def read(self, native: str) -> str:
        """Return the name whose form on the service is `native`."""
        return self._back.sub(self._read, native)

    def _written(self, found: re.Match[str]) -> str:
        signs, char, more, text, code = found.groups()
        if char is not None:
            return f"{signs}{signs}_x{ord(char):02X}{self._end}"
        return f"{more}{more}{text}" if self._is_code(code) else found[0]

    def _read(self, found: re.Match[str]) -> str:
        signs, text, code = found.groups()
        if not self._is_code(code):
            return found[0]
        half = "_" * (len(signs) // 2)
        return half + (chr(int(code, 16)) if len(signs) % 2 else text)

    def _is_code(self, code: str) -> bool:
        number = int(code, 16)
        if number > 0x10FFFF or f"{number:02X}" != code:
            return False
        return self._is_reserved is not None or not self._legal.fullmatch(chr(number))
