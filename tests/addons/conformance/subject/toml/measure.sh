#!/bin/sh
# The tool of the subject: its answer is its output, and a code other than 0 is an error.
case $1 in
wrong)
    echo 'that is wrong'
    exit 1
    ;;
explode)
    kill -9 $$
    ;;
stay)
    exec sleep 60
    ;;
*)
    echo 'it fits'
    ;;
esac
