"""An edited Markdown export loses nothing silently: what is no memory and no message is named."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.memories.markdown_import import MarkdownMemory, UnreadLine, parsed
from tests.stores import StoreMaker

HEAD = "# default\n\nExported 2026-11-19 22:03 UTC.\n"
MARKS = "  <small>confidence 0.80 · user_taught · #x · `src/a.py` · mem_01</small>\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "export.md"
    path.write_text(text, "utf-8")
    return path


def test_an_item_that_somebody_typed_is_a_memory_and_takes_no_others_marks(
    memory: Recollect, tmp_path: Path
) -> None:
    path = written(
        tmp_path,
        f"{HEAD}\n## Gotcha\n\n- The cache is stale.  \n- Typed by hand,\n  in two lines\n{MARKS}"
        "\n## Decision\n\n- We stay on Tuesdays.\n",
    )

    report = memory.import_(path)

    assert (report.read, report.added, report.skipped) == (3, 3, 0)
    kept = {one.content: one for one in memory.list().items}
    assert {content: (one.type.value, one.tags) for content, one in kept.items()} == {
        "The cache is stale.": ("gotcha", ("x",)),
        "Typed by hand,\nin two lines": ("gotcha", ()),
        "We stay on Tuesdays.": ("decision", ()),
    }
    assert kept["The cache is stale."].files == ("src/a.py",)


def test_a_line_that_is_nothing_is_counted_and_named(memory: Recollect, tmp_path: Path) -> None:
    path = written(
        tmp_path,
        f"{HEAD}\n## Fact\n\nsome prose\n- Ports start at 7000  \n{MARKS}{MARKS}"
        "\n## Stream: general\n\n- 2026-11-19 22:03 **ada**: hello there\n"
        "- 2026-11-19 22:03 **ada**: *deleted*\n- hand made\n",
    )

    report = memory.import_(path)

    assert (report.read, report.added, report.skipped) == (5, 2, 3)
    assert report.problems == (
        "line 7: 'some prose' is neither an item nor the rest of one",
        f"line 10: {MARKS[:60]!r} has no item above it",
        "line 16: '- hand made' is no message",
    )


def test_a_list_of_ones_own_can_be_imported(memory: Recollect, tmp_path: Path) -> None:
    report = memory.import_(
        written(tmp_path, "# Rules\n- Tabs.\n- Ask first.\n"), format="markdown"
    )

    assert (report.read, report.added, report.skipped) == (2, 2, 0)


def test_an_export_comes_back_without_a_word_on_its_form(
    stores: StoreMaker, tmp_path: Path
) -> None:
    origin, goal = stores.open(), stores.open()
    origin.remember("Steps:\n- build\n\n- test\n# not a heading", type="gotcha", tags=["x"])
    origin.record("first line\n- second", stream="general")
    origin.record("after", stream="general")
    path = written(tmp_path, "".join(origin.export("markdown")))

    report = goal.import_(path)

    assert (report.added, report.skipped, report.problems) == (3, 0, ())
    assert [one.content for one in goal.list().items] == [
        "Steps:\n- build\n\n- test\n# not a heading"
    ]


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")),
        max_size=12,
    )
)
def test_every_line_with_words_is_read_or_named(lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        found = list(parsed(written(Path(folder), "\n".join(lines))))
    heard = "\n".join(
        one.content if isinstance(one, MarkdownMemory) else one.text
        for one in found
        if isinstance(one, MarkdownMemory | UnreadLine)
    )
    for line in "\n".join(lines).split("\n"):
        if not line.startswith(("#", "- ")):
            assert line.strip() in heard
