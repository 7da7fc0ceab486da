import re
from pathlib import Path

from fes.filter import canonical, parse

PAGE = Path(__file__).parents[3] / "docs/filters.md"


def test_every_filter_on_the_page_about_filters_is_one() -> None:
    page = PAGE.read_text("utf-8")
    blocks = re.findall(r"```filter\n(.*?)```", page, re.DOTALL)
    filters = [line for block in blocks for line in block.splitlines()]
    assert len(filters) >= 6
    assert all(canonical(parse(text)) for text in filters)
