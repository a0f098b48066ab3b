# Installs rabbitmq-server without starting, now or at the next boot, the system services it brings.
set -eu
services=rabbitmq-server.service
command -v epmd >/dev/null || services="$services epmd.socket epmd.service"
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
fi
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install() {
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 rabbitmq-server >/dev/null
}
install || { apt-get update -qq >/dev/null && install; }
if [ -d /run/systemd/system ]; then
  systemctl disable --quiet $services || true
fi
