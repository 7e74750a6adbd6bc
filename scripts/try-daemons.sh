#!/usr/bin/env bash
# Starts many daemons on this machine, each with a home and a context of its own, and drives them with one command each: their
# state, the same while one of them hangs, and the kill switch of all. Prints the times and the exit statuses.
#
#   scripts/try-daemons.sh [COUNT]     20 by default; it runs the built program of this checkout (npm run build)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

count=${1:-20}
root=$(mktemp -d)
export SVC_CONFIG_DIR=$root/config SVC_HOME=$root/none
unset SVC_URL SVC_CONTEXT SVC_TOKEN SVC_API_KEY
svc() { node bin/svc "$@"; }
home() { echo "$root/home-$1"; }
pid_of() { node -p 'JSON.parse(fs.readFileSync(process.argv[1] + "/daemon.json", "utf8")).pid' "$(home "$1")"; }
finish() {
  for ((at = 1; at <= count; at++)); do kill -9 "$(pid_of "$at" 2>/dev/null)" 2>/dev/null || true; done
  rm -rf "$root"
}
trap finish EXIT

# The seconds of a command, its exit status, and its last line: that of an error.
timed() {
  local name=$1 began status=0
  shift
  began=$(date +%s.%N)
  "$@" >"$root/output" 2>"$root/errors" || status=$?
  printf '%-42s %6.2f s   exit status %d   %s\n' "$name" "$(echo "$(date +%s.%N) - $began" | bc)" "$status" \
    "$(tail -1 "$root/errors")"
}

password="Trial-$RANDOM-$RANDOM-$RANDOM"
for ((at = 1; at <= count; at++)); do
  SVC_HOME=$(home "$at") SVC_PORT=0 SVC_WS_PORT=0 svc up --detach >"$root/output" 2>&1 || { cat "$root/output"; exit 1; }
  printf '%s\n' "$password" | SVC_HOME=$(home "$at") svc setup --username asha --email asha@example.org --password-stdin \
    >"$root/output" 2>&1 || { cat "$root/output"; exit 1; }
  url=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1] + "/daemon.json", "utf8")).url' "$(home "$at")")
  svc context add "desk-$at" --url "$url" >/dev/null 2>&1
  printf '%s\n' "$password" | svc login --username asha --password-stdin --context "desk-$at" >/dev/null 2>&1
done
echo "$count daemons run"

timed 'svc context status' svc context status
timed 'svc context status, again' svc context status
kill -STOP "$(pid_of 1)"
timed 'svc context status while desk-1 hangs' svc context status
timed 'svc risk kill --all-contexts meanwhile' svc risk kill --all-contexts --yes --reason trial
kill -CONT "$(pid_of 1)"
timed 'svc risk kill --all-contexts' svc risk kill --all-contexts --yes --reason trial
