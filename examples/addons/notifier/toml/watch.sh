#!/bin/sh
# It runs in the workspace beside the session, and ends with it.
seen=
while :; do
    now=$(git rev-parse HEAD)
    [ "$now" = "$seen" ] || echo "the branch is at $now" >>branch.log
    seen=$now
    sleep 300
done
