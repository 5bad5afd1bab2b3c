"""English stop words that a query leaves out, because almost every text contains them.

Invariant: the words are spelled as tokens ("dont"), and the index has them unstemmed, so a change
here raises ``ANALYSER_VERSION``.

"may", "will" and "us" are missing on purpose: they are also a month, a name and a country.
"""

from typing import Final

_QUESTIONS: Final = "what who whom whose when where why how which"
_ARTICLES_AND_PRONOUNS: Final = """
    a an the this that these those
    i me my myself we our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    any some something anything each other another such
"""
_VERBS: Final = """
    am is are was were be been being do does did doing done have has had having
    can could would should shall might must
    dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt cant couldnt wont wouldnt shouldnt
"""
_CONNECTIVES: Final = """
    and or but nor if then than so as because while though although
    of at by for with about against between into through during before after
    to from in on off over under above below up down out
    again further once here there all both few more most no not only own same too very just also
"""

STOP_WORDS: Final = frozenset(
    f"{_QUESTIONS} {_ARTICLES_AND_PRONOUNS} {_VERBS} {_CONNECTIVES}".split()
)
