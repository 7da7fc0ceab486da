"""The errors of the service.

Exception
├── InputError (ValueError)     a setting or a body is not valid
└── JournalError (OSError)      the journal cannot be read or written
"""


class InputError(ValueError):
    """Raised when a setting or a body is not valid; the message names the place."""


class JournalError(OSError):
    """Raised when the journal cannot be read or written; the message names the file."""
