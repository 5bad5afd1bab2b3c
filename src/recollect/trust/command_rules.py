"""Passwords in command lines: ``curl -u``, ``sshpass -p``, ``docker login -p``.

A line with such a command is parsed word by word, as a shell does, once. After these options there
can only be a password, so any value is one, unless it refers to one elsewhere (``$PASSWORD``).
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from recollect.trust.secret_values import Secret, holds_any, is_literal, is_random
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.linear_patterns import FoldedText, LinearPattern

KIND: Final = "password of a command"


class _Command(NamedTuple):
    """Options with a password: some words after the option, in the same word, or after a name."""

    apart: Mapping[str, int] = {}
    joined: tuple[str, ...] = ()
    paired: tuple[str, ...] = ()
    sign: str = ":"
    only_after: str = ""
    only_joined: bool = False  # a long option takes its value after an equals sign only


_NONE: Final = _Command()


def _all(names: str, command: _Command) -> dict[str, _Command]:
    return dict.fromkeys(names.split(), command)


_COMMANDS: Final[dict[str, _Command]] = {
    **_all(
        "curl http https xh wget aria2c",
        _Command(paired=("-u", "--user", "-U", "--proxy-user", "-a", "--auth")),
    ),
    "sshpass": _Command({"-p": 1}, joined=("-p",)),
    **_all("ssh scp sftp rsync", _NONE),
    **_all(
        "docker podman helm oras skopeo buildah crane nerdctl az oc cf",
        _Command({"-p": 1}, only_after="login"),
    ),
    **_all(
        "mysql mysqldump mysqladmin mariadb mariadb-dump mycli mysqlimport",
        _Command(joined=("-p",), only_joined=True),
    ),
    **_all("plink pscp psftp putty", _Command({"-pw": 1})),
    **_all("useradd usermod", _Command({"-p": 1})),
    "rclone": _Command({"obscure": 1}),
    "security": _Command({"-w": 1}),
    "gh": _Command({"--body": 1, "-b": 1}, only_after="secret"),
    "nmcli": _Command({"password": 1, "wifi-sec.psk": 1, "802-11-wireless-security.psk": 1}),
    **_all("mongo mongosh mongodump mongorestore cqlsh cypher-shell rdesktop", _Command({"-p": 1})),
    **_all("redis-cli keydb-cli valkey-cli", _Command({"-a": 1})),
    **_all("ldapsearch ldapmodify ldapadd ldapwhoami ldapdelete kadmin", _Command({"-w": 1})),
    **_all("sqlcmd bcp isql osql tsql", _Command({"-P": 1}, joined=("-P",))),
    **_all("zip unzip zipcloak mosquitto_pub mosquitto_sub ipmitool", _Command({"-P": 1})),
    **_all("7z 7za 7zz rar unrar", _Command(joined=("-p",))),
    **_all("smbclient rpcclient smbget smbmap", _Command(paired=("-U", "--user"), sign="%")),
    "ssh-keygen": _Command({"-N": 1, "-P": 1}),
    **_all("xfreerdp wfreerdp cmdkey", _Command(joined=("/p:", "/pass:"))),
    "ansible-vault": _Command({"encrypt_string": 1}),
    **_all("snmpwalk snmpget snmpset snmpbulkwalk snmptrap", _Command({"-A": 1, "-X": 1, "-c": 1})),
    "openssl": _Command({"-k": 1, "-K": 1, "-1": 1, "-5": 1, "-6": 1}, joined=("pass:",)),
    "vault": _Command({"login": 1, "unseal": 1}),
    "rabbitmqctl": _Command({"add_user": 2, "change_password": 2}),
    "htpasswd": _Command({"-b": 3, "-cb": 3, "-bc": 3, "-Bb": 3, "-bB": 3, "-nb": 2, "-nbB": 2}),
}
#: Options that are followed by a password, and commands that take one without.
_OPTIONS: Final = (
    " -u", " -p", " -P", " -a ", " -w ", " -k ", " -N ", " -U", " --user", " --auth", " -S ",
    " -As", "stdin", '"-', "'-",
)  # fmt: skip
_BARE: Final = (
    "net use", "net user", "sqlplus", "expdp", "impdp", "sqlldr", "rabbitmqctl add", "xfreerdp",
    "rclone", "security add", "gh secret", "nmcli", "plink", "pscp", "lftp", "useradd", "usermod",
    "cmdkey", "encrypt_string", "snmpwalk", "snmpget", "snmpset", "snmpbulkwalk", "snmptrap",
)  # fmt: skip
#: The command names to look for, in lower case.
_CALLED: Final = (
    "curl", "wget", "http -", "https -", "xh -", "aria2c", "login", "mysql", "mariadb", "mycli",
    "mongo", "cqlsh", "cypher-shell", "rdesktop", "redis-cli", "keydb-cli", "valkey-cli",
    "ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami", "ldapdelete", "kadmin", "sqlcmd", "bcp ",
    "isql", "osql", "tsql", "zip ", "zipcloak", "mosquitto", "ipmitool", "7z ", "7za ", "rar ",
    "smbclient", "smbget", "smbmap", "rpcclient", "ssh-keygen", "openssl", "sudo -s", "stdin",
    "securestring",
)  # fmt: skip
#: Commands and options that contain a word which is looked for anyway.
_TOLD: Final = (
    "sshpass", "chpasswd", "htpasswd", "vault login", "-pass", "--pwd", "-token", "--token",
    "--secret", "-secret", "--api", "--access", "-key", "-pwd", "storepass", "keypass",
    "/pass", "password=", "--auth", "--bearer",
)  # fmt: skip
_WORD: Final = lazy_pattern(
    r"(?P<option>-{1,2}[A-Za-z][\w-]{0,40}=)?"
    r"(?:\\?\"(?P<double>[^\"\n]{1,400})\"|'(?P<single>[^'\n]{1,400})'"
    r"|(?P<bare>[^\s\"'`|;,\[\]]{1,600}))|(?P<ends>[|;`])"
)
_LONG: Final = lazy_pattern(
    r"(?i)^(?:--?|/)[a-z-]{0,24}"
    r"(?:(?P<password>password|passwd|pass|pwd|passphrase|storepass|keypass)"
    r"|(?P<key>token|secret|secret-string|api-?key|access-?key|secret-?key|private-?key|bearer))$"
)
#: Options whose value sets a variable, and such a value.
_SETTING: Final = frozenset(
    ("--set", "--set-string", "-e", "--env", "--build-arg", "--from-literal", "--extra-vars", "-D")
)
_ASSIGNED: Final = lazy_pattern(
    r"(?i)[\w.-]{0,60}(?:password|passwd|pwd|pass)=(?P<secret>.{3,200})"
)
_PIPED: Final = 120
#: Commands that read a password from standard input.
_ASKING_NEEDS: Final = (
    "chpasswd", "sudo -s", "stdin", "kinit", "cryptsetup", "passphrase-fd", "vncpasswd",
    "smbpasswd", "passwd", "bw unlock", "ssh-add", "keepassxc-cli", "kpcli", "veracrypt",
    "<<<", "base64", "<(echo", "<(printf",
)  # fmt: skip
_ASKING: Final = (
    r"(?:chpasswd|sudo -S|--?[a-z-]{0,12}stdin|\bkinit\b|cryptsetup|passphrase-fd|vncpasswd"
    r"|smbpasswd|\bpasswd\b|bw unlock|ssh-add|keepassxc-cli|kpcli|veracrypt)"
)
#: Commands with a password that no option precedes, and the words that they need.
_OTHERS: Final = (
    (
        _ASKING_NEEDS,
        r"\b(?:echo|printf|yes)[ \t](?:-[neE]{1,3}[ \t])?(?:[\"']?%s(?:\\n)?[\"']?[ \t])?[\"']?"
        r"(?P<secret>[^\s\"'|<>]{3,200})[\"']?"
        rf"[ \t]{{0,3}}(?:;[^\n|;]{{0,80}})?\)?[ \t]{{0,3}}\|[^\n|]{{0,80}}{_ASKING}",
    ),
    (
        ("<<<",),
        rf"(?:{_ASKING}|(?i:pass|\bsu\b|login|auth|token|secret|unlock|ssh))[^\n|]{{0,80}}"
        r"<<<[ \t]?\$?[\"']?(?P<secret>[^\s\"'|<>\\]{3,200})",
    ),
    (
        ("base64",),
        r"\b(?:echo|printf)[ \t](?:-[neE]{1,3}[ \t])?[\"']?[\w.@-]{1,60}:"
        r"(?P<secret>[^\s\"'|<>:]{4,200})[\"']?[ \t]{0,3}\|[ \t]{0,3}(?:base64|openssl)",
    ),
    (
        ("<(echo", "<(printf"),
        r"(?i:key|pass)[\w-]{0,12}[ \t=]<\((?:echo|printf)[ \t](?:-n[ \t])?[\"']?"
        r"(?P<secret>[^\s\"'()]{4,200})",
    ),
    (
        ("net use",),
        r"(?i:net use[ \t](?:[^\s/]\S{0,120}[ \t]){1,2}(?:/user:\S{1,80}[ \t])?)"
        r"(?P<secret>[^\s/\"'][^\s\"']{3,120})",
    ),
    (
        ("lftp",),
        r"\blftp\b[^\n|;]{0,80}?[ \t](?:-u|--user)[ \t=]{0,2}[\w.@-]{1,60},"
        r"(?P<secret>[^\s\"',]{3,200})",
    ),
    (
        ("net user",),
        r"(?i:net user[ \t])[\w.-]{1,60}[ \t](?P<secret>[^\s/\"'][^\s\"']{3,120})[ \t]/",
    ),
    (
        ("securestring",),
        r"(?i:ConvertTo-SecureString[ \t](?:-String[ \t])?)[\"'](?P<secret>[^\"'\n]{3,200})[\"']",
    ),
    (
        ("sqlplus", "expdp", "impdp", "sqlldr"),
        r"\b(?:sqlplus|expdp|impdp|sqlldr)[ \t](?:-[sSlL][ \t]){0,2}[\"']?[\w.$]{1,40}/"
        r"(?P<secret>[^\s@\"'/]{3,120})@",
    ),
)


#: Every word that identifies a command here.
WORDS: Final = (*_BARE, *_CALLED, *_TOLD, *_ASKING_NEEDS)
_ALL: Final = frozenset(WORDS)
_PLAIN: Final = frozenset((*_BARE, *_TOLD, *_ASKING_NEEDS))


def find_commanded(reading: FoldedText, low: str, present: frozenset[str]) -> Iterator[Secret]:
    """Every password given to a command in a text; ``low`` is the text in lower case, ``present``
    the words in it.
    """
    text = reading.text
    called = present & _ALL
    if not called or (_PLAIN.isdisjoint(called) and not holds_any(text, _OPTIONS)):
        return
    for start, end in _lines(text, low, called):
        yield from _read(text[start:end], start)
    for needs, written in _OTHERS:
        if not present.isdisjoint(needs):
            yield from _others(reading, written)


def _lines(text: str, low: str, called: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The lines that name a command."""
    lines: set[tuple[int, int]] = set()
    for name in called:
        at = low.find(name)
        while at >= 0:
            begins = text.rfind("\n", 0, at) + 1
            ends = text.find("\n", at)
            ends = len(text) if ends < 0 else ends
            lines.add((begins, ends))
            at = low.find(name, ends)
    return iter(sorted(lines))


