"""Who a client reports it is to a broker: in its address, and never where people read."""

from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from serving.text import decode, told_encoding

from eventservices.errors import RefusedError

PASSWORD_BYTES = 4096


def with_credentials(url: str, user: str, password: str) -> str:
    """Return an address that carries a name and a password.

    Args:
        url: `scheme://host[:port]`; a name that it carries already is replaced.
        user: The name; empty leaves the address as it is.
        password: Its password.
    """
    if not user:
        return url
    scheme, _, rest = url.partition("://")
    place = rest.rpartition("@")[2]
    return f"{scheme}://{quote(user, safe='')}:{quote(password, safe='')}@{place}"


def without_credentials(url: str) -> tuple[str, str | None, str | None]:
    """Return an address as it may be shown, and the name and the password that it carried.

    A query, which states by which files access is gained, is not shown.
    """
    url = url.partition("?")[0]
    parts = urlsplit(url)
    if parts.username is None:
        return url, None, None
    place = parts.netloc.rpartition("@")[2]
    password = unquote(parts.password) if parts.password is not None else None
    return parts._replace(netloc=place).geturl(), unquote(parts.username), password


def read_password(path: Path, what: str = "password file") -> str:
    """Return the password in a file, as secrets are passed to containers.

    Args:
        path: The file; white space at its end does not count, nor a byte order mark.
        what: What it is called in errors.

    Raises:
        RefusedError: It cannot be read, is empty, or larger than 4 KiB; names the file, and nothing
            of what it contains.
    """
    try:
        with path.open("rb") as file:
            data = file.read(PASSWORD_BYTES + 1)
        text = decode(data).rstrip()
    except OSError as error:
        raise RefusedError(f"{what} {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RefusedError(f"{what} {path}: is not {told_encoding(error)}") from error
    if len(data) > PASSWORD_BYTES:
        raise RefusedError(f"{what} {path}: is larger than {PASSWORD_BYTES} bytes")
    if not text:
        raise RefusedError(f"{what} {path}: is empty")
    return text
