"""What forms ask of the elaborator, and the class that answers."""

from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.scope import Elaborator


def test_every_question_has_an_answer() -> None:
    asked = {name for name in vars(Elaborator) if not name.startswith("_")}
    assert asked <= {*dir(SpecElaborator), "arithmetic", "checking", "counts"}