def _others(reading: FoldedText, written: str) -> Iterator[Secret]:
    text = reading.text
    for begins, ends in _compiled(written).spans(reading):
        value = text[begins:ends]
        name, colon, rest = value.partition(":")
        piped = colon and rest and "chpasswd" in text[ends : ends + _PIPED]
        start, value = (begins + len(name) + 1, rest) if piped else (begins, value)
        value = value.removesuffix("\\n")
        if is_literal(value):
            yield Secret(KIND, start, start + len(value))


@cache
def _compiled(written: str) -> LinearPattern:
    return LinearPattern(written, group="secret")


class _Word(NamedTuple):
    """A word of a line without its quotes, and its offset; an option may contain its value."""

    text: str
    start: int
    holds_value: bool = False
    quoted: bool = False


def _read(line: str, start: int) -> Iterator[Secret]:
    """Read one line, command by command."""
    words: list[_Word] = []
    for found in _WORD.finditer(line):
        if found["ends"]:
            yield from _passwords(words)
            words = []
            continue
        if found["option"]:
            words.append(_Word(found["option"][:-1], start + found.start(), holds_value=True))
        group = next(name for name in ("double", "single", "bare") if found[name] is not None)
        text = found[group].removesuffix("\\") if group == "double" else found[group]
        words.append(_Word(text, start + found.start(group), quoted=group != "bare"))
    yield from _passwords(words)


