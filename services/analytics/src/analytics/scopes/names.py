"""Names of the promises about scopes, in the order in which they are reported."""

from typing import Final

VISIBLE: Final = "no event crosses a scope invisibly"
INTERFACES: Final = "what an interface blocks is delivered to nobody"
MEMBERSHIP: Final = "only members receive, from their joining to their leaving"
IDENTITY: Final = "what a mapping makes has an identity of its own"
ONE: Final = "one member of n receives"
DELAY: Final = "what waits is not early"
SESSION: Final = "a session's events stay in it"
CONTROL: Final = "requests and announcements are confined"

PROMISES: Final = (
    VISIBLE,
    INTERFACES,
    MEMBERSHIP,
    IDENTITY,
    ONE,
    DELAY,
    SESSION,
    CONTROL,
)
