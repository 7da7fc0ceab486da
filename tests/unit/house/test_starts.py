"""What a process need not import at its start.

Every gateway and every adapter is a process of its own: what one of them imports for the sake of
few federations, all of them wait for.
"""

import subprocess
import sys

import pytest

LARGE = {
    "adapter_kafka",
    "adapter_steam",
    "can",
    "cantools",
    "confluent_kafka",
    "fes_naming",
    "fes_policy",
    "networkx",
    "pyspark",
}
"""Packages that take a tenth of a start or more, and that most federations do without."""


@pytest.mark.parametrize(
    "start",
    [
        "import fes.cli.main",
        "import fes_gateway.__main__",
        "import adapter_siena.__main__",
        "from fes.cli.main import _parser; _parser().parse_args(['validate', 'a'])",
        "from fes.federation import installed_kinds; installed_kinds()['siena'].can({})",
    ],
)
def test_a_process_imports_nothing_large_that_few_need(start: str) -> None:
    program = f"import sys; sys.argv[1:] = ['validate', 'a']; {start}; print(*sys.modules)"
    done = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, text=True, check=True, timeout=60
    )

    assert LARGE.isdisjoint(done.stdout.split())
