"""Promises about the packages that this one needs: the lower bounds and the lock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from versions import oldest, project

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements-lock.txt"
SYSTEMS = {"linux": ("Linux", "x86_64"), "darwin": ("Darwin", "arm64"), "win32": ("Windows", "AMD64")}


def declared() -> list[str]:
    """The requirements that the lock is made for."""
    extras = project()["optional-dependencies"]
    return [*project()["dependencies"], *extras["train"], *extras["dev"], *extras["docs"]]


def machines() -> Iterator[dict[str, str]]:
    """What markers ask of a machine, for each supported Python on each system."""
    for minor in range(8, 40):
        if f"3.{minor}.0" in SpecifierSet(project()["requires-python"]):
            for platform, (system, machine) in SYSTEMS.items():
                yield {
                    "python_version": f"3.{minor}", "python_full_version": f"3.{minor}.1", "sys_platform": platform,
                    "platform_system": system, "platform_machine": machine, "extra": "",
                }  # fmt: skip


def locked() -> dict[str, list[str]]:
    """The lines of the lock: each requirement, and its hashes."""
    lines = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    requirements = "\n".join(lines).replace("\\\n", "").splitlines()
    return {text.partition(" --hash=")[0].strip(): re.findall(r"--hash=sha256:([0-9a-f]{64})", text)
            for text in requirements}  # fmt: skip


def applies(requirement: Requirement, machine: dict[str, str]) -> bool:
    """Whether a machine needs it."""
    return requirement.marker is None or requirement.marker.evaluate(machine)


@pytest.mark.parametrize("machine", machines(), ids=lambda m: f"{m['python_version']} {m['sys_platform']}")
def test_the_lock_fits_what_is_declared(machine: dict[str, str]) -> None:
    """Every requirement but torch has one version in it, which is within the bounds. Else: `make lock`."""
    found: dict[str, str] = {}
    for line in map(Requirement, locked()):
        if applies(line, machine):
            assert canonicalize_name(line.name) not in found, f"{line.name} twice"
            (pin,) = line.specifier
            assert pin.operator == "=="
            found[canonicalize_name(line.name)] = pin.version
    for requirement in map(Requirement, declared()):
        if applies(requirement, machine) and requirement.name != "torch":
            assert found[canonicalize_name(requirement.name)] in requirement.specifier, requirement
    assert "torch" not in found


def test_the_lock_has_hashes_and_names_no_place() -> None:
    """Neither a folder of the machine that made it nor an index."""
    assert all(locked().values())
    assert not any(Requirement(line).url for line in locked())  # a line with an option is no requirement at all


def test_every_requirement_has_a_lower_bound_that_can_be_tried() -> None:
    pins = [Requirement(pin) for pin in oldest(declared())]
    assert {"numpy", "torch", "typer", "pytest"} <= {pin.name for pin in pins}
    assert all(str(pin.specifier).startswith("==") for pin in pins if pin.name != "torch")


@pytest.mark.parametrize("text", ["numpy", "numpy>1", "numpy~=2.0", "numpy>=1,!=2.1", "numpy>=1,>=2"])
def test_a_bound_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="NAME>=LOWEST"):
        oldest([text])
