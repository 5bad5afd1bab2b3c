"""The analyser: one table of examples for each rule, then what must hold for any text."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.index import analyser
from recollect.index.analyser import ANALYSER_VERSION, analyse, query_terms
from recollect.storage.dialects.protocol import TOKEN_CHARACTERS
from recollect.vocabulary.stopwords import STOP_WORDS

# --- Examples, rule by rule -----------------------------------------------------------------------

WORDS = {
    "": "",
    " \t\n ": "",
    "...!? -- //": "",
    "Hello, World!": "hello world",
    "done. (done) [done] *done* done?!": "done done done done done",
    "running runs": "run run",
    "the the cat": "the the cat",
    "wait...what a--b": "wait what a b",
    "ptr->field key=value": "ptr field key valu",
    "word\u2014word \u201cquoted\u201d": "word word quot",
    "fun 🎉🎉 time": "fun time",
    "soft\u00adhyphen": "softhyphen",
}
APOSTROPHES = {
    "Caroline's": "carolin",
    "Caroline\u2019s": "carolin",
    "the dogs' bowls": "the dog bowl",
    "don't DON'T don\u2019t dont": "dont dont dont dont",
    "I'm we'll they've you're he'd": "i we they you he",
    "O'Brien": "o brien",
    "d['key'] f'hello'": "d key f hello",
}
ABBREVIATIONS = {
    "e.g. this": "eg this",
    "U.S.A. USA": "usa usa",
    "9 a.m.": "9 am",
}
ACCENTS = {
    "café CAFÉ cafe\u0301 cafe": "cafe cafe cafe cafe",
    "Straße strasse": "strass strass",
    "Łódź Ørsted": "lodz orst",
    "ｆｕｌｌ": "full",
    "ﬁle": "file",
}
IDENTIFIERS = {
    "getUserName": "getusername getusernam get user name",
    "get_user_name": "get_user_name get user name",
    "get-user-name": "get-user-name get user name",
    "HTTPServerError": "httpservererror http server error",
    "YouTube youtube": "youtube youtub you tube youtub",
    "userIDs URLs": "userids userid user id url",
    "user_id": "user_id user id",
    "_private __init__": "privat init",
    "std::vector<int>": "std.vector std vector int",
    "os.path.joinAll()": "os.path.joinall os path joinall joinal join all",
    "--dry-run": "dry-run dri run",
    "C++ C# i++": "cpp c# i",
}
PATHS = {
    "src/auth/login.ts": "src/auth/login.ts src auth login.ts login ts",
    "(src/auth/login.ts:42).": "src/auth/login.ts src auth login.ts login ts 42",
    "./src/a.py /src/a.py": "src/a.py src a.py a py src/a.py src a.py a py",
    "src\\auth\\x.cs": "src/auth/x.cs src auth x.cs x cs",
    "app/.env": "app/.env app env",
    "https://example.com/a/b?q=1": "example.com/a/b example.com exampl com a b q 1",
    "jane.doe@example.com": ("jane.doe@example.com jane.doe jane doe example.com exampl com"),
    "@types/node": "types/node type node",
}
NUMBERS = {
    "sha256 0x1f 0x1F utf8": "sha256 0x1f 0x1f utf8",
    "v2.1.0": "v2.1.0 2.1.0",
    "python3.11": "python3.11 3.11 python",
    "v2.1.0-beta": "v2.1.0-beta v2.1.0 2.1.0 beta",
    "#1234 mem0#99": "#1234 1234 mem0 #99 99",
    "$1,000 10,000,000": "1000 10000000",
    "3.14 192.168.0.1": "3.14 192.168.0.1",
    "2023-05-08 10:30": "2023-05-08 2023 05 08 10 30",
    "٢٠٢٣ १२३": "2023 123",
}
LANGUAGES = {
    "l'école mangées": "l ecol mange",
    "Bücher über Müller": "bucher uber muller",
    "школа школу ещё еще": "школ школ ещ ещ",
    "σχολεία ΣΧΟΛΕΊΟ": "σχολει σχολει",
    "المَدرسة مدرسة": "مدرس مدرس",
    "किताबें किताब": "किताब किताब",
    "我爱北京": "我 我爱 爱 爱北 北 北京 京",
    "Python的": "python 的",
    "价格3.5元，版本v2.1.0": "价 价格 格 3.5 元 版 版本 本 v2.1.0 2.1.0",
    "是.我": "是 是我 我",
    "文档/a.md": "文档/a.md 文 文档 档 a.md a md",
    "בֵּית־סֵפֶר": "בית ספר",
    "東京タワー": "東 東京 京 京タ タ タワ ワ ワー ー",
    "ﾀﾜｰ": "タ タワ ワ ワー ー",
    "สวัสดี": "ส สวั วั วัส ส สดี ดี",
    "학교에서": "학교에서 학 학교 교 교에 에 에서 서",
    "학교": "학 학교 교",
}
TABLES = {
    **WORDS,
    **APOSTROPHES,
    **ABBREVIATIONS,
    **ACCENTS,
    **IDENTIFIERS,
    **PATHS,
    **NUMBERS,
    **LANGUAGES,
}


@pytest.mark.parametrize(("text", "tokens"), TABLES.items())
def test_examples(text: str, tokens: str) -> None:
    assert analyse(text) == tokens.split()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("login", "see src/auth/login.ts"),
        ("login.ts", "see src/auth/login.ts"),
        ("src/auth/login.ts", "(src/auth/login.ts)."),
        ("getUserName", "call getUserName()"),
        ("getusername", "call getUserName()"),
        ("iphone", "my iPhone"),
        ("2.1.0", "released v2.1.0."),
        ("1234", "fixes #1234"),
        ("usa", "in the U.S.A."),
        ("example.com", "https://example.com/a"),
        ("cafe", "Café"),
        ("friend", "Caroline's friends"),
        ("école", "à l\u2019école"),
        ("Bücher", "viele Bücher"),
        ("школа", "в школу"),
        ("苹果", "我喜欢吃苹果。"),
        ("果", "我喜欢吃苹果。"),
        ("京都", "昨日は京都に行きました"),
        ("ครับ", "สวัสดีครับ"),
        ("ບ້ານ", "ຢູ່ບ້ານ"),
        ("ខ្មែរ", "ភាសាខ្មែរ"),
        ("မြန်မာ", "မြန်မာစာ"),
        ("학교", "학교에서 공부했다"),
        ("집", "집에 갔다"),
        ("مدرسة", "المدرسة الكبيرة"),
        ("किताब", "मेरी किताबें"),
    ],
)
def test_every_term_of_the_query_is_in_the_text(query: str, text: str) -> None:
    terms = query_terms(query)
    assert terms
    assert set(terms) <= set(analyse(text))


def test_spellings_of_one_identifier_meet_in_their_parts() -> None:
    spellings = ["getUserName", "GetUserName", "get_user_name", "get-user-name", "get user name"]
    assert all({"get", "user", "name"} <= set(query_terms(spelling)) for spelling in spellings)


# --- Queries --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("", ""),
        ("?! ()", ""),
        ("who is it", "who is it"),
        ("When did Caroline go to the group?", "carolin go group"),
        ("what's happening, don't you know", "happen know"),
        ("Does Jane Doe know?", "jane doe know"),
        ("in May with Will from the US", "may will us"),
        ("cat cats cat", "cat"),
        ("我", "我"),
        ("我爱北京", "我爱 爱北 北京"),
        ("학교에서", "학교에서 학교 교에 에서"),
        ("집", "집"),
        ("getUserName", "getusername getusernam get user name"),
        ('AND ( NEAR "x* ^y', "near x y"),
    ],
)
def test_query_terms(query: str, terms: str) -> None:
    assert query_terms(query) == terms.split()


def test_stop_words_are_their_own_tokens() -> None:
    assert all(analyse(word) == [word] for word in STOP_WORDS)


# --- Bounds ---------------------------------------------------------------------------------------


def test_limit() -> None:
    assert analyse("a b c", limit=2) == ["a", "b"]
    assert analyse("a b c", limit=0) == analyse("a b c", limit=-1) == []
    ideographs = "".join(chr(0x4E00 + number % 19_000) for number in range(100_000))
    assert len(analyse(ideographs)) == 20_000
    assert len(analyse(" ".join(f"word{number}" for number in range(100_000)))) == 20_000


@pytest.mark.parametrize("repeated", ["字", "word ", "snake_case_", "a.b/c-", "camelCase", "é ï "])
def test_a_long_repetition_gives_the_words_that_a_shorter_one_does(repeated: str) -> None:
    long = analyse(f"harbour {repeated * 50_000} zebra")

    assert set(long) == set(analyse(f"harbour {repeated * 500} zebra"))


def test_long_words_are_cut_and_long_wholes_dropped() -> None:
    assert analyse("x" * 100) == ["x" * 64]
    assert analyse(f"{'a' * 40}/{'b' * 40}") == ["a" * 40, "b" * 40]
    assert analyse(f"{'a' * 40}{'B' * 40}") == ["a" * 40, "b" * 40]
    assert analyse("ß" * 64) == ["s" * 64]


def test_runs_of_marks_are_read_in_linear_time() -> None:
    assert analyse("a" + "\u0301\u0323" * 500_000 + "b") == ["a", "b"]


def test_cache_stays_bounded() -> None:
    words = [f"w{number}" for number in range(40_000)]
    for start in range(0, len(words), 2_000):
        part = words[start : start + 2_000]
        assert analyse(" ".join(part)) == part
    assert len(analyser._index_words) <= analyser._CACHE_CAPACITY


def test_threads_agree() -> None:
    texts = [f"running{letter}s школу{letter} getUserName{letter}" for letter in "abcdefgh"] * 50
    expected = [analyse(text) for text in texts]
    analyser._index_words.clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyse, texts)) == expected


def test_version_and_token_characters() -> None:
    assert ANALYSER_VERSION == 2
    assert TOKEN_CHARACTERS.isascii()
    assert not set(TOKEN_CHARACTERS) & set("\"'*():^~\\{}+ \t\n")


# --- What holds for any text ----------------------------------------------------------------------

FRAGMENTS = [*TABLES, *STOP_WORDS, *"./_-@#+'\":,\\ ", "::", "n't", "://", "AND", "\ud800", "\x00"]
ANY_TEXT = st.text(st.characters()) | st.lists(
    st.sampled_from(FRAGMENTS) | st.text(st.characters(), max_size=5), max_size=12
).map("".join)
PLAIN_WORD = st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=1, max_size=30)
EDGES = st.text('.,;:!?"()[]{}*` ', max_size=5)


@given(ANY_TEXT)
@settings(max_examples=500, deadline=None)
def test_tokens_are_clean(text: str) -> None:
    for token in {*analyse(text), *query_terms(text)}:
        assert 0 < len(token) <= 64
        assert len(token.split()) == 1
        assert token == token.split()[0]
        assert token.encode("utf-8")
        kept = [c for c in token if c.isascii() and not (c.islower() or c.isdigit())]
        assert set(kept) <= set(TOKEN_CHARACTERS)
        assert token[0] not in "-./@_"
        assert token[-1] not in "-./@_"


@given(ANY_TEXT)
@settings(max_examples=500, deadline=None)
def test_a_text_finds_itself(text: str) -> None:
    tokens = analyse(text)
    terms = query_terms(text)
    assert set(terms) <= set(tokens)
    assert len(terms) == len(set(terms))
    assert bool(terms) == bool(tokens)


@given(st.lists(st.tuples(EDGES, PLAIN_WORD, EDGES), min_size=1, max_size=8))
@settings(deadline=None)
def test_any_word_of_a_text_is_found_in_it(pieces: list[tuple[str, str, str]]) -> None:
    tokens = set(analyse(" ".join(before + word + after for before, word, after in pieces)))
    for _, word, _ in pieces:
        assert set(query_terms(word)) <= tokens


@given(ANY_TEXT)
@settings(deadline=None)
def test_cached_and_uncached_agree(text: str) -> None:
    analyser._index_words.clear()
    assert analyse(text) == analyse(text)


# --- FTS5 keeps the tokens as they are ------------------------------------------------------------


@contextmanager
def full_text() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE words USING fts5"
            f"""(tokens, tokenize = "ascii tokenchars '{TOKEN_CHARACTERS}'")"""
        )
        connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'instance')")
        yield connection


def assert_kept(connection: sqlite3.Connection, text: str) -> None:
    tokens = analyse(text)
    connection.execute("DELETE FROM words")
    connection.execute("INSERT INTO words VALUES (?)", (" ".join(tokens),))
    rows = connection.execute("SELECT term FROM vocabulary ORDER BY offset").fetchall()
    assert [term for (term,) in rows] == tokens
    for term in {*tokens, *query_terms(text)}:
        found = connection.execute("SELECT 1 FROM words WHERE words MATCH ?", (f'"{term}"',))
        assert found.fetchall() == [(1,)]


def test_fts5_keeps_every_example() -> None:
    with full_text() as connection:
        for text in [*TABLES, " ".join(TABLES)]:
            assert_kept(connection, text)


def test_fts5_keeps_any_text() -> None:
    with full_text() as connection:

        @given(ANY_TEXT)
        @settings(max_examples=200, deadline=None)
        def check(text: str) -> None:
            assert_kept(connection, text)

        check()


def test_text_of_many_long_words_gives_as_many_tokens_as_a_database_takes() -> None:
    words = [f"{number:064x}" for number in range(20_000)]
    found = analyse(" ".join(words))
    assert found == words[: len(found)]
    assert 10_000 < len(found) < 20_000
