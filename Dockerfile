# Targets: run (exported checkpoints only), gpu (the same on CUDA), full (exports too; the
# action's). The last stage is what a plain build makes.
#   TORCH_INDEX  where torch comes from: PyTorch's own index of CPU builds. pip's usual one brings
#                the libraries of CUDA, which no run needs. Another index of wheels for a mirror of
#                yours, or for other builds; empty takes what pip's own configuration finds.
ARG PYTHON=3.11

FROM docker.io/library/python:${PYTHON}-slim-bookworm AS base
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    PATH=/opt/mt-gate/bin:$PATH
RUN python3 -m venv /opt/mt-gate
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY .ci/constraints.txt constraints.txt
COPY runner runner

FROM base AS built-run
RUN pip install -c constraints.txt '.[cpu,github]' && rm -rf /src/*

FROM base AS built-gpu
# With the CUDA and cuDNN that this build of the runtime asks for; the driver is the machine's.
RUN pip install -c constraints.txt 'onnxruntime-gpu[cuda,cudnn]' '.[gpu,github]' && rm -rf /src/*

FROM base AS built-full
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN pip install -c constraints.txt ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch \
 && pip install -c constraints.txt '.[cpu,export,github]' \
 && rm -rf /src/*

FROM docker.io/library/python:${PYTHON}-slim-bookworm AS slim
ENV PYTHONUNBUFFERED=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    PATH=/opt/mt-gate/bin:$PATH
# A pull request's baseline is read from its base commit. Debian keeps one version of a package only.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/*
# GitHub mounts the workspace as root's: another user could not write the reports.
ENTRYPOINT ["mt-gate"]
CMD ["--help"]

FROM slim AS run
COPY --from=built-run /opt/mt-gate /opt/mt-gate

FROM slim AS gpu
ARG PYTHON
ARG NVIDIA=/opt/mt-gate/lib/python${PYTHON}/site-packages/nvidia
ENV LD_LIBRARY_PATH=${NVIDIA}/cu13/lib:${NVIDIA}/cudnn/lib
COPY --from=built-gpu /opt/mt-gate /opt/mt-gate

FROM slim AS full
COPY --from=built-full /opt/mt-gate /opt/mt-gate
