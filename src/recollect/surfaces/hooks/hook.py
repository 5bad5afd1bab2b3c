"""What an agent runs at every event: one line that loads ``hook_call``, compiled once and for all.

    python -I -S hook.py HOME HARNESS EVENT < event.json

The interpreter compiles a script at every start but keeps a module compiled, and compiling was a
sixth of a call.
"""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])
import hook_call  # type: ignore[import-not-found]  # it lies beside this script

del sys.path[0]

if __name__ == "__main__":
    hook_call.run(sys.argv)
