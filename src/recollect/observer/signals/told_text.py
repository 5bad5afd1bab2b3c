"""Text of a turn's memory as agents are told it: led by its rule in plain form.

The user's own words stay behind the rule as its evidence. Of a reviewer's remark the sentence is
quoted that says what to write.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.observer.signals.plain_rules import plain_rule
from recollect.observer.signals.review_remarks import cure_of
from recollect.observer.signals.turn_text import AGREED, content_of, said_by_user


def told_text(turn: Mapping[str, Any], earlier: Sequence[str], found: Sequence[str]) -> str:
    """What agents are told of a turn."""
    content = content_of(turn, earlier, found, settles=True)
    cure = cure_of(turn)
    if cure and cure not in content:
        _, *others = content.splitlines()
        content = "\n".join([said_by_user({**turn, "words": cure}), *others])
    led_by_agreement = bool(found) and found[0].startswith(AGREED) and AGREED not in content
    rule = "" if led_by_agreement else plain_rule(turn)
    return f"{rule}\n{content}" if rule else content
