"""The environment of programs that mt-gate starts: what is on a list, and never a secret.

A program that a run starts may be a stranger's, and the environment of a workflow's step holds
tokens and keys under any name. No pattern separates secrets from the rest; what may pass is listed,
by whole names. ``docs/systems.md`` names them to users.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Mapping

NAMES = frozenset(
    """
    PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ TERM NO_COLOR
    LANG LANGUAGE LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT
    LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH

    PYTHONPATH PYTHONHOME PYTHONHASHSEED PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONUTF8
    PYTHONIOENCODING PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONWARNINGS PYTHONFAULTHANDLER
    PYTHONPYCACHEPREFIX VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV

    CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_HOME CUDA_PATH CUDA_CACHE_PATH CUDA_CACHE_DISABLE
    CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING CUBLAS_WORKSPACE_CONFIG NVIDIA_VISIBLE_DEVICES
    NVIDIA_DRIVER_CAPABILITIES NVIDIA_TF32_OVERRIDE HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES

    OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_DYNAMIC OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY
    GOMP_CPU_AFFINITY KMP_AFFINITY KMP_BLOCKTIME MKL_NUM_THREADS MKL_DYNAMIC OPENBLAS_NUM_THREADS
    VECLIB_MAXIMUM_THREADS NUMEXPR_NUM_THREADS TOKENIZERS_PARALLELISM MALLOC_ARENA_MAX

    HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE HF_HUB_DISABLE_TELEMETRY HF_ASSETS_CACHE HF_DATASETS_CACHE
    HF_DATASETS_OFFLINE TRANSFORMERS_CACHE TRANSFORMERS_OFFLINE TORCH_HOME NLTK_DATA
    ORT_DISABLE_TELEMETRY DO_NOT_TRACK

    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS
    no_proxy NO_PROXY

    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA
    PROGRAMFILES NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE
    """.split()
)
"""Variables that every program gets: where things lie, how they are written and computed."""
PROXIES = (
    "http_proxy", "https_proxy", "all_proxy", "ftp_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
)  # fmt: skip
"""Variables that pass where their address holds no user and no password."""

MODEL_PLACES = frozenset(
    """
    PYTHONPATH HF_HOME HF_HUB_CACHE HF_ASSETS_CACHE TRANSFORMERS_CACHE TORCH_HOME NLTK_DATA
    """.split()
)
"""Those of ``NAMES`` that say where a program finds its code or its model."""

_PR_SET_DUMPABLE = 4


def allowed(environment: Mapping[str, str], extra: Iterable[str] = ()) -> dict[str, str]:
    """Return what of an environment a program gets: ``extra`` names further variables to pass."""
    named = {*NAMES, *extra}
    return {
        name: value
        for name, value in environment.items()
        if name in named or (name in PROXIES and "@" not in value)
    }


def close_to_children() -> None:
    """Keep programs of the same user from reading the environment and memory of this process.

    On Linux they would be in ``/proc/PID/environ`` for every child, listed or not. A system
    without such a switch, or a refusal, is no failure: a program is the user's word all the same.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    except (OSError, AttributeError):  # another C library
        return
