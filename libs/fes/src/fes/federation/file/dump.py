"""Writes a federation back as YAML, and resolves it for a run."""

from collections.abc import Mapping
from typing import Any

import msgspec
import yaml

from fes.federation.file.scalar import plain_value
from fes.federation.model import Federation


class _Dumper(yaml.SafeDumper):
    """Writes text so that it is read back as text."""

    def ignore_aliases(self, _data: Any) -> bool:
        """Write every value out."""
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = None if isinstance(_plain(text), str) else "'"
    if not text.isprintable():
        style = '"'
    escaped = text.replace("${", "$${")
    return dumper.represent_scalar("tag:yaml.org,2002:str", escaped, style=style)


def _plain(text: str) -> object:
    try:
        return plain_value(text)
    except ValueError:
        return None


_Dumper.add_representer(str, _text)


def dump(federation: Federation) -> str:
    """Return the federation as YAML that `loads` turns into an equal one, defaults written out."""
    text: str = yaml.dump(
        msgspec.to_builtins(federation),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
    )
    return text


def resolved(
    federation: Federation, wall_start_us: int, urls: Mapping[str, str] | None = None
) -> Federation:
    """Return the federation with everything that a run fills in.

    Args:
        federation: The federation as in its file.
        wall_start_us: Wall clock at the start of the run, microseconds since 1970 UTC.
        urls: URL by broker, of those that were started for the run.
    """
    replace = msgspec.structs.replace
    brokers = {
        name: replace(broker, url=urls[name]) if urls and name in urls else broker
        for name, broker in federation.brokers.items()
    }
    clock = replace(federation.clock, wall_start_us=wall_start_us)
    return replace(federation, clock=clock, brokers=brokers)
