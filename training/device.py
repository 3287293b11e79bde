"""The device on which networks learn and play: the processor, or a GPU. Games are always played on the processor.

Three functions are the only ways between the two: what the networks read goes there by :func:`send`, what they say
comes back by :func:`fetch`, and a round to learn from goes there as a whole (:meth:`training.rounds.Decisions.to`).
"""

from __future__ import annotations

import numpy as np
import torch

from .config import Config, ConfigError


def available(name: str) -> bool:
    """Return whether torch can compute on a device here."""
    return name == "cpu" or (torch.cuda.is_available() if name == "cuda" else torch.backends.mps.is_available())


def device_of(config: Config) -> torch.device:
    """Return the device of a run: with ``auto`` the first GPU that torch finds, the processor if workers play.

    Raises:
        ConfigError: for a device that is not there, and a GPU for a run with workers.
    """
    if config.device == "auto":
        found = [] if config.workers else [name for name in ("cuda", "mps") if available(name)]
        return torch.device(found[0] if found else "cpu")
    if config.workers and config.device != "cpu":
        raise ConfigError(f"device={config.device} is for runs without workers, whose processes play on processors")
    if not available(config.device):
        raise ConfigError(
            f"device={config.device} is not there: torch {torch.__version__} finds none; use device=cpu, or install a "
            "build of torch for it"
        )
    return torch.device(config.device)


def send(array: np.ndarray, device: torch.device) -> torch.Tensor:
    """Return an array as a tensor on a device; on the processor they share their memory."""
    tensor = torch.from_numpy(array)
    if device.type == "cuda":  # from pinned memory a copy goes on beside what the processor does
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def fetch(tensor: torch.Tensor) -> np.ndarray:
    """Return a tensor of any device as an array; from the processor they share their memory."""
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array
