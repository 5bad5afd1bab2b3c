"""An engine in a process of its own, told what to do line by line.

python -m tests.contracts.child ADDRESS     reads one JSON list a line: a verb and its arguments
"""

import json
import sys

import recollect
from recollect.vocabulary.plain import plain
from tests.embedders import WordEmbedder


def main(address: str) -> None:
    with recollect.open(address, user="ada", embedder=WordEmbedder(), worker=False) as memory:
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            verb, given, named = json.loads(line)
            print(json.dumps(plain(getattr(memory, verb)(*given, **named))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
