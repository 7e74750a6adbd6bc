#!/usr/bin/env bash
# The whole suite, and then its slowest files. Arguments go to vitest.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if (($# > 0)); then exec npx vitest run "$@"; fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
npx vitest run --reporter=default --reporter=json --outputFile.json="$folder/report.json" || status=$?
node scripts/slowest-files.mjs "$folder/report.json" || status=$?
exit "$status"
