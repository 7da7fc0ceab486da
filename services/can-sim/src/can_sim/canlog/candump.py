"""The text of `candump`: its log form (`-l`) and its screen form, a line at a time."""

from eventservices.canlog.candump import format_frame, has_short_fraction, parse_line

__all__ = ["format_frame", "has_short_fraction", "parse_line"]
