"""The page that says which mutants were noticed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

EQUIVALENT = Path(__file__).with_name("equivalent.txt")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    Attributes:
        module: Its file name.
        name: The change.
        of: Digest of the module without it.
        became: `caught`, `caught by seeds`, `caught by time` or `survived`.
    """

    module: str
    name: str
    of: str
    became: str

    @property
    def caught(self) -> bool:
        """Whether anything noticed it."""
        return self.became != "survived"


def equivalents() -> dict[str, str]:
    """Return the mutants that change nothing anybody could see, and why: a line each."""
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    told = [line.split(" :: ", 1) for line in lines if line and not line.startswith("#")]
    return dict(told)


def page(outcomes: Sequence[Outcome], mutants: Mapping[str, int]) -> tuple[str, list[str]]:
    """Return the page, and the survivors that no reason excuses.

    Args:
        outcomes: Of the mutants that were run.
        mutants: How many each module has.
    """
    reasons = equivalents()
    rows, total = [], Counter[str]()
    for module, count in mutants.items():
        became = Counter(
            "equivalent" if not each.caught and each.name in reasons else each.became
            for each in outcomes
            if each.module == module
        )
        became["mutants"], became["run"] = count, sum(became.values())
        total.update(became)
        rows.append(_row(f"`{module}`", became))
    unexcused = [each.name for each in outcomes if not each.caught and each.name not in reasons]
    excused = [each.name for each in outcomes if not each.caught and each.name in reasons]
    text = "\n".join(
        [
            _HEAD.format(share=100 * total["run"] / max(1, total["mutants"])),
            *rows,
            _row("**all**", total),
            "",
            "## Survived",
            "",
            *([f"- `{name}`" for name in sorted(unexcused)] or ["None of those that were run."]),
            "",
            "## Equivalent",
            "",
            *([f"- `{name}`: {reasons[name]}" for name in sorted(excused)] or ["None."]),
            "",
        ]
    )
    return text, unexcused


def _row(name: str, became: Mapping[str, int]) -> str:
    cells = (became.get(kind, 0) for kind in _KINDS)
    return f"| {name} | " + " | ".join(map(str, cells)) + " |"


_KINDS = ("mutants", "run", "caught", "caught by seeds", "caught by time", "equivalent", "survived")
_HEAD = """# Mutants of the core

`make mutants` changes the gateway core and what custody passes in an adapter in one place at a
time: a branch negated or never executed, a comparison flipped, `and` and `or` swapped, a sign
swapped, a call left out. A mutant is caught where a unit test of the gateway or adapter fails;
where none does, 30 federations of the [simulation](simulation.md) are played.

`make mutants ARGS="--share 10"` runs one mutant in ten, `ARGS="--only transfer.py"` those of a
module, `ARGS=--again` those that survived, too. What was run already is not run again until its
module changes. The command writes this page; `tests/support/mutation/equivalent.txt` states of some
mutants why no test could detect them.

Run so far: {share:.0f} % of all mutants.

| module | mutants | run | caught by tests | by seeds | by time | equivalent | survived |
|---|---|---|---|---|---|---|---|"""
