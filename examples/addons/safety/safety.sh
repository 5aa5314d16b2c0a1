#!/bin/sh
# A gate in plain shell, written from docs/addon-protocol.md: no force push, whoever asks for it.
# The host writes compact JSON, one message per line, with the method first and the id last.

while IFS= read -r line; do
    id=${line##*\"id\":}
    id=${id%\}}
    case $line in
    '{"method":"initialize"'*)
        result='{"protocol":1,"name":"safety","version":"1.0.0","register":{"events":[{"event":"tool:before","kind":"gate"}]}}'
        ;;
    '{"method":"event"'*'"name":"bash"'*'push --force'*)
        result='{"stop":true,"reason":"no force push from here"}'
        ;;
    '{"method":"event"'*)
        result='{"stop":false}'
        ;;
    '{"method":"$/cancel"'*)
        continue # one call at a time: it was answered before this could be read
        ;;
    *)
        result='null'
        ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
