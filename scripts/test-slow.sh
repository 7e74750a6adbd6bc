#!/usr/bin/env bash
# Runs the unit project three times as on a slow machine: two workers for each core, beside four busy loops.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

loops=()
trap 'kill "${loops[@]}"' EXIT
for _ in 1 2 3 4; do
  while :; do :; done &
  loops+=($!)
done
for round in 1 2 3; do
  echo "round $round of 3"
  SVC_WORKERS_PER_CORE=2 npx vitest run --project unit "$@"
done
