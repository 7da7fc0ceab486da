"""Generated values, filters and notifications; small pools, so that things meet."""

from eventservices.siena import Constraint, Filter, Op, Value
from hypothesis import strategies as st

POOL: list[Value] = [
    "", "a", "b", "ab", "aba", "abc", "abz", "ba", "z", "ä", b"", b"a", b"ab", b"b",
    -1, 0, 1, 2, 2**53, 2**53 + 1, -0.5, 0.0, 1.0, 1.5, 2.0, float(2**53), float("inf"),
    float("-inf"), True, False,
]  # fmt: skip
VALUES: list[Value] = [*POOL, "abzz", "aa", "bb", b"ba", 3, -2.5, float("nan")]

names = st.sampled_from(["a", "b", "c"])
operands = st.sampled_from(POOL)


def constraint(name: str, op: Op, operand: Value) -> Constraint:
    return Constraint(name, op, None if op is Op.ANY else operand)


constraints = st.builds(constraint, names, st.sampled_from(list(Op)), operands)
filters = st.lists(constraints, max_size=4).map(lambda each: Filter(tuple(each)))
notifications = st.dictionaries(names, st.sampled_from(VALUES), max_size=3)

any_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_/.]{0,10}", fullmatch=True)
any_values: st.SearchStrategy[Value] = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.binary(),
)
any_filters = st.lists(
    st.builds(constraint, any_names, st.sampled_from(list(Op)), any_values), max_size=5
).map(lambda each: Filter(tuple(each)))
