"""Which patterns of ``re`` take time in proportion to the text, told from their shape alone.

A pattern becomes an automaton whose steps know the sign before them and what may come next, so that
``\\b``, looks at one sign and possessive repeats count. Three shapes cost more than linear time,
and each is a walk that can be looked for (Weideman et al. 2016, "Analyzing matching time behavior
of backtracking regular expression matchers"):

- a search can begin again inside a repeat that it is already in: ``\\s+x``;
- one repeat can hand over to another anywhere in what both take: ``a*[ab]*c``;
- a repeat can take the same text in two ways: ``(a|a)*b``.

A repeat of at most ``COUNTED`` rounds costs a factor and is no repeat here. A repeat after which a
match is certain in every round is harmless: when it fails, it falls back by one round at most. A
pattern that is only matched at one place (``match``, ``fullmatch``) cannot begin again. Looks at
several signs may hold or not; atomic groups and possessive repeats of several signs count as plain
ones. So a pattern may be called slow that is not; what repeats at most ``COUNTED`` times is not
judged further.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from re import _constants as sre
from typing import Any, Final, NamedTuple, TypeVar

from recollect.vocabulary.pattern_trees import is_single, takes, tree_of
from tests.pattern_signs import COUNTED, Single, classes_of, plain_flags

_COPIES: Final = 2
_MAX_WALKS: Final = 400_000
N = TypeVar("N")


class Step(NamedTuple):
    """A sign that was taken by one place of the pattern."""

    place: int
    sign: int


class Shape:
    """The automaton of one pattern."""

    def __init__(self, written: str | bytes, flags: int = 0, *, anchored: bool = False) -> None:
        self._anchored = anchored
        text = written.decode("latin-1") if isinstance(written, bytes) else written
        tree = tree_of(text, plain_flags(flags))
        self._edges: list[list[tuple[str, int, int]]] = []  # (condition, its signs, target)
        self._takes: dict[int, tuple[int, int]] = {}  # state: (signs, target)
        self._masks: dict[Single, int] = {}
        self._signs = classes_of(tree, tree.state.flags)
        self._whole = (1 << len(self._signs)) - 1
        self._end = 1 << len(self._signs)
        self._every = self._whole | self._end
        self._words = self._mask(lambda sign: sign.isalnum() or sign == "_")
        self._lines = self._mask(lambda sign: sign == "\n")
        self.start = self._state()
        self._accept = self._state()
        self._dead = self._state()
        self._link(self._sequence(tree, tree.state.flags, self.start), self._accept)
        self._reached: dict[tuple[int, int | None, bool], dict[int, int]] = {}
        self._next: dict[tuple[int, int | None, bool], dict[int, list[Step]]] = {}

    # --- what the pattern says ---------------------------------------------------------------

    def _state(self) -> int:
        self._edges.append([])
        return len(self._edges) - 1

    def _link(self, source: int, target: int, condition: str = "", signs: int = 0) -> int:
        self._edges[source].append((condition, signs, target))
        return target

    def _mask(self, wanted: Any) -> int:
        return sum(1 << place for place, sign in enumerate(self._signs) if wanted(sign))

    def _class(self, operation: Any, value: Any, flags: int) -> int:
        single = Single(operation, str(value), flags)
        if single not in self._masks:
            self._masks[single] = self._mask(lambda sign: takes(operation, value, sign, flags))
        return self._masks[single]

    def _sequence(self, nodes: Any, flags: int, state: int) -> int:
        for operation, value in nodes:
            state = self._node(operation, value, flags, state)
        return state

    def _node(self, operation: Any, value: Any, flags: int, state: int) -> int:
        if is_single(operation):
            taking = self._link(state, self._state())
            self._takes[taking] = (self._class(operation, value, flags), after := self._state())
            return after
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self._repeat(operation, value, flags, state)
        if operation is sre.BRANCH:
            after = self._state()
            for one in value[1]:
                self._link(self._sequence(one, flags, state), after)
            return after
        if operation is sre.SUBPATTERN:
            _, added, removed, inner = value
            return self._sequence(inner, (flags | added) & ~removed, state)
        if operation is sre.ATOMIC_GROUP:
            return self._link(self._sequence(value, flags, state), self._state(), "perhaps")
        if operation is sre.AT:
            return self._at(value, flags, state)
        if operation in (sre.ASSERT, sre.ASSERT_NOT):
            return self._looks(operation is sre.ASSERT, value[0], value[1], flags, state)
        return self._link(state, self._state(), "perhaps")  # a reference back

    def _repeat(self, operation: Any, value: Any, flags: int, state: int) -> int:
        least, most, inner = value
        for _ in range(min(least, _COPIES)):
            state = self._sequence(inner, flags, state)
        if most is not sre.MAXREPEAT and most <= COUNTED:
            after = self._state()
            for _ in range(min(most - least, _COPIES)):
                self._link(state, after)
                state = self._sequence(inner, flags, state)
            return self._link(state, after)
        loop = self._link(state, self._state())
        self._link(self._sequence(inner, flags, loop), loop)
        if operation is sre.POSSESSIVE_REPEAT and len(inner) == 1 and is_single(inner[0][0]):
            taken = self._class(inner[0][0], inner[0][1], flags)
            return self._link(loop, self._state(), "next", self._whole & ~taken | self._end)
        possessive = operation is sre.POSSESSIVE_REPEAT
        return self._link(loop, self._state(), "perhaps" if possessive else "")

    def _at(self, place: Any, flags: int, state: int) -> int:
        after = self._state()
        several = bool(flags & re.MULTILINE)
        if place in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            again = self._lines if several and place is sre.AT_BEGINNING else 0
            return self._link(state, after, "before", again | self._end)
        if place in (sre.AT_END, sre.AT_END_STRING):
            more = self._lines if place is sre.AT_END else 0
            return self._link(state, after, "next", more | self._end)
        return self._link(state, after, "edge" if place is sre.AT_BOUNDARY else "inside")

    def _looks(self, wanted: bool, way: int, inner: Any, flags: int, state: int) -> int:
        after = self._state()
        single = len(inner) == 1 and is_single(inner[0][0])
        if single:
            signs = self._class(inner[0][0], inner[0][1], flags)
            signs = signs if wanted else self._whole & ~signs | self._end
            return self._link(state, after, "next" if way > 0 else "before", signs)
        if way > 0:  # what is looked at costs time, and leads nowhere
            self._link(self._sequence(inner, flags, state), self._dead)
        elif wanted and is_single(inner[-1][0]):
            last = self._class(inner[-1][0], inner[-1][1], flags)
            state = self._link(state, self._state(), "before", last)
        return self._link(state, after, "perhaps")

    # --- how it goes on ----------------------------------------------------------------------

    def _closure(self, state: int, before: int | None, sure: bool = False) -> dict[int, int]:
        """Where one may (or surely can) be without taking a sign, and what may come next there."""
        known = self._reached.get((state, before, sure))
        if known is not None:
            return known
        said = self._end if before is None else 1 << before
        seen: dict[int, int] = {}
        waiting = deque([(state, self._every)])
        while waiting:
            at, allowed = waiting.popleft()
            if not allowed & ~seen.get(at, 0):
                continue
            seen[at] = seen.get(at, 0) | allowed
            for condition, signs, target in self._edges[at]:
                if sure and condition == "perhaps":
                    continue
                if passed := allowed & self._passes(condition, signs, said):
                    waiting.append((target, passed))
        self._reached[state, before, sure] = seen
        return seen

    def _passes(self, condition: str, signs: int, said: int) -> int:
        """What may come next when this condition holds."""
        if condition == "next":
            return signs
        if condition == "before":
            return self._every if said & signs else 0
        if condition in ("edge", "inside"):
            word = bool(said & self._words)
            return self._every & (self._words if word is (condition == "inside") else ~self._words)
        return self._every

    def follow(self, state: int, before: int | None) -> dict[int, list[Step]]:
        """The steps that are possible now, by the sign they take."""
        return self._follow(state, before, sure=False)

    def _follow(self, state: int, before: int | None, *, sure: bool) -> dict[int, list[Step]]:
        known = self._next.get((state, before, sure))
        if known is None:
            known = self._next[state, before, sure] = {}
            for at, allowed in self._closure(state, before, sure).items():
                taken = self._takes[at][0] & allowed if at in self._takes else 0
                while taken:
                    sign = (taken & -taken).bit_length() - 1
                    known.setdefault(sign, []).append(Step(at, sign))
                    taken &= taken - 1
        return known

    def after(self, step: Step) -> dict[int, list[Step]]:
        """The steps that are possible after another."""
        return self.follow(self._takes[step.place][1], step.sign)

    def _certain(self, steps: list[Step]) -> set[Step]:
        """The steps after which there is a match whatever comes: now, or after more of the same."""
        found = set(steps)
        matched = {
            step: self._closure(self._takes[step.place][1], step.sign, sure=True).get(
                self._accept, 0
            )
            for step in steps
        }
        while True:
            lost = {step for step in found if not self._goes_on(step, matched[step], found)}
            if not lost:
                return found
            found -= lost

    def _goes_on(self, step: Step, matched: int, certain: set[Step]) -> bool:
        if not matched & self._end:
            return False
        following = self._follow(self._takes[step.place][1], step.sign, sure=True)
        return all(
            matched >> sign & 1 or any(one in certain for one in following.get(sign, ()))
            for sign in range(len(self._signs))
        )

    # --- what goes wrong ---------------------------------------------------------------------

    def troubles(self) -> Iterator[str]:
        """Each way in which the pattern takes more than linear time.

        What holds for one step of a repeat holds for all of it, because each leads to the others
        and back: so one walk is looked for in a repeat, and not one for each of its steps.
        """
        steps = self._steps()
        loops = self._loops(steps)
        certain = self._certain(steps)
        failing = self._loops([step for step in steps if step not in certain])
        repeats = _grouped(failing)
        for repeat in () if self._anchored else repeats:
            if self._begins_again(repeat, failing):
                yield f"a search can begin again inside a repeat of {self._shown(repeat[0])}"
                break
        for repeat in repeats:
            if self._two_ways(repeat[0], failing):
                yield f"a repeat can take {self._shown(repeat[0])} in two ways"
                break
        for first, second in self._side_by_side(loops, failing):
            if self._hands_over(first, second, loops):
                yield f"two repeats share {self._shown(second)}"
                return

    def _side_by_side(
        self, loops: dict[Step, int], failing: dict[Step, int]
    ) -> Iterator[tuple[Step, Step]]:
        """Steps of two repeats that can go round over the same signs, the second after the first.

        One pair for each set of pairs that lead to each other.
        """
        repeats = _grouped(loops)
        for first in repeats:
            later = self._reachable(first[0])
            for second in repeats:
                if second is first or second[0] not in later or failing.keys().isdisjoint(second):
                    continue
                for pairs in _cycles(self._together(first, second, loops)):
                    if shared := next((pair for pair in pairs if pair[1] in failing), None):
                        yield shared

    def _reachable(self, step: Step) -> set[Step]:
        found, waiting = {step}, [step]
        while waiting:
            fresh = {one for some in self.after(waiting.pop()).values() for one in some} - found
            found |= fresh
            waiting += fresh
        return found

    def _together(
        self, first: list[Step], second: list[Step], loops: dict[Step, int]
    ) -> dict[tuple[Step, Step], list[tuple[Step, Step]]]:
        """How two steps of two repeats that took the same sign go on with the same sign."""
        of_first, of_second = loops[first[0]], loops[second[0]]
        return {
            (one, other): [
                (a, b)
                for sign, some in self.after(one).items()
                for a in some
                if loops.get(a) == of_first
                for b in self.after(other).get(sign, ())
                if loops.get(b) == of_second
            ]
            for one in first
            for other in second
            if one.sign == other.sign
        }

    def _shown(self, step: Step) -> str:
        return repr(self._signs[step.sign])

    def _steps(self) -> list[Step]:
        """Every step that can be reached."""
        steps: list[Step] = []
        waiting = [step for some in self._all_starts() for step in some]
        seen = set(waiting)
        while waiting:
            step = waiting.pop()
            steps.append(step)
            for some in self.after(step).values():
                fresh = [one for one in some if one not in seen]
                seen.update(fresh)
                waiting += fresh
        return steps

    def _loops(self, steps: list[Step]) -> dict[Step, int]:
        """Those of some steps that can be come back to by them, with the number of the repeat."""
        among = set(steps)
        links = {
            step: [one for some in self.after(step).values() for one in some if one in among]
            for step in steps
        }
        groups: dict[Step, int] = {}
        for number, group in enumerate(_cycles(links)):
            groups.update(dict.fromkeys(group, number))
        return groups

    def _all_starts(self) -> Iterator[list[Step]]:
        for before in (None, *range(len(self._signs))):
            yield from self.follow(self.start, before).values()

    def _begins_again(self, repeat: list[Step], loops: dict[Step, int]) -> bool:
        group = loops[repeat[0]]
        first: list[tuple[Step, ...]] = [
            (a, b)
            for step in repeat
            for sign, some in self.after(step).items()
            for b in some
            if loops.get(b) == group
            for a in self.follow(self.start, step.sign).get(sign, ())
        ]
        if any(a == b for a, b in first):
            return True
        return self._walk(first, lambda now: now[0] == now[1], (None, group), loops)

    def _hands_over(self, first: Step, second: Step, loops: dict[Step, int]) -> bool:
        groups = loops[first], None, loops[second]
        goal = first, second, second
        return self._walk([(first, first, second)], lambda now: now == goal, groups, loops)

    def _two_ways(self, step: Step, loops: dict[Step, int]) -> bool:
        """From a step back to it by two walks over the same signs."""
        group = loops[step]
        waiting, seen = deque([(step, step, False)]), {(step, step, False)}
        while waiting:
            _limited(seen)
            one, other, parted = waiting.popleft()
            for sign, some in self.after(one).items():
                for a in some:
                    for b in self.after(other).get(sign, ()):
                        if loops.get(a) != group or loops.get(b) != group:
                            continue
                        now = (a, b, parted or a != b)
                        if now == (step, step, True):
                            return True
                        if now not in seen:
                            seen.add(now)
                            waiting.append(now)
        return False

    def _walk(
        self,
        begun: list[tuple[Step, ...]],
        reached: Callable[[tuple[Step, ...]], bool],
        groups: tuple[int | None, ...],
        loops: dict[Step, int],
    ) -> bool:
        """Whether walkers that take the same signs can reach a goal, each in its repeat."""
        waiting, seen = deque(begun), set(begun)
        while waiting:
            _limited(seen)
            walkers = waiting.popleft()
            ways = [self.after(step) for step in walkers]
            for sign in ways[0]:
                options = [
                    [s for s in way.get(sign, ()) if group is None or loops.get(s) == group]
                    for way, group in zip(ways, groups, strict=True)
                ]
                for now in _choices(options):
                    if reached(now):
                        return True
                    if now not in seen:
                        seen.add(now)
                        waiting.append(now)
        return False


def _limited(seen: set[Any]) -> None:
    if len(seen) > _MAX_WALKS:
        raise AssertionError("the pattern is too large to be judged: make it simpler")


def _choices(options: list[list[Step]]) -> list[tuple[Step, ...]]:
    found: list[tuple[Step, ...]] = [()]
    for some in options:
        found = [(*before, one) for before in found for one in some]
    return found


def _grouped(loops: dict[Step, int]) -> list[list[Step]]:
    """The steps of each repeat."""
    groups: dict[int, list[Step]] = {}
    for step, group in loops.items():
        groups.setdefault(group, []).append(step)
    return list(groups.values())


def _left(links: dict[N, list[N]]) -> list[N]:
    """The steps in the order in which a walk in depth leaves them."""
    order: list[N] = []
    seen: set[N] = set()
    for begun in links:
        stack = [(begun, False)]
        while stack:
            step, left = stack.pop()
            if left:
                order.append(step)
            elif step not in seen:
                seen.add(step)
                stack.append((step, True))
                stack += [(one, False) for one in links[step]]
    return order


def _cycles(links: dict[N, list[N]]) -> Iterator[set[N]]:
    """Sets of steps that lead to each other (Kosaraju, without recursion)."""
    order = _left(links)
    back: dict[N, list[N]] = {}
    for step, following in links.items():
        for one in following:
            back.setdefault(one, []).append(step)
    gone: set[N] = set()
    for begun in reversed(order):
        if begun in gone:
            continue
        group, waiting = {begun}, [begun]
        while waiting:
            fresh = set(back.get(waiting.pop(), ())) - group - gone
            group |= fresh
            waiting += fresh
        gone |= group
        if len(group) > 1 or begun in back.get(begun, ()):
            yield group
