#!/bin/sh
# Confirms every pending order, and tells how it went.
#
# TRADEPOST_BASE_URL is where the service is, TRADEPOST_API_KEY the key of a seller or an agent.
# Safe to run twice, or at the same time as somebody else: an order that is no longer pending is
# left alone. Ends with 1 when an order could not be confirmed, and with the CLI's own code when
# the orders could not even be listed.
set -eu

# Not installed: take the one of this checkout.
if ! command -v tradepost >/dev/null 2>&1; then
  here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
  tradepost() { node "$here/../packages/cli/bin/tradepost.cjs" "$@"; }
fi

# The whole list first: confirming while pages are still to come would change them.
# In CSV the first line names the fields, and the first field is the id.
list=$(tradepost orders list --status pending --all --output csv)
ids=$(printf '%s\n' "$list" | sed -e 1d -e 's/,.*//')

confirmed=0 left_alone=0 failed=0
for id in $ids; do
  code=0
  tradepost orders set-status "$id" confirmed >/dev/null || code=$?
  case $code in
    0) echo "$id is confirmed"; confirmed=$((confirmed + 1)) ;;
    6) echo "$id is no longer pending: left alone"; left_alone=$((left_alone + 1)) ;;
    130) exit 130 ;;
    *) echo "$id could not be confirmed" >&2; failed=$((failed + 1)) ;;
  esac
done

echo "$confirmed confirmed, $left_alone left alone, $failed failed"
test "$failed" -eq 0
