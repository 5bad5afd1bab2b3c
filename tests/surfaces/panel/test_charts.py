"""Charts keep their proportions and stay inside their frame."""

from datetime import date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect.surfaces.panel.charts import HEIGHT, WIDTH, bar_chart, time_line, treemap
from recollect.vocabulary.overview import DayCount, MemoryCounts, Overview, health_parts

_COUNTS = st.lists(st.integers(0, 10_000), min_size=1, max_size=90)


@given(_COUNTS)
def test_bars_stand_on_the_axis_inside_the_frame(counts: list[int]) -> None:
    first = date(2026, 1, 1)
    days = [DayCount(first + timedelta(days=step), count, 0) for step, count in enumerate(counts)]
    chart = bar_chart(days, counts)
    assert chart.total == sum(counts)
    for bar, count in zip(chart.bars, counts, strict=True):
        assert 0 <= bar.x <= WIDTH
        assert bar.x + bar.width <= WIDTH + 0.1
        assert abs(bar.y + bar.height - HEIGHT) < 0.1
        assert abs(bar.height * chart.most - HEIGHT * count) < 0.1 * max(1, chart.most)


@given(st.lists(st.floats(0.1, 10_000), min_size=1, max_size=60))
def test_a_treemap_gives_each_its_share_of_the_area(sizes: list[float]) -> None:
    tiles = treemap([(str(place), size) for place, size in enumerate(sizes)], 900, 400)
    total = sum(sizes)
    assert len(tiles) == len(sizes)
    for tile in tiles:
        share = sizes[int(tile.name)] / total
        assert abs(tile.width * tile.height - share * 900 * 400) < 30
        assert -0.1 <= tile.x <= 900.1
        assert tile.x + tile.width <= 900.2
        assert tile.y + tile.height <= 400.2


@given(
    st.datetimes(), st.none() | st.timedeltas(timedelta(), timedelta(days=9_000)), st.datetimes()
)
def test_a_time_line_stays_inside_its_frame(
    begins: datetime, lasts: timedelta | None, moment: datetime
) -> None:
    try:
        ends = None if lasts is None else begins + lasts
    except OverflowError:
        return
    line = time_line(begins, ends, moment)
    assert 0 <= line.start <= 400
    assert 0 < line.width <= 400 - line.start
    assert 0 <= line.moment <= 400


def test_a_treemap_of_nothing_is_empty() -> None:
    assert treemap([], 900, 400) == []
    assert treemap([("a", 0.0)], 900, 400) == []


@given(st.integers(1, 1_000).flatmap(lambda total: st.tuples(
    st.just(total), *(st.integers(0, total) for _ in range(6)))))  # fmt: skip
def test_health_is_from_0_to_100(numbers: tuple[int, ...]) -> None:
    total, active, review, stale, disputed, unsure, contradictions = numbers
    counts = MemoryCounts(
        total=total, active=active, needs_review=review, stale=stale, disputed=disputed,
        unsure=unsure, contradictions=contradictions,
    )  # fmt: skip
    parts, score = health_parts(counts), Overview(counts).score
    whole = active == total and not (review or stale or disputed or unsure or contradictions)
    assert 0 <= score <= 100
    assert (score == 100) == whole
    assert 0 <= sum(part.points for part in parts) <= 100.000001
    assert sum(part.most for part in parts) == 100
