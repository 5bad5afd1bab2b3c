"""Start page of the server: the list of API routes, generated from the OpenAPI description."""

from html import escape
from typing import Any, Final

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 3rem auto; padding: 0 1rem;
       color: #222; background: #fff }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: #f4f4f2; border-radius: 4px }
pre { padding: .8rem; overflow-x: auto } code { padding: .1rem .3rem }
h2 { margin-top: 2.2rem; font-size: 1.1rem; text-transform: capitalize }
td { padding: .15rem .8rem .15rem 0; vertical-align: top } td.verb { color: #666 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
  code, pre { background: #262626 } }
"""


def welcome_page(document: dict[str, Any], address: str) -> str:
    """HTML of the page; it loads nothing from elsewhere."""
    sections: dict[str, list[str]] = {}
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            row = (
                f"<tr><td class=verb>{escape(verb.upper())}</td><td><code>{escape(path)}</code>"
                f"</td><td>{escape(_first(operation))}</td></tr>"
            )
            sections.setdefault(operation.get("tags", ["other"])[0], []).append(row)
    tables = "".join(
        f"<h2>{escape(name)}</h2><table>{''.join(rows)}</table>" for name, rows in sections.items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Recollect</title>"
        f"<style>{_STYLE}</style><h1>Recollect is running.</h1>"
        f"<p>Keep something, then ask for it:</p><pre>{escape(_example(address))}</pre>"
        '<p>The whole description: <a href="/openapi.json">/openapi.json</a>. '
        'Figures: <a href="/metrics">/metrics</a>. Well? <a href="/ready">/ready</a>.</p>'
        f"{tables}</html>"
    )


def _first(operation: dict[str, Any]) -> str:
    text: str = operation.get("description") or operation.get("summary") or ""
    return text.split("\n", maxsplit=1)[0]


def _example(address: str) -> str:
    return (
        f"curl {address}/v1/memory/entries -H 'Content-Type: application/json' \\\n"
        '     -d \'{"text": "My sister Ana is allergic to peanuts."}\'\n'
        f"curl {address}/v1/recall -H 'Content-Type: application/json' \\\n"
        '     -d \'{"query": "what can Ana not eat?"}\''
    )
