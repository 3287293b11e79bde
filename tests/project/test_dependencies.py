"""Promises about the packages that this one needs: the bounds, the lock, and other packages beside this one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from versions import oldest, project

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements-lock.txt"
SYSTEMS = {"linux": ("Linux", "x86_64"), "darwin": ("Darwin", "arm64"), "win32": ("Windows", "AMD64")}


def declared() -> list[str]:
    """The requirements that the lock is made for."""
    extras = project()["optional-dependencies"]
    return [*project()["dependencies"], *extras["train"], *extras["dev"], *extras["docs"]]


def machines() -> Iterator[dict[str, str]]:
    """Yield what markers ask of a machine, for each supported Python on each system."""
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
    """Return whether a machine needs it."""
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


# --- beside other packages -------------------------------------------------------------------------------------------

# What others ask of packages that this one needs too, as `requires_dist` of their wheels on PyPI has it. (Look with
# `pip install --dry-run --no-deps --ignore-installed --report - vllm==0.33.0`.) Every vLLM up to 0.19 pins numba 0.61.2
# and every one since 0.20 pins 0.65.0.
PINS = {
    "vllm==0.19.1": ["numba==0.61.2", "torch==2.10.0"],
    "vllm==0.33.0": ["numba==0.65.0", "torch==2.14.0", "starlette>=1.0.1", "pillow>=13.0.0", "safetensors>=0.6.2"],
    "ray[rllib]==2.60.0": ["gymnasium==1.2.2"],
    "ray[serve]==2.60.0": ["starlette>=1.0.1", "uvicorn>=0.26.0"],
}
BESIDE = {
    "vllm==0.19.1": ["text"],
    "vllm==0.33.0": ["text", "verifiers", "table"],
    "ray[rllib]==2.60.0": ["ray", "rllib"],
}  # the extras that are used beside it


@pytest.mark.parametrize("other", PINS)
def test_the_bounds_allow_what_others_pin(other: str) -> None:
    """The pinned version, or one at a lower bound, is within each bound of ours."""
    extras = project()["optional-dependencies"].values()
    ours = [Requirement(text) for text in [*project()["dependencies"], *(text for extra in extras for text in extra)]]
    for pin in map(Requirement, PINS[other]):
        (theirs,) = pin.specifier
        met = [our for our in ours if canonicalize_name(our.name) == pin.name]
        assert met, pin
        for our in met:
            lower = max(
                (Version(s.version) for s in (theirs, *our.specifier) if s.operator == ">="), default=Version("0")
            )
            version = theirs.version if theirs.operator == "==" else str(lower)
            assert version in our.specifier, (str(our), str(pin))


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(find_spec("uv") is None, reason="uv is not installed")
@pytest.mark.parametrize("other", BESIDE)
def test_one_environment_holds_this_package_and_another(other: str, tmp_path: Path) -> None:
    """uv finds versions on PyPI that satisfy both; nothing is installed."""
    (tmp_path / "other.in").write_text(other)
    extras = [word for extra in BESIDE[other] for word in ("--extra", extra)]
    command = [
        sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate",
        "--config-file", "tools/lock.toml", "--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_31",
        *extras, "pyproject.toml", str(tmp_path / "other.in"),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    if "error sending request" in done.stderr:
        pytest.skip("PyPI cannot be reached")
    assert done.returncode == 0, done.stderr
    found = {canonicalize_name(r.name): str(r.specifier) for r in map(Requirement, done.stdout.splitlines())}
    assert found[Requirement(other).name] == str(Requirement(other).specifier)
    for pin in map(Requirement, PINS[other]):
        (version,) = SpecifierSet(found[pin.name])
        assert version.version in pin.specifier
