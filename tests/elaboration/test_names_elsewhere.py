"""Names of other libraries lead to the kernels of this one."""

from __future__ import annotations

import re

import pytest

import kernelspec as ks
from kernelspec.elaboration.call_arguments import NAMES_ELSEWHERE, written_here
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.errors import UnknownNameError
from kernelspec.kernels.leaf import KERNELS


@pytest.mark.parametrize("name", sorted(NAMES_ELSEWHERE))
def test_every_name_has_a_way_out_that_exists(name: str) -> None:
    called = set(re.findall(r"(\w+)\(", NAMES_ELSEWHERE[name])) - {"exp", "min"}
    assert called
    assert called <= {*KERNELS, *FORMS}
    assert name not in {*KERNELS, *FORMS}
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(f"2*{name}()")
    assert caught.value.message == f"there is no kernel '{name}'; {NAMES_ELSEWHERE[name]}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBF(1)", "there is no kernel 'RBF'; the Gaussian kernel is gaussian(scale=…)"),
        ("rbf(gamma=2)", "there is no kernel 'rbf'; the Gaussian kernel is gaussian(scale=…)"),
        (
            "gaussian() + white",
            "unknown name 'white'; white noise, a nugget, is noise(), with a weight as in 0.1*noise()",
        ),
        ("gausian()", "there is no kernel 'gausian'; did you mean 'gaussian'?"),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(text)
    assert caught.value.message == message


def test_other_names() -> None:
    assert written_here("quux") == ""
