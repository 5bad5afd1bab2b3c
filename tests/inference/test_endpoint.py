"""What a server said, read from its own words, and its address."""

import pytest

from recollect.inference.endpoint import JsonEndpoint, Reply


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no\\n  such model"}}', "no such model"),
        (b'{"error": "no such model"}', "no such model"),
        (b'{"message": "no such model"}', "no such model"),
        (b'{"detail": [{"msg": "field"}]}', '[{"msg": "field"}]'),
        (b"{}", ""),
        (b"<html>\n gone", "<html> gone"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"x" * 1_000, "x" * 200),
    ],
)
def test_what_a_server_said_is_one_short_line(body: bytes, said: str) -> None:
    assert JsonEndpoint("http://127.0.0.1/v1/").quoted(Reply(400, body)) == said


def test_the_address_has_no_slash_at_its_end() -> None:
    assert JsonEndpoint(" http://127.0.0.1:8080/v1/ ").address == "http://127.0.0.1:8080/v1"
