import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scenario_kit.programs import Programs
from traffic_scenario.runfolder import Monitor, Plan

MakeStub = Callable[[str, str], tuple[str, ...]]
MakePrograms = Callable[..., Programs]


@pytest.fixture
def small_plan() -> Plan:
    monitors = (
        Monitor("M01", 50.0, 11.5, 150.0, 50.0),
        Monitor("M02", 50.001, 11.5, 150.0, 30.0),
    )
    return Plan(("FES0001", "FES0002"), monitors, 1_700_000_000_123_457, 1_700_000_089_123_457, 180)


@pytest.fixture
def stub(tmp_path: Path) -> MakeStub:
    """Return a function that makes a program of a few lines of Python."""

    def make(name: str, lines: str) -> tuple[str, ...]:
        path = tmp_path / f"{name}.py"
        path.write_text(lines, "utf-8")
        return (sys.executable, str(path))

    return make


PLANS = """
import json, sys
from pathlib import Path
folder = Path(sys.argv[sys.argv.index("--out") + 1])
folder.joinpath("trace.csv").write_text(
    "time_us,vehicle,licence,lat,lon,speed_kmh\\n0,A,FES000A,50.0,11.5,40.0\\n")
folder.joinpath("monitors.csv").write_text(
    "monitor,lat,lon,radius_m,limit_kmh\\nM01,50.0,11.5,150.0,30.0\\n")
print(json.dumps({"skipped": {"bad_row": 2}, "notes": ["row 3: no time"]}))
"""

RECORDS = """
import sys
from pathlib import Path
folder = Path(sys.argv[sys.argv.index("--run") + 1] if "--run" in sys.argv else sys.argv[-1])
folder.joinpath("{name}.called").write_text(" ".join(sys.argv[1:]))
sys.exit({status})
"""


@pytest.fixture
def programs(stub: MakeStub) -> MakePrograms:
    """Return a function that makes programs whose steps end with given statuses."""

    def make(run: int = 0, verify: int = 0, plan: str = PLANS) -> Programs:
        return Programs(
            can_sim=stub("can_sim", plan),
            fes=stub("fes", RECORDS.format(name="fes", status=run)),
            analytics=stub("analytics", RECORDS.format(name="analytics", status=verify)),
        )

    return make
