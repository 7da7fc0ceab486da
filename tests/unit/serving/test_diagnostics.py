"""Diagnostics, as programs read them."""

import io
import json
import logging
from pathlib import Path

from serving import diagnostics


def test_diagnostics_are_lines_of_json() -> None:
    stream = io.StringIO()
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        diagnostics.set_up(stream=stream)
        log = logging.getLogger("traffic_control.test")
        log.info("limit_changed", extra={"monitor": "M01", "path": Path("x")})
        try:
            int("why")
        except ValueError:
            log.exception("failed")
        logging.getLogger("httpx").info("not told")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    first, second = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (first["event"], first["level"], first["monitor"], first["path"]) == (
        "limit_changed",
        "info",
        "M01",
        "x",
    )
    assert "ValueError" in second["trace"]
