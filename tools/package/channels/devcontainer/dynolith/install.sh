#!/bin/sh
# Installs the program into a development container, and what starts it with the container. It runs as root, with the feature's
# options as SERVE and OPTIONS. DESTDIR: installs below this folder.
set -eu

here="$(cd "$(dirname "$0")" && pwd)"
root="${DESTDIR:-}"
if ! command -v curl >/dev/null && ! command -v wget >/dev/null; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends curl ca-certificates
fi
sh "$here/get_program" "$root/usr/local/bin"
mkdir -p "$root/usr/local/share/dynolith" "$root/var/lib/dynolith"
# Whoever the container's user is.
chmod 1777 "$root/var/lib/dynolith"
{
  echo '#!/bin/sh'
  if [ "${SERVE:-true}" = true ]; then
    echo "nohup \"$root/usr/local/bin/dynolith\" serve ${OPTIONS:-} >>/tmp/dynolith.log 2>&1 </dev/null &"
  fi
  echo 'exec "$@"'
} >"$root/usr/local/share/dynolith/start"
chmod 755 "$root/usr/local/share/dynolith/start"
