#!/usr/bin/env bash
# Runs the unit project and the tests of the command line on days and at times of day that are special in India: a year
# without a list of holidays, a Saturday, an expiry day after the close, and both sides of midnight and of 03:00, at
# which a session ends. For the night; it needs the program faketime. Arguments go to vitest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

times=(
  '2027-02-15 10:00:00'
  '2026-12-05 11:00:00'
  '2026-12-01 15:45:00'
  '2026-12-02 23:58:00'
  '2026-12-03 02:58:00'
)
command -v faketime >/dev/null || { echo "faketime is not installed" >&2; exit 2; }
npm run --silent build
failed=()
for time in "${times[@]}"; do
  echo "at $time in India"
  utc=$(TZ=UTC date -d "$time +0530" '+%Y-%m-%d %H:%M:%S')
  # Waits and limits go on with the real clock.
  at() { TZ=UTC FAKETIME_DONT_FAKE_MONOTONIC=1 faketime "$utc" npx vitest run "$@" || failed+=("$time"); }
  if (($# > 0)); then
    at "$@"
  else
    at --project unit
    at --project e2e test/e2e/cli
  fi
done
((${#failed[@]} == 0)) && exit
printf 'failed at %s\n' "${failed[@]}" >&2
exit 1
