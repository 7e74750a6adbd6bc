#!/usr/bin/env bash
# Installs the package in an empty machine and takes one order through it. Prints the times and sizes. Needs root,
# debootstrap and the network.
#
#   scripts/try-install.sh [PACK]      a package of npm pack; by default one is made of this checkout
#   KEEP=1 scripts/try-install.sh      keeps the machine, in IMAGE (default: a new folder)
#
# Node and npm are those of this machine: Debian's own Node is older than the package needs. The tools that compile
# sqlite3 are in the image too; they are used where no prebuilt binary of it can be downloaded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pack=${1:-}
image=${IMAGE:-$(mktemp -d)/image}
suite=${SUITE:-bookworm}

finish() {
  for mount in proc dev; do umount "$image/$mount" 2>/dev/null || true; done
  [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$image"
}
trap finish EXIT

# Seconds of a command, to stderr; its output goes to a file that is shown when it fails.
timed() {
  local name=$1 began output
  shift
  output=$(mktemp)
  began=$(date +%s.%N)
  "$@" >"$output" 2>&1 || { tail -40 "$output" >&2; echo "failed: $name" >&2; exit 1; }
  printf '%-58s %7.1f s\n' "$name" "$(echo "$(date +%s.%N) - $began" | bc)"
  last=$output
}
# As in a shell of a fresh account: none of the variables of this one.
inside() {
  chroot "$image" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt npm_config_nodedir=/usr/local \
    bash -c "$1"
}
megabytes() { du -sm --apparent-size "$image$1" | cut -f1; }

if [ -z "$pack" ]; then
  folder=$(mktemp -d)
  timed 'npm pack' npm pack --silent --pack-destination "$folder"
  pack=$(ls "$folder"/*.tgz)
fi

timed "empty machine ($suite, with the tools that compile sqlite3)" \
  debootstrap --variant=minbase --include=ca-certificates,python3,make,g++,procps "$suite" "$image"
mount -t proc proc "$image/proc"
mount --bind /dev "$image/dev"
cp /etc/resolv.conf "$image/etc/resolv.conf"
# The authorities of this machine, for a network with a proxy of its own.
cp /etc/ssl/certs/ca-certificates.crt "$image/etc/ssl/certs/ca-certificates.crt"
install -D "$(command -v node)" "$image/usr/local/bin/node"
mkdir -p "$image/usr/local/lib/node_modules" "$image/usr/local/include"
cp -r "$(npm root --global)/npm" "$image/usr/local/lib/node_modules/"
include=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")/include/node
[ -d "$include" ] && cp -r "$include" "$image/usr/local/include/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$image/usr/local/bin/npm"
cp "$pack" "$image/root/"
name=$(basename "$pack")

timed 'npm install -g, without the binary of sqlite3' \
  inside "npm install -g --ignore-scripts --prefix /root/without /root/$name"
rm -rf "$image/root/without"
timed 'npm install -g, whole' inside "npm install -g --loglevel verbose /root/$name"
if grep -q 'node-gyp.*rebuild\|gyp info ok' "$last"; then echo 'sqlite3 was compiled'; else echo 'sqlite3 came prebuilt'; fi
package=$(inside 'dirname "$(dirname "$(readlink -f /usr/local/bin/svc)")"')
printf '%-58s %7d MB\n' 'the installed package' "$(megabytes "$package")"

timed 'svc self-check' inside 'svc self-check'
timed 'svc up --detach' inside 'svc up --detach'
timed 'svc setup' inside 'printf "Passw0rd!%s\n" "$RANDOM" | svc setup --username asha --email asha@example.org --password-stdin'
timed 'an order at the simulated exchange, until it is filled' \
  inside 'svc order place SBIN NSE BUY 10 --product CNC --wait --yes'
grep '^order_status' "$last"
timed 'svc down' inside 'svc down'
printf '%-58s %7d MB\n' 'the home after one order' "$(megabytes /root/.local/share/svc)"
