#!/bin/sh
# Runs a gate in a container; "docker.sh record [REASON]" records its baseline. See docs/recipes.md.
set -eu
IMAGE=ghcr.io/org/mt-gate:0.1.0-full
CACHE=${CACHE:-$HOME/.cache/mt-gate} # exports and predictions of earlier runs

mt_gate() {
  docker run --rm --user "$(id -u):$(id -g)" --env HOME=/tmp \
    --volume "$PWD:/work" --workdir /work --volume "$CACHE:/cache" "$IMAGE" "$@"
}

gate() {
  mt_gate run --checkpoint models/ner --task ner --name ner --cache /cache "$@"
}

mkdir -p "$CACHE" # otherwise Docker creates it as root
if [ "${1-}" = record ]; then
  gate
  mt_gate baseline record mt-gate-out --name ner ${2:+--accept "$2"}
else
  gate --baseline baselines/ner.json # exit code 1 is a regression, 3 is cannot-judge
fi
