"""The words of `docs/glossary.md`, and where the house's texts still use the words it bans.

    python -m support.house.words              list every use that exceeds the baseline
    python -m support.house.words --all PATH   list every use in files whose path contains PATH
    python -m support.house.words --shrink     lower the baseline to what is found; it never grows
    python -m support.house.words --accept     fit the baseline to what is found, after a merge of
                                               work that began before; a reviewer sees it grow

A text is a page of documentation, or a docstring, a comment, or a string of several words (a help
text, a message, a schema's description) of a source file. Code does not count: in backticks, in
blocks of a page, and the names of parameters and attributes that a docstring lists.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
GLOSSARY = ROOT / "docs/glossary.md"
BASELINE = ROOT / "tests/unit/house/words_baseline.txt"
HISTORY = ("docs/adr/", "docs/glossary.md")
"""Records of decisions are not rewritten; the glossary has to name what it bans."""

_ROW = re.compile(r"^\| (?P<banned>[^|]+) \| (?P<instead>[^|]+) \|$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_TARGET = re.compile(r"\]\([^)]*\)")
_FIELD = re.compile(r"\{[^{}]*\}")
_SECTION = re.compile(r"^( *)(?:Args|Attributes):\n(?:\1 +.*\n)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a banned word.

    Attributes:
        path: File, from the root of the repository.
        line: Counted from 1.
        word: As it is written.
        text: The line or text around it.
    """

    path: str
    line: int
    word: str
    text: str


def banned(page: str | None = None) -> dict[str, str]:
    """Return each banned word, and what to use instead, as the glossary's second table has them.

    Args:
        page: The glossary; the house's own where left out.
    """
    text = GLOSSARY.read_text("utf-8") if page is None else page
    table = text.partition("## Banned words\n")[2].partition("\nAllowed phrases")[0]
    found: dict[str, str] = {}
    for row in _ROW.finditer(table):
        for word in re.findall(r"`([^`]+)`", row["banned"]):
            found[word] = row["instead"].strip()
    return found


def allowed_phrases(page: str | None = None) -> list[str]:
    """Return the phrases in which banned words mean something else."""
    text = GLOSSARY.read_text("utf-8") if page is None else page
    return re.findall(r"`([^`]+)`", text.partition("\nAllowed phrases")[2])


def pattern(words: Iterable[str], allowed: Iterable[str] = ()) -> re.Pattern[str]:
    """Return what finds whole words, in any case; words joined by a hyphen are other words.

    Args:
        words: Words and phrases that are found.
        allowed: Phrases inside which they are not.
    """
    return re.compile(
        rf"(?<![\w-])(?:(?:{_either(allowed)})|(?P<banned>{_either(words)}))(?![\w-])",
        re.IGNORECASE,
    )


def _either(phrases: Iterable[str]) -> str:
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in longest_first) or r"\b\B"


def pages(root: Path = ROOT) -> list[Path]:
    """Return the pages of documentation, but history and the glossary itself."""
    nested = [
        page
        for folder in ("docs", "libs", "services", "scenarios", "benchmarks", "examples")
        for page in (root / folder).rglob("*.md")
    ]
    found = sorted([*root.glob("*.md"), *nested])
    return [page for page in found if not str(page.relative_to(root)).startswith(HISTORY)]


def sources(root: Path = ROOT) -> list[Path]:
    """Return the source files of all packages."""
    return sorted(
        path
        for folder in ("libs", "services", "scenarios")
        for path in root.glob(f"{folder}/*/src/**/*.py")
    )


def uses(path: Path, words: re.Pattern[str], root: Path = ROOT) -> list[Use]:
    """Return the uses of banned words in a page or a source file, in order of lines."""
    text = path.read_text("utf-8")
    texts = _of_page(text) if path.suffix == ".md" else _of_source(text)
    name = str(path.relative_to(root))
    found = [
        Use(
            name,
            line + part.count("\n", 0, hit.start()),
            " ".join(hit[0].split()),
            _around(part, hit),
        )
        for line, part in texts
        for hit in words.finditer(part)
        if hit["banned"]
    ]
    return sorted(found, key=lambda use: (use.line, use.word))


def read_baseline() -> dict[str, int]:
    """Return how many uses each file may have that was not rewritten yet."""
    lines = BASELINE.read_text("utf-8").splitlines()
    rows = (line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
    return {path: int(count) for path, count in rows}


def all_uses(root: Path = ROOT) -> dict[str, list[Use]]:
    """Return the uses of every file that has any."""
    words = pattern(banned(), allowed_phrases())
    found = {
        str(path.relative_to(root)): uses(path, words, root)
        for path in [*pages(root), *sources(root)]
    }
    return {path: each for path, each in found.items() if each}


def _of_page(text: str) -> Iterator[tuple[int, str]]:
    for code in (_FENCE, _CODE, _TARGET):
        text = code.sub(_blank, text)
    yield 1, text


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _of_source(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], _CODE.sub(_blank, token.string)
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            text = _SECTION.sub(_without_names, node.value)
            yield node.lineno, _CODE.sub(_blank, _FIELD.sub(_blank, text))


def _without_names(section: re.Match[str]) -> str:
    names = re.compile(rf"^{section[1]} {{4}}\w+(?:, \w+)*(?=:)", re.MULTILINE)
    return names.sub(_blank, section[0])


def _use(path: str, line: int, text: str, hit: re.Match[str]) -> Use:
    line += text.count("\n", 0, hit.start())
    return Use(path, line, " ".join(hit[0].split()), _around(text, hit))


def _around(text: str, hit: re.Match[str]) -> str:
    start = text.rfind("\n", 0, hit.start()) + 1
    end = text.find("\n", hit.end())
    return text[start : None if end < 0 else end].strip()


def _write(counts: Mapping[str, int]) -> None:
    head = [
        "# Uses of banned words in files that were not rewritten yet (docs/glossary.md).",
        "# They may become fewer, never more: `cd tests; python -m support.house.words --shrink`.",
    ]
    rows = [f"{path} {count}" for path, count in sorted(counts.items()) if count]
    BASELINE.write_text("\n".join([*head, *rows]) + "\n", "utf-8")


def main(arguments: list[str] | None = None) -> int:
    """List uses of banned words, or lower the baseline; the status is 1 where one is too many."""
    parser = argparse.ArgumentParser(prog="support.house.words", description=__doc__)
    parser.add_argument("--all", metavar="PATH", help="every use in files with this in their path")
    parser.add_argument("--shrink", action="store_true", help="lower the baseline")
    parser.add_argument("--accept", action="store_true", help="fit the baseline, after a merge")
    options = parser.parse_args(arguments)
    found = all_uses()
    allowed = read_baseline() if BASELINE.is_file() else {}
    if options.shrink:
        _write({path: min(len(found.get(path, ())), most) for path, most in allowed.items()})
    if options.accept:
        _write({path: len(each) for path, each in found.items()})
    if options.shrink or options.accept:
        return 0
    shown = 0
    for path, each in found.items():
        wanted = options.all in path if options.all else len(each) > allowed.get(path, 0)
        for use in each if wanted else ():
            shown += 1
            sys.stdout.write(f"{use.path}:{use.line}: {use.word}: {use.text}\n")
    return int(shown > 0)


if __name__ == "__main__":
    raise SystemExit(main())
