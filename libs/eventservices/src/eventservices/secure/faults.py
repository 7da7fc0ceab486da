"""Why a secure connection was not made, in one line: what, where, and what to do."""

import ssl
from typing import Final

_UNKNOWN_AUTHORITY: Final = (18, 19, 20, 21)
_NOT_YET_VALID: Final = 9
_EXPIRED: Final = 10
_WRONG_NAME: Final = (62, 64)
"""Results of verification, by their numbers in OpenSSL's `x509_vfy.h`."""

_ENDED: Final = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
_NO_TLS: Final = (
    "the broker ended it within the handshake; does it speak TLS at this port,"
    " or require a client's certificate?"
)

_NOT_TLS: Final = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER")
_ALERTS: Final = {
    "CERTIFICATE_REQUIRED": "the broker requires a client's certificate: `certificate_file`",
    "CERTIFICATE_EXPIRED": "the broker refuses the client's certificate: it has expired",
    "UNKNOWN_CA": "the broker does not know the authority of the client's certificate",
    "BAD_CERTIFICATE": "the broker refuses the client's certificate, or requires one",
    "HANDSHAKE_FAILURE": "no common version or cipher, or the broker requires a certificate",
    "PROTOCOL_VERSION": "the broker speaks no TLS of version 1.2 or later",
}


def handshake_fault(
    error: BaseException, host: str, ca_file: str = "", *, secure: bool = True
) -> str:
    """Return why a handshake failed; "" where the error is not of a handshake.

    Args:
        error: What was raised; its causes are searched, too.
        host: Host and port.
        ca_file: Authorities that were expected; those of the system where "".
        secure: Whether the address requires TLS.
    """
    found = _secure_error(error)
    if found is None and secure and isinstance(error, _ENDED):
        return f"no secure connection to {host}: {_NO_TLS}"
    if found is None:
        return ""
    return f"no secure connection to {host}: {_reason(found, ca_file)}"


def ended_early(host: str, *, secure: bool) -> str:
    """Return why a broker may end a connection before it answers.

    Args:
        host: Host and port.
        secure: Whether TLS is spoken to it.
    """
    if secure:
        hint = "does it require a client's certificate, or another user?"
    else:
        hint = "does it expect TLS, or another protocol, at this port?"
    return f"the broker at {host} ended the connection before it answered: {hint}"


def late(reason: str, host: str, *, secure: bool) -> str:
    """Return that a broker does not answer in time, and why that may be.

    Args:
        reason: What it does not do in time.
        host: Host and port.
        secure: Whether TLS is spoken to it.
    """
    return f"{reason}: {host}; does it speak TLS at this port?" if secure else f"{reason}: {host}"


def _secure_error(error: BaseException | None) -> ssl.SSLError | None:
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error


def _reason(error: ssl.SSLError, ca_file: str) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _unverified(error, ca_file)
    reason = (error.reason or "").upper()
    if isinstance(error, ssl.SSLEOFError) or "UNEXPECTED_EOF" in reason:
        return _NO_TLS
    if any(each in reason for each in _NOT_TLS):
        return "what answers does not speak TLS at this port"
    for alert, text in _ALERTS.items():
        if alert in reason:
            return text
    return reason.lower().replace("_", " ") or "the handshake failed"


def _unverified(error: ssl.SSLCertVerificationError, ca_file: str) -> str:
    code = error.verify_code
    if code in _UNKNOWN_AUTHORITY:
        known = f"ca_file {ca_file}" if ca_file else "the system; name it by `ca_file`"
        return f"its certificate is signed by no authority of {known}"
    if code == _EXPIRED:
        return "its certificate has expired, or this machine's clock is wrong"
    if code == _NOT_YET_VALID:
        return "its certificate is not valid yet, or this machine's clock is wrong"
    if code in _WRONG_NAME:
        text = error.verify_message.removesuffix(".").replace("Hostname mismatch, ", "")
        return f"{text}; `server_name` is the name to expect"
    return f"its certificate is not accepted: {error.verify_message}"
