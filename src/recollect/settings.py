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
    """One thing that can be set."""

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
    Setting("tenant", "", "Whose store is used, where db is a template with {tenant}."),
    Setting("space", "default", "The space that commands and the Python API work in."),
    Setting("user", "", "Who you are in a space. Empty: the name of your login."),
    Setting(
        "embedder",
        "auto",
        "Who makes vectors: auto, static, openai, ollama, fastembed, onnx, or none (words only).",
    ),
    Setting("embedder_model", "", "The embedding model, or its folder. Empty: the usual one."),
    Setting("embedder_url", "", "The address of an OpenAI-compatible embedding server."),
    Setting("embedder_key", "", "The key of that server.", secret=True),
    Setting("embedder_dims", "", "How many dimensions to ask of the model. Empty: its usual."),
    Setting("embedder_timeout", "30", "Seconds to wait for an embedding server."),
    Setting("ollama_url", "", "The address of an Ollama server that 'auto' may use."),
    Setting(
        "reranker",
        "none",
        "Who reads the leaders of a recall once more: none, fastembed, ollama, cohere, jina, tei, "
        "vllm.",
    ),
    Setting("reranker_model", "", "The reranking model. Empty: the provider's usual one."),
    Setting("reranker_url", "", "The address of a reranking server."),
    Setting("reranker_key", "", "The key of that server.", secret=True),
    Setting("reranker_timeout", "2", "Seconds a recall waits for its reranker."),
    Setting(
        "question_log",
        "on",
        "Whether questions and what they brought are logged for 90 days: on or off.",
    ),
    Setting(
        "model",
        "none",
        "A language model for headers and spoken commands: none, openai, ollama or anthropic.",
    ),
    Setting("model_name", "", "The name of that model."),
    Setting("model_url", "", "The address of its server. Empty: the provider's own."),
    Setting("model_key", "", "The key of that server.", secret=True),
    Setting("model_timeout", "30", "Seconds to wait for the model; then the local answer serves."),
    Setting("model_prices", "", "What it costs: cents a million tokens, in and out, like 15/60."),
    Setting(
        "chat_weights",
        "0.9/0.05/0.05",
        "How relevance, recency and importance count where personal memory is searched "
        "(alpha/beta/gamma).",
    ),
    Setting(
        "agent_patience",
        "1",
        "How many times its usual budget an agent's memory may take before it is left out.",
    ),
    Setting("agent_idle", "900", "After how many quiet seconds the daemon of the hooks ends."),
    Setting("mcp_token", "", "What a client of the MCP server over HTTP must bring.", secret=True),
    Setting("sync_token", "", "Your access token of the server to sync with.", secret=True),
    Setting("busy_seconds", "30", "Seconds a write waits for other processes that are writing."),
    Setting(
        "switched_off",
        "",
        "What is switched off, with commas: memos, knowledge, experts, gaps, suggestions, "
        "related, research.",
    ),
    Setting("worker", "on", "Whether an open engine works on its queue by itself: on or off."),
)

HIDDEN: Final = "••••••"
_PASSWORD: Final = re.compile(r"(://[^/@]*?:)[^/]+(@)")
_TENANT: Final = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """What a setting is now, and who said so."""

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
    """Where settings are kept for good."""
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
