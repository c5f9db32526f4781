# Targets: run (exported checkpoints only), gpu (the same on CUDA), full (exports too). The last stage is
# what a plain build makes, and with it the action; Dockerfile.full is that of org/mt-gate/full.
#   BASE         the base image, by digest. A tag for an engine that knows no digests, another for a mirror.
#   TORCH_INDEX  where torch comes from: PyTorch's own index of CPU builds. pip's usual one brings
#                the libraries of CUDA, which no run needs. Another index for a mirror of the same
#                wheels; empty takes what pip's own configuration finds.
# Packages are those of .ci/lock-*.txt, by hash.
ARG BASE=docker.io/library/python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b

FROM ${BASE} AS slim
ENV PYTHONUNBUFFERED=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    PATH=/opt/mt-gate/bin:$PATH
# A pull request's baseline is read from its base commit, which may have to be fetched. git asks for perl,
# 50 MB, for commands that are not used here: an empty package stands in for it. Its servers, what sends
# mail, translations and manuals, 40 MB, stay outside, too; licences do not. Debian keeps one version of a
# package only.
# hadolint ignore=DL3008
RUN printf 'path-exclude=%s\n' '/usr/share/locale/*' '/usr/share/man/*' '/usr/share/doc/*' '/usr/share/gitweb/*' \
      '/usr/*/scalar' '/usr/*/git-shell' /usr/lib/git-core/git-daemon '/usr/lib/git-core/git-http-*' \
      /usr/lib/git-core/git-imap-send /usr/lib/git-core/git-sh-i18n--envsubst \
      > /etc/dpkg/dpkg.cfg.d/mt-gate \
 && echo 'path-include=/usr/share/doc/*/copyright' >> /etc/dpkg/dpkg.cfg.d/mt-gate \
 && mkdir -p /tmp/perl/DEBIAN /tmp/perl/usr/share/doc/mt-gate-without-perl \
 && printf '%s\n' 'Package: mt-gate-without-perl' 'Version: 1' 'Architecture: all' 'Maintainer: mt-gate' \
      'Provides: perl, liberror-perl' 'Description: git that only fetches, without perl' \
      > /tmp/perl/DEBIAN/control \
 && echo 'License: Apache-2.0' > /tmp/perl/usr/share/doc/mt-gate-without-perl/copyright \
 && dpkg-deb --build /tmp/perl /tmp/perl.deb \
 && apt-get update \
 && apt-get install -y --no-install-recommends /tmp/perl.deb git \
 && apt-get clean \
 && rm -rf /tmp/perl /tmp/perl.deb /var/lib/apt/lists/*
# GitHub mounts the workspace as root's: another user could not write the reports.
# Isolated: a job's PYTHONPATH may lead into the checkout.
ENTRYPOINT ["python", "-I", "-u", "-m", "mt_gate"]
CMD ["--help"]

FROM ${BASE} AS wheel
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY .ci/lock-build.txt ./
RUN pip install --require-hashes --only-binary :all: -r lock-build.txt
COPY pyproject.toml README.md LICENSE ./
COPY runner runner
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheel .

# pip stays outside of what is copied: nothing is installed in a job.
FROM ${BASE} AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_PYTHON=/opt/mt-gate/bin/python \
    PIP_ONLY_BINARY=:all: \
    PIP_REQUIRE_HASHES=1
WORKDIR /src
RUN python3 -m venv --without-pip /opt/mt-gate

FROM packages AS built-run
COPY .ci/lock-run.txt ./
# Packages' own tests stay outside. So does what only exports and C programs ask of ONNX Runtime (its
# shared library is a second copy of what Python's module holds), and what compiles against numpy: 43 MB.
RUN pip install -r lock-run.txt \
 && find /opt/mt-gate -type d -name tests -prune -exec rm -r {} + \
 && site=/opt/mt-gate/lib/python3.11/site-packages \
 && rm -r "$site"/onnxruntime/quantization "$site"/onnxruntime/tools "$site"/onnxruntime/transformers \
      "$site"/onnxruntime/capi/libonnxruntime.so.* \
      "$site"/numpy/distutils "$site"/numpy/f2py "$site"/numpy/_core/include "$site"/numpy/_core/lib "$site"/numpy/random/lib
COPY --from=wheel /wheel /wheel
RUN PIP_REQUIRE_HASHES=0 pip install --no-deps /wheel/*.whl && pip check

FROM packages AS built-gpu
# With the CUDA and cuDNN that this build of the runtime asks for; the driver is the machine's.
COPY .ci/lock-gpu.txt ./
RUN pip install -r lock-gpu.txt \
 && find /opt/mt-gate -type d -name tests -prune -exec rm -r {} +
COPY --from=wheel /wheel /wheel
RUN PIP_REQUIRE_HASHES=0 pip install --no-deps /wheel/*.whl && pip check

FROM packages AS built-full
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY .ci/lock-torch.txt .ci/lock-full.txt ./
RUN pip install --no-deps ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} -r lock-torch.txt \
 && pip install -r lock-full.txt
# And what torch has to compile extensions and to test itself with, 200 MB, and ONNX Runtime's for C, 30 MB.
RUN find /opt/mt-gate -type d -name tests -prune -exec rm -r {} + \
 && rm -r /opt/mt-gate/lib/python3.11/site-packages/torch/include \
      /opt/mt-gate/lib/python3.11/site-packages/torch/test \
      /opt/mt-gate/lib/python3.11/site-packages/onnxruntime/capi/libonnxruntime.so.* \
 && find /opt/mt-gate/lib/python3.11/site-packages/torch/bin -type f ! -name torch_shm_manager -delete
COPY --from=wheel /wheel /wheel
RUN PIP_REQUIRE_HASHES=0 pip install --no-deps /wheel/*.whl && pip check

FROM slim AS gpu
ENV LD_LIBRARY_PATH=/opt/mt-gate/lib/python3.11/site-packages/nvidia/cu13/lib:/opt/mt-gate/lib/python3.11/site-packages/nvidia/cudnn/lib
COPY --from=built-gpu /opt/mt-gate /opt/mt-gate

FROM slim AS full
COPY --from=built-full /opt/mt-gate /opt/mt-gate

FROM slim AS run
COPY --from=built-run /opt/mt-gate /opt/mt-gate
