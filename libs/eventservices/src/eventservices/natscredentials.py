"""The `.creds` file of a NATS user: a token that states who it is, and the seed of its key."""

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import nkeys

from eventservices.credentials import read_password
from eventservices.errors import RefusedError

_PART: Final = r"-+BEGIN {}-+\r?\n\s*([A-Za-z0-9_.=-]+)\s*\r?\n-+END {}-+"
_JWT: Final = re.compile(_PART.format("NATS USER JWT", "NATS USER JWT"))
_SEED: Final = re.compile(_PART.format("USER NKEY SEED", "USER NKEY SEED"))


def read_credentials(path: Path) -> dict[str, Callable[..., bytes]]:
    """Return how the client of NATS proves who it is.

    Args:
        path: The file, as `nsc` writes it.

    Returns:
        The options `user_jwt_cb` and `signature_cb` of `nats-py`.

    Raises:
        RefusedError: It cannot be read, or is not such a file; names it, and nothing of what it
            contains.

    Source:
        NATS documentation, "JWTs": the form of a credentials file.
    """
    text = read_password(path, "credentials_file")
    jwt, seed = _JWT.search(text), _SEED.search(text)
    if jwt is None or seed is None:
        lacking = "NATS USER JWT" if jwt is None else "USER NKEY SEED"
        raise RefusedError(f"credentials_file {path}: has no {lacking} as `nsc` writes it")
    token, key = jwt[1].encode(), seed[1].encode()
    try:
        nkeys.from_seed(bytearray(key)).wipe()
    except Exception:  # noqa: BLE001 - the library's errors have no common base, and may show the seed
        raise RefusedError(f"credentials_file {path}: its seed is not valid") from None

    def sign(nonce: str) -> bytes:
        pair = nkeys.from_seed(bytearray(key))
        return base64.b64encode(pair.sign(nonce.encode()))

    return {"user_jwt_cb": lambda: token, "signature_cb": sign}
