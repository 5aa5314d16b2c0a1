#!/bin/sh
# The task of the subject: tells that it runs, and runs on.
echo tick >ticked
exec sleep 60
