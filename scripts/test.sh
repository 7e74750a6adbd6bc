#!/usr/bin/env bash
# The whole suite. The tests with processes of their own mostly wait, so they run beside those that compute: a core is
# never idle while a test is left. Then it lists the slowest files. Arguments go to vitest, which then runs alone.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if (($# > 0)); then exec npx vitest run "$@"; fi

folder=$(mktemp -d)
# Runs projects and keeps their report. Both runs print their tests; the second one's lines follow the first one's.
run() {
  local report=$1
  shift
  npx vitest run --reporter=default --reporter=json --outputFile.json="$folder/$report.json" "$@"
}

run processes --project e2e >"$folder/output" 2>&1 &
processes=$!
trap 'kill "$processes" 2>/dev/null; rm -rf "$folder"' EXIT
status=0
run computing --project unit --project deep || status=$?
wait "$processes" || status=$?
cat "$folder/output"
node scripts/slowest-files.mjs "$folder"/*.json || status=$?
exit "$status"
