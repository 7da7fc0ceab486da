"""The file of a naming server is read as the thesis has it."""

import pytest
from fes_naming import LinksError
from fes_naming.links import parse_links

THESIS = """#STATIC LINK FILE
#Tue Aug 17 21:18:43 GMT+00:00 1999
***THIS_DOMAIN_IS***=ie.tcd.
ie.=sun28.cs.tcd.ie
ie.tcd.cs.=sun29.cs.tcd.ie
ie.tcd.dsg.=woodward.cs.tcd.ie
"""


def test_the_thesis_s_file_is_read_as_it_stands() -> None:
    links = parse_links(THESIS)
    assert links.domain == "ie.tcd."
    assert links.parent == "sun28.cs.tcd.ie"
    assert links.route("ie.tcd.cs.ActiveBadge") == ("sun29.cs.tcd.ie",)
    assert links.route("ie.tcd.cs.deep.Name") == ("sun29.cs.tcd.ie",)
    assert links.route("ie.tcd.newmail") == ()
    assert links.route("uk.Name") == ("sun28.cs.tcd.ie",)
    assert links.route("ie.Name") == ("sun28.cs.tcd.ie",)


def test_a_static_link_is_a_short_cut_with_the_parent_after_it() -> None:
    links = parse_links(THESIS + "uk.cam.=badge.cam.uk\n")
    assert links.route("uk.cam.lab.Name") == ("badge.cam.uk", "sun28.cs.tcd.ie")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ie.=a", "no line"),
        ("***THIS_DOMAIN_IS***=ie", "dot"),
        (THESIS + "ie.=b", "7: domain 'ie.'"),
        (THESIS + "nonsense", "7: expected"),
        (THESIS + "uk.=a b", "7: 'a b'"),
        (THESIS + "***THIS_DOMAIN_IS***=uk.", "7: the own domain"),
        (THESIS + "ie.tcd.=a", "own domain"),
    ],
)
def test_a_bad_line_is_named(text: str, reason: str) -> None:
    with pytest.raises(LinksError, match=reason):
        parse_links(text)
