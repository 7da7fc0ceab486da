"""How access is gained to a server, as a federation file specifies it."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

File = Annotated[str, Meta(min_length=1, max_length=4096)]
"""Path of a file, absolute or relative to the federation's file."""


class Tls(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How TLS is spoken to a server; files are read at each connection.

    Attributes:
        ca_file: PEM file with the authorities of server certificates; absent for the system's.
        certificate_file: PEM file with the client's certificate; absent for none.
        key_file: PEM file with its private key; absent where the certificate's file contains it.
        server_name: Name that the server's certificate must have; absent for the address's host.
        verify: Whether authority and name are verified.
    """

    ca_file: File | UnsetType = UNSET
    certificate_file: File | UnsetType = UNSET
    key_file: File | UnsetType = UNSET
    server_name: Annotated[str, Meta(min_length=1, max_length=255)] | UnsetType = UNSET
    verify: bool = True


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How access is gained to a server.

    Attributes:
        user: User name; empty where the server requires none.
        password_file: File with that user's password, such as a secret of a container.
        password_env: Variable of the environment that contains the password, in its place.
        credentials_file: Of NATS: `.creds` file of a user, in the place of name and password.
        token_file: Of NATS: file with a token, in the place of name and password.
        tls: How TLS is spoken, where the address begins with `mqtts`, `tls`, `kafka+ssl` or
            `stomp+ssl`.
    """

    user: Annotated[str, Meta(max_length=255)] = ""
    password_file: File | UnsetType = UNSET
    password_env: Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_]*$")] | UnsetType = UNSET
    credentials_file: File | UnsetType = UNSET
    token_file: File | UnsetType = UNSET
    tls: Tls | UnsetType = UNSET
