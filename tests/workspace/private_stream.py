"""A space with a private stream whose words occur nowhere else, and its twin without it."""

from recollect.engine import Recollect
from tests.workspace.talking import DEPLOY, talk

SECRET = "zanzibar"
PRIVATE = (
    ("ada", f"When do we buy {SECRET} holdings from the trust?"),
    ("lis", f"ada: {SECRET} holdings close in June, the trust signs"),
    ("ada", f"lis: then {SECRET} it is"),
)
READERS = ("ada", "lis", "bob", "was", "rea", "ste", "str", "org")
MAY = {"ada", "lis"}
#: Near to what was said in private, in none of its telling words.
QUESTION = "When do we buy holdings from the trust?"


class Place:
    """A space with a private stream, or its twin without."""

    def __init__(self, memory: Recollect, name: str, *, private: bool) -> None:
        owner = memory.within(space=name, user="ada", organisation="acme")
        for user, role in (("lis", "member"), ("bob", "member"), ("was", "member")):
            owner.add_member(user, role)
        owner.add_member("rea", "reader")
        owner.add_member("ste", "steward")
        self.events = [
            one.id for one in talk(owner, [("bob", DEPLOY[0][1]), ("lis", DEPLOY[1][1])])
        ]
        self.memos = [owner.workspace.save(self.events[0], topics=["release"]).id]
        if private:
            owner.open_stream("board", access="private")
            owner.admit("board", "lis")
            owner.admit("board", "was")
            said = talk(owner, PRIVATE, stream="board")
            self.events += [one.id for one in said]
            lis = owner.within(user="lis")
            self.memos.append(lis.workspace.save(said[1].id).id)
            made = owner.workspace.save_answer(
                f"When is {SECRET} bought?", "June", [self.events[0], said[1].id]
            )
            assert made is not None
            self.memos.append(made.id)
            owner.dismiss("board", "was")
        self._owner = owner

    def view(self, user: str) -> Recollect:
        """The space as one of the readers sees it."""
        organisations = ("acme",) if user == "org" else ()
        return self._owner.within(user=user, organisations=organisations)
