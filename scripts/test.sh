#!/usr/bin/env bash
# The whole suite. The tests with processes of their own mostly wait, so they run beside those that compute: a core is
# never idle while a test is left. Then it lists the slowest files. Arguments go to vitest, which then runs alone.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if (($# > 0)); then exec npx vitest run "$@"; fi

folder=$(mktemp -d)
# Becomes a run of vitest that also writes a report.
run() {
  local report=$folder/$1.json
  shift
  exec node_modules/.bin/vitest run --reporter=default --reporter=json --outputFile.json="$report" "$@"
}

(run processes --project e2e) >"$folder/output" 2>&1 &
processes=$!
trap 'kill "$processes" 2>/dev/null; rm -rf "$folder"' EXIT
status=0
(run computing --project unit --project deep) || status=$?
# The lines of the other run follow, so that the two do not mix.
wait "$processes" || status=$?
cat "$folder/output"
node scripts/slowest-files.mjs "$folder"/*.json || status=$?
exit "$status"
