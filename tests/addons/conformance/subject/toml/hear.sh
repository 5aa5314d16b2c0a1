#!/bin/sh
# The hooks of the subject that a single sed does not say. The payload is one line of JSON.
IFS= read -r payload
explode() {
    echo boom >&2
    exit 1
}
case $1:$payload in
guard:*explode-gate* | forget:*explode-context* | began:*explode-observer*) explode ;;
guard:*forbidden*) echo '{"stop":true,"reason":"it is forbidden"}' ;;
hold:*stopword*) echo '{"stop":true,"reason":"not that word"}' ;;
forget:*) printf '%s' "$payload" | sed 's/old-news/[left out]/g' ;;
began:*listen*) echo 'heard it' >heard ;;
esac
