"""`traffic-control limits` and `set`: requests to the running traffic-control."""

import json
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
from serving.loopback import NoAnswerError, ask

from traffic_control.errors import AwayError, InputError
from traffic_control.serve import WHERE

TIMEOUT_S: Final = 10.0


def running_url(run: Path) -> str:
    """Return the URL of a run's traffic-control.

    Raises:
        AwayError: The run's folder does not contain it.
    """
    path = run / WHERE
    try:
        return str(json.loads(path.read_bytes())["url"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AwayError(f"{path} does not contain where it listens; use --url") from error


def show_limits(url: str) -> list[str]:
    """Return a line for each monitor.

    Raises:
        AwayError: There is no answer.
        InputError: It refused the query.
    """
    rows = _ask("GET", f"{url}/v1/limits")
    width = max((len(row["monitor"]) for row in rows), default=0)
    return [f"{row['monitor']:{width}}  {row['limit_kmh']:g} km/h  {row['state']}" for row in rows]


def set_limit(url: str, monitor: str, limit_kmh: float) -> str:
    """Change a limit; return what was begun.

    Raises:
        AwayError: There is no answer, or SIENA accepts nothing now.
        InputError: The monitor is not known, or the limit is not one.
    """
    body = {"limit_kmh": limit_kmh}
    answer = _ask("PUT", f"{url}/v1/limits/{quote(monitor, safe='')}", body)
    requests = ", ".join(answer["requests"])
    return f"{answer['monitor']}  {answer['limit_kmh']:g} km/h  pending, request {requests}"


def _ask(method: str, url: str, body: object = None) -> Any:
    try:
        answer = ask(method, url, body, timeout_s=TIMEOUT_S)
        content = answer.json()
    except (NoAnswerError, ValueError) as error:
        raise AwayError(f"{url}: {error}") from error
    if answer.is_success:
        return content
    detail = content.get("detail", content) if isinstance(content, dict) else content
    kind = AwayError if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR else InputError
    raise kind(str(detail))