def _passwords(words: list[_Word]) -> Iterator[Secret]:
    """The passwords among the words of one command."""
    command, said = _NONE, False
    for index, word in enumerate(words):
        known = _COMMANDS.get(word.text.rpartition("/")[2])
        if known is not None:
            command, said = known, not known.only_after
            continue
        said = said or word.text == command.only_after
        if index and words[index - 1].text in _SETTING:
            yield from _set(word)
        ahead, judge = _places(word, command if said else _NONE)
        if ahead and index + ahead < len(words):
            value = words[index + ahead]
            if judge(value.text) and not value.text.startswith("-"):
                yield Secret(KIND, value.start, value.start + len(value.text))
        if said:
            following = words[index + 1] if index + 1 < len(words) else None
            yield from _joined(word, following, command)


def _literal(word: _Word) -> Iterator[Secret]:
    if is_literal(word.text):
        yield Secret(KIND, word.start, word.start + len(word.text))


def _set(word: _Word) -> Iterator[Secret]:
    """The password in a word that sets a variable: ``--set database.password=...``."""
    found = _ASSIGNED.match(word.text)
    if found is not None and is_literal(found["secret"]):
        yield Secret(KIND, word.start + found.start("secret"), word.start + found.end("secret"))


def _places(option: _Word, command: _Command) -> tuple[int, Callable[[str], bool]]:
    """How many words after an option its password is (0: nowhere), and how it is judged."""
    long = _LONG.match(option.text)
    if long is not None:
        apart = int(option.holds_value or not command.only_joined)
        return apart, is_literal if long["password"] else is_random
    return command.apart.get(option.text, 0), is_literal


def _joined(word: _Word, following: _Word | None, command: _Command) -> Iterator[Secret]:
    """The passwords in the same word as their option, or after a name and a separator."""
    for option in command.joined:
        beside = following is not None and following.quoted and word.text == option
        if following and beside and following.start == word.start + len(option) + 1:
            yield from _literal(following)  # it is in quotes right after the option
        value = word.text[len(option) :]
        if word.text.startswith(option) and is_literal(value):
            yield Secret(KIND, word.start + len(option), word.start + len(word.text))
    for option in command.paired:
        given = following if word.text == option else None
        if given is None and word.text.startswith(option) and not option.startswith("--"):
            given = _Word(word.text[len(option) :], word.start + len(option))
        name, sign, value = given.text.partition(command.sign) if given else ("", "", "")
        if given and name and sign and is_literal(value):
            yield Secret(KIND, given.start + len(name) + 1, given.start + len(given.text))
