"""Every setting in one table: its name, its default, what it is for.

A setting comes from the call, then the environment (``RECOLLECT_`` and its name in capitals), then
the settings file, then the default. Nothing else in the package reads the environment.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recollect.vocabulary.errors import InvalidSetting
from recollect.vocabulary.files import private_file, private_folder


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name, its default, and what it is for."""

    name: str
    default: str
    help: str
    secret: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"RECOLLECT_{self.name.upper()}"


SETTINGS: Final = (
    Setting(
        "db",
        "",
        "The database: the path of a file, or postgresql://user@host/name. "
        "Empty: memory.db in your data folder. With {tenant} in it, a store for each tenant.",
    ),
    Setting("tenant", "", "The tenant whose store is used, where db is a template with {tenant}."),
    Setting("space", "default", "The space that commands and the Python API work in."),
    Setting("user", "", "Who you are in a space. Empty: the name of your login."),
    Setting(
        "embedder",
        "auto",
        "The embedder, which makes vectors: auto, static, openai, ollama, fastembed, onnx, or "
        "none (keywords only).",
    ),
    Setting(
        "embedder_model",
        "",
        "The embedding model, or its folder. Empty: the default of the embedder.",
    ),
    Setting("embedder_url", "", "The address of an OpenAI-compatible embedding server."),
    Setting("embedder_key", "", "The key of that server.", secret=True),
    Setting(
        "embedder_dims", "", "How many dimensions to request from the model. Empty: its default."
    ),
    Setting("embedder_timeout", "30", "Seconds to wait for an embedding server."),
    Setting("ollama_url", "", "The address of an Ollama server that 'auto' may use."),
    Setting(
        "reranker",
        "none",
        "The reranker, which scores the best results again: none, fastembed, ollama, cohere, "
        "jina, tei, vllm.",
    ),
    Setting("reranker_model", "", "The reranking model. Empty: the provider's usual one."),
    Setting("reranker_url", "", "The address of a reranking server."),
    Setting("reranker_key", "", "The key of that server.", secret=True),
    Setting("reranker_timeout", "2", "Seconds a recall waits for its reranker."),
    Setting(
        "question_log",
        "on",
        "Whether questions and their results are logged for 90 days: on or off.",
    ),
    Setting(
        "model",
        "none",
        "A language model for headers and spoken commands: none, openai, ollama or anthropic.",
    ),
    Setting("model_name", "", "The name of that model."),
    Setting("model_url", "", "The address of its server. Empty: the provider's own."),
    Setting("model_key", "", "The key of that server.", secret=True),
    Setting(
        "model_timeout", "30", "Seconds to wait for the model; after that it is done without one."
    ),
    Setting("model_prices", "", "Its price: cents per million tokens, in and out, like 15/60."),
    Setting(
        "chat_weights",
        "0.9/0.05/0.05",
        "Weights of relevance, recency and importance in searches of personal memory "
        "(alpha/beta/gamma).",
    ),
    Setting(
        "agent_patience",
        "1",
        "Factor on the time limits of answers to an agent; one that takes longer is left out.",
    ),
    Setting(
        "agent_idle", "900", "After how many seconds without events the daemon of the hooks ends."
    ),
    Setting(
        "mcp_token",
        "",
        "The token that clients of the MCP server over HTTP must send.",
        secret=True,
    ),
    Setting("sync_token", "", "Your access token of the server to sync with.", secret=True),
    Setting("busy_seconds", "30", "Seconds a write waits for other processes that are writing."),
    Setting(
        "switched_off",
        "",
        "Capabilities that are switched off, with commas: memos, knowledge, experts, gaps, "
        "suggestions, related, research.",
    ),
    Setting(
        "worker", "on", "Whether an open engine runs queued jobs in a thread of its own: on or off."
    ),
)

HIDDEN: Final = "••••••"
_PASSWORD: Final = re.compile(r"(://[^/@]*?:)[^/]+(@)")
_TENANT: Final = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """The current value of a setting, and where it was set."""

    setting: Setting
    text: str
    origin: str
    #: What the text was made of, where it was a template.
    template: str = ""

    @property
    def shown(self) -> str:
        """The value as it may be printed: no secret, and no password in an address."""
        if self.setting.secret and self.text:
            return HIDDEN
        return _PASSWORD.sub(rf"\1{HIDDEN}\2", self.text)


def read_settings(
    overrides: Mapping[str, str | None] | None = None,
    environment: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> dict[str, Value]:
    """Every setting with its value and where it came from."""
    given = {name: text for name, text in (overrides or {}).items() if text is not None}
    for name in given:
        setting_named(name)
    variables = os.environ if environment is None else environment
    kept = read_file(settings_file() if file is None else file)
    values = {setting.name: _value(setting, given, variables, kept) for setting in SETTINGS}
    tenant, db = values["tenant"].text, values["db"]
    if "{tenant}" in db.text and _TENANT.match(tenant):
        address = db.text.replace("{tenant}", tenant)
        values["db"] = Value(db.setting, address, db.origin, template=db.text)
    return values


def setting_named(name: str) -> Setting:
    """The setting of that name."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise InvalidSetting(
            f"There is no setting {name!r}.", hint=f"The settings are: {', '.join(_BY_NAME)}."
        ) from None


def settings_file() -> Path:
    """The path of the settings file."""
    import platformdirs

    return platformdirs.user_config_path("recollect") / "settings.toml"


def default_database() -> str:
    """The file that is used when none is named."""
    import platformdirs

    return str(platformdirs.user_data_path("recollect") / "memory.db")


def agent_folder() -> Path:
    """Where the hooks of agents and their daemon keep what they need."""
    import platformdirs

    return platformdirs.user_data_path("recollect") / "agent"


def read_file(path: Path) -> dict[str, str]:
    """The settings that a file holds; none when there is no file."""
    try:
        written = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    import tomllib

    try:
        found = tomllib.loads(written)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, error) from error
    return {setting_named(name).name: str(value) for name, value in found.items()}


def _unreadable(path: Path, error: Exception) -> InvalidSetting:
    return InvalidSetting(
        f"The settings file {path} cannot be read: {error}.", hint="Fix it, or move it away."
    )


def write_file(path: Path, values: Mapping[str, str]) -> None:
    """Keep settings, readable by their owner alone, whole or not at all."""
    lines = [f"{setting_named(name).name} = {_quoted(text)}\n" for name, text in values.items()]
    try:
        private_folder(path.parent)
        new = path.with_suffix(".new")
        with private_file(new) as file:
            file.writelines(lines)
        new.replace(path)
    except (OSError, UnicodeEncodeError) as error:
        raise InvalidSetting(f"The settings file {path} cannot be written: {error}.") from error


def _value(
    setting: Setting,
    given: Mapping[str, str],
    variables: Mapping[str, str],
    kept: Mapping[str, str],
) -> Value:
    if setting.name in given:
        return Value(setting, given[setting.name], "call")
    if variables.get(setting.variable):
        return Value(setting, variables[setting.variable], "environment")
    if setting.name in kept:
        return Value(setting, kept[setting.name], "file")
    return Value(setting, setting.default, "default")


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
