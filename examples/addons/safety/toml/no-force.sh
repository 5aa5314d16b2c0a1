#!/bin/sh
# The payload comes as one line of JSON. Silence lets the call pass.
case $(cat) in
*'push --force'*) echo '{"stop":true,"reason":"no force push from here"}' ;;
esac
