#!/bin/sh
# A bot in plain shell: plays the first legal move against a player of the arena. Needs curl and jq.
#   LUDUS_ARENA=http://127.0.0.1:8000 LUDUS_TOKEN=... ./bot.sh connect-four engine:level=1
set -eu
ask() {
  curl --silent --show-error --fail-with-body --no-buffer \
    -H "Authorization: Bearer $LUDUS_TOKEN" -H "Content-Type: application/json" "$@"
}

begun=$(ask "$LUDUS_ARENA/api/matches" -d "{\"game\": \"$1\", \"seats\": [\"human\", \"$2\"]}") || {
  echo "$begun" | jq -r '.detail // empty' >&2
  exit 1
}
match=$(echo "$begun" | jq -r .id)
echo "watch it at $LUDUS_ARENA/match/$match"

# The stream sends the match whenever it has changed. It goes on after the game, so it is stopped at the end.
folder=$(mktemp -d)
mkfifo "$folder/stream"
curl --silent --no-buffer -H "Authorization: Bearer $LUDUS_TOKEN" "$LUDUS_ARENA/api/matches/$match/events" >"$folder/stream" &
trap 'kill $!; rm -r "$folder"' EXIT

while read -r line; do
  view=${line#data: }
  [ "$view" != "$line" ] || continue # a number, a blank line, or a sign of life
  if echo "$view" | jq -e '.position.outcome' >/dev/null; then
    echo "$view" | jq -r '.position.outcome.winner as $winner
      | if $winner == null then "a draw" elif .seats[$winner].you then "won" else "lost" end'
    break
  fi
  if echo "$view" | jq -e '(.may // []) | index("move")' >/dev/null; then
    move=$(echo "$view" | jq -r '.position.legal[0].move')
    ply=$(echo "$view" | jq '.since + ((.plies // []) | length)')
    ask "$LUDUS_ARENA/api/matches/$match/moves" -d "{\"move\": \"$move\", \"ply\": $ply}" >/dev/null
  fi
done <"$folder/stream"
