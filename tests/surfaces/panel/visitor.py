"""Somebody at a browser without scripts: keeps cookies, follows redirects, presses buttons."""

import http.client
import re
from collections.abc import Mapping
from html import unescape
from typing import NamedTuple
from urllib.parse import urlencode

_TOKEN = re.compile(r'name="form_token" value="([^"]{10,200})"')
_TAG = re.compile(r"<[^>]{0,2000}>")


class PageGot(NamedTuple):
    """What a page request was answered with."""

    status: int
    headers: list[tuple[str, str]]
    body: str
    path: str

    def header(self, name: str) -> str:
        """One header, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def cookies(self) -> list[str]:
        """Every cookie that was set, as it was set."""
        return [value for key, value in self.headers if key.lower() == "set-cookie"]

    @property
    def text(self) -> str:
        """The words on the page."""
        return " ".join(unescape(_TAG.sub(" ", self.body)).split())


class Visitor:
    """One browser."""

    def __init__(self, port: int, *, host: str | None = None, language: str = "en") -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self._host = host
        self._language = language
        self._form_token = ""

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> PageGot:
        """Load a page, following where it sends the browser."""
        return self._follow(self._ask("GET", path, None, headers or {}))

    def press(self, path: str, /, follow: bool = True, **fields: str | list[str]) -> PageGot:
        """Send a form of a page that was loaded before."""
        if not self._form_token:
            self.get("/")
        pairs = {"form_token": self._form_token, **fields}
        return self.send(path, urlencode(pairs, doseq=True).encode(), follow=follow)

    def send(
        self,
        path: str,
        body: bytes,
        *,
        kind: str = "application/x-www-form-urlencoded",
        follow: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> PageGot:
        """Send a body of one's own."""
        sent = {"Content-Type": kind, **(headers or {})}
        got = self._ask("POST", path, body, sent)
        return self._follow(got) if follow else got

    def _follow(self, got: PageGot) -> PageGot:
        for _ in range(5):
            if got.status not in (302, 303, 307):
                break
            got = self._ask("GET", got.header("location"), None, {})
        found = _TOKEN.search(got.body)
        if found:
            self._form_token = unescape(found.group(1))
        return got

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> PageGot:
        sent = {"Accept-Language": self._language, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self._host is not None:
            sent["Host"] = self._host
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            got = PageGot(
                answer.status, answer.getheaders(), answer.read().decode("utf-8", "replace"), path
            )
        finally:
            connection.close()
        for cookie in got.cookies:
            name, _, rest = cookie.partition("=")
            value = rest.split(";")[0]
            if "Max-Age=0" in cookie:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return got
