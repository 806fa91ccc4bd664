#!/bin/sh
# Stands between the referee and a bot that is started once a move. Reads each input.txt as a line of base64, runs the
# bot in this folder, and answers with its exit status and its output.txt: "answer 0 QjEK", or "answer 1 -" without one.
# Needs nothing but a POSIX shell and coreutils.

while IFS= read -r request; do
  if [ "$request" = ready ]; then
    echo ready
    continue
  fi
  # What lies here from before, from the last move or from what was handed in, is no answer to this move.
  rm -rf input.txt output.txt 2>/dev/null || { chmod -R u+rwx . && rm -rf input.txt output.txt; } 2>/dev/null
  old=no
  [ ! -e output.txt ] && [ ! -L output.txt ] || old=yes
  printf '%s' "$request" | base64 -d >input.txt
  "$@" </dev/null >&2
  status=$?
  # What the bot left running would think on in the opponent's time. Everything else in its sandbox is its own.
  [ "${LUDUS_SANDBOX-}" != 1 ] || kill -9 -1 2>/dev/null
  output=-
  if [ "$old" = no ] && [ -f output.txt ]; then
    output=$(head -c 32769 output.txt | base64 -w 0)
    output=${output:-Cg==} # an empty file is a file
  fi
  echo "answer $status $output"
done
