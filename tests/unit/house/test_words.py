"""Documentation and docstrings use the words of the glossary, and none that it bans."""

from pathlib import Path

import pytest
from support.house.words import (
    HISTORY,
    ROOT,
    all_uses,
    allowed_phrases,
    banned,
    pages,
    pattern,
    read_baseline,
    sources,
    uses,
)

WORDS = pattern(banned(), allowed_phrases())


def test_no_text_uses_a_banned_word_beyond_what_was_not_rewritten_yet() -> None:
    """A file that the baseline does not name has none; see docs/glossary.md for what to use."""
    allowed = read_baseline()
    worse = {
        path: (allowed.get(path, 0), [f"{use.line}: {use.word}" for use in found])
        for path, found in all_uses().items()
        if len(found) > allowed.get(path, 0)
    }
    assert worse == {}, "`cd tests; python -m support.house.words` lists the uses"


def test_the_baseline_names_files_that_are_there() -> None:
    assert [path for path in read_baseline() if not (ROOT / path).is_file()] == []


def test_every_page_but_history_and_every_source_is_read() -> None:
    read = {str(path.relative_to(ROOT)) for path in [*pages(), *sources()]}
    assert {"README.md", "CHANGELOG.md", "docs/protocol.md", "docs/adapters/cns.md"} <= read
    assert not any(path.startswith(HISTORY) for path in read)
    assert len(sources()) > 800


def test_pages_that_were_rewritten_are_not_in_the_baseline() -> None:
    assert {"README.md", "docs/architecture.md"} & set(read_baseline()) == set()


@pytest.mark.parametrize("word", sorted(banned()))
def test_each_banned_word_is_found_in_a_page_and_in_a_docstring(word: str, tmp_path: Path) -> None:
    page, module = tmp_path / "page.md", tmp_path / "module.py"
    page.write_text(f"A gateway\n{word.capitalize()} what `{word}` does.\n")
    module.write_text(f'def run() -> None:\n    """Return what\n    they {word} there."""\n')
    assert [(use.line, use.word.lower()) for use in uses(page, WORDS, tmp_path)] == [(2, word)]
    assert [(use.line, use.word) for use in uses(module, WORDS, tmp_path)] == [(3, word)]


def test_comments_help_texts_and_parts_of_messages_are_texts(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import argparse  # takes long\n"
        'parser.add_argument("--take", help="what to hear")\n'
        'raise ValueError(f"{taken} was told twice")\n'
    )
    assert [use.word for use in uses(module, WORDS, tmp_path)] == ["takes", "hear", "told"]


def test_code_names_hyphens_and_allowed_phrases_are_not_uses(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "A one-way link is no longer hand-held: [x](docs/way.md), `take()`, a question mark.\n"
        "```\nsay hello\n```\nA threshold, a standard, a request.\n"
    )
    assert uses(page, WORDS, tmp_path) == []


def test_the_names_that_a_docstring_lists_are_code_and_their_descriptions_are_not(
    tmp_path: Path,
) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        'def run() -> None:  # a `way` of it\n    """Run.\n\n    told: a note.\n\n    Args:\n'
        "        take, give: What it said.\n            hold: more.\n\n"
        '    Raises:\n        way: Never.\n    """\n'
    )
    assert [(use.line, use.word) for use in uses(module, WORDS, tmp_path)] == [
        (4, "told"),
        (7, "said"),
        (8, "hold"),
        (11, "way"),
    ]


def test_every_word_that_is_banned_has_a_replacement_that_is_not() -> None:
    for word, instead in banned().items():
        assert instead
        assert not any(hit["banned"] for hit in WORDS.finditer(instead)), word
