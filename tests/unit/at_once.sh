#!/bin/sh
# at_once.sh N PROGRAM [argument]...: the tests of a GoogleTest program, dealt out to N processes that run at once. For tests that
# mostly wait, in real time. What each prints follows when it has ended.
count=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shard=0
running=
while [ "$shard" -lt "$count" ]; do
  GTEST_TOTAL_SHARDS=$count GTEST_SHARD_INDEX=$shard "$@" > "$folder/$shard" 2>&1 &
  running="$running $!"
  shard=$((shard + 1))
done
result=0
shard=0
for process in $running; do
  wait "$process" || result=1
  cat "$folder/$shard"
  shard=$((shard + 1))
done
exit $result
