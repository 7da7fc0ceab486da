"""One page of HTML: the tables beside the thesis's, the figures, the verdict."""

from pathlib import Path
from typing import Final

from jinja2 import Environment
from markupsafe import Markup

from active_badge.plots import plot, points
from active_badge.published import (
    BUSES,
    NOTIFYING_MS,
    SOURCES,
    SUBSCRIBING_MS,
    UNSUBSCRIBING_MS,
    Way,
)
from active_badge.timings import Spread, Timings
from active_badge.verdict import Verdict

PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Active badges: {{ word }}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: .2em .8em; text-align: right }
td:first-child, th:first-child { text-align: left } tr { border-bottom: 1px solid #ddd }
.pass { color: #2a7d2a } .fail { color: #b3261e } svg { margin: .5em; font-size: 11px }
</style></head><body>
<h1>Active badges: <span class="{{ word }}">{{ word }}</span></h1>
{% if verdict.wrongs %}<ul>{% for each in verdict.wrongs[:50] %}<li>{{ each }}</li>{% endfor %}</ul>
{% endif %}
<h2>Tables 1 to 3: events with and without filters</h2>
<p>Counted at the sinks, and by Spark from their logs.</p>
<table><tr><th>sink</th><th>table</th><th>unfiltered</th><th>by Spark</th><th>filtered</th>
<th>by Spark</th><th>published</th><th>decrease</th><th></th></tr>
{% for row in verdict.counts %}<tr><td>{{ row.sink }}</td><td>{{ row.table }}</td>
<td>{{ row.unfiltered }}</td><td>{{ row.logged_unfiltered }}</td><td>{{ row.filtered }}</td>
<td>{{ row.logged_filtered }}</td><td>{{ row.published }}</td><td>{{ row.decrease }}</td>
<td class="{{ 'pass' if row.is_right else 'fail' }}">
{{ 'same' if row.is_right else 'differs' }}</td></tr>{% endfor %}</table>
<h2>Tables 4 to 8: times</h2>
<p>Milliseconds; the thesis measured CORBA on two kinds of workstations, this is one machine, so
that only shapes compare.</p>
<table><tr><th>operation</th><th>table</th><th>thesis</th><th>median</th><th>least</th><th>most</th>
<th>times</th><th>ratio</th></tr>
{% for row in verdict.times %}<tr><td>{{ row.what }}</td><td>{{ row.table }}</td>
<td>{{ row.published_ms }}</td>
{% if row.measured %}<td>{{ '%.2f' | format(row.measured.median) }}</td>
<td>{{ '%.2f' | format(row.measured.least) }}</td><td>{{ '%.2f' | format(row.measured.most) }}</td>
<td>{{ row.measured.times }}</td><td>{{ '%.0f' | format(row.ratio) }}</td>
{% else %}<td colspan="5">not measured</td>{% endif %}</tr>{% endfor %}</table>
<h2>Figures 21 to 23</h2>
{% for each in plots %}{{ each }}{% endfor %}
<h2>Figures of the run</h2>
<table>{% for name, value in verdict.figures.items() %}<tr><td>{{ name }}</td><td>{{ value }}</td>
</tr>{% endfor %}</table>
</body></html>
"""


def write_report(path: Path, verdict: Verdict, timings: Timings) -> None:
    """Write the page."""
    template = Environment(autoescape=True).from_string(PAGE)
    word = "pass" if verdict.passed else "fail"
    drawn = [Markup(each) for each in _plots(timings)]  # noqa: S704 - drawn from numbers
    path.write_text(template.render(verdict=verdict, word=word, plots=drawn), "utf-8")


def _plots(timings: Timings) -> list[str]:
    found = []
    for title, axis, numbers, published, measured in (
        ("21: subscribing", "sources", SOURCES, SUBSCRIBING_MS, timings.subscribing),
        ("22: unsubscribing", "sources", SOURCES, UNSUBSCRIBING_MS, timings.unsubscribing),
        ("23: from source to sinks", "buses", BUSES, NOTIFYING_MS, timings.notifying),
    ):
        theirs = {
            way: [(float(x), y) for x, y in zip(numbers, times, strict=True)]
            for way, times in published.items()
        }
        ours = {way: points(_of(way, measured)) for way in published}
        found.append(plot(f"Figure {title}, thesis", axis, _named(theirs), "ms"))
        if all(ours.values()):
            found.append(plot(f"Figure {title}, here", axis, _named(ours), "ms"))
    return found


def _of(way: Way, measured: dict[tuple[Way, int], Spread]) -> dict[int, Spread]:
    return {number: spread for (other, number), spread in measured.items() if other == way}


def _named(lines: dict[Way, list[tuple[float, float]]]) -> dict[str, list[tuple[float, float]]]:
    return {str(way): line for way, line in lines.items()}
