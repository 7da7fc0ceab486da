"""Programs that the timings need: two naming servers and the policy service, as processes."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, Self

from eventservices.lifetime import Opening
from serving.children import running

from active_badge.errors import ExperimentError

START_S: Final = 60.0
BUILDING: Final = "trinity"
LINKS: Final = {
    "ns-root": "***THIS_DOMAIN_IS***=.\nie.=ns-ie\n",
    "ns-ie": "***THIS_DOMAIN_IS***=ie.\n.=ns-root\n",
}
PEOPLE: Final = "users:\n  peter:\n    groups: [staff]\nevents: [ie.tcd.Timed]\n"
RULES: Final = """@id("staff") @filter("number >= 0")
permit (principal in Group::"staff", action, resource in Domain::"ie.tcd.");
"""


class Programs(Opening):
    """Runs the services of a building.

    Args:
        url: Of the NATS server.
        folder: Of their files.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder
        self._stack = AsyncExitStack()

    async def open(self) -> Self:
        """Start them, and return when all are ready.

        Raises:
            ExperimentError: One did not start; the message has what it wrote.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            for server, links in LINKS.items():
                (self._folder / server).write_text(links, "utf-8")
                await self._start(
                    "fes_naming", "--building", BUILDING, "--server", server,
                    "--links", str(self._folder / server),
                )  # fmt: skip
            (self._folder / "building.yaml").write_text(PEOPLE, "utf-8")
            (self._folder / "rules.cedar").write_text(RULES, "utf-8")
            await self._start(
                "fes_policy", "--building-id", BUILDING,
                "--building", str(self._folder / "building.yaml"),
                "--rules", str(self._folder / "rules.cedar"),
            )  # fmt: skip
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """End them."""
        await self._stack.aclose()

    async def _start(self, module: str, *arguments: str) -> None:
        errors = (self._folder / f"{module}.log").open("ab")
        self._stack.callback(errors.close)
        command = (sys.executable, "-m", module, "--nats", self._url, *arguments)
        process = await self._stack.enter_async_context(
            running(command, stdout=asyncio.subprocess.PIPE, stderr=errors)
        )
        try:
            async with asyncio.timeout(START_S):
                line = await process.stdout.readline() if process.stdout is not None else b""
        except TimeoutError:
            line = b""
        if not line.startswith(b"ready"):
            raise ExperimentError(f"{module} did not start; see {errors.name}")
