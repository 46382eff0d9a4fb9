#!/bin/sh
# The checked-in sample sources are what odp-sample makes: sample_reproduces.sh ODP_SAMPLE SOURCE_DIR
set -eu
program=$1
source=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT INT TERM
"$program" all --catalog "$source/catalog" --out "$out/a"
"$program" all --catalog "$source/catalog" --out "$out/b"
diff -r "$out/a" "$out/b" || { echo "two runs differ" >&2; exit 1; }
bad=0
made=0
cd "$out/a"
for file in $(find . -type f); do
    made=$((made + 1))
    cmp "$file" "$source/catalog/$file" || bad=1
done
# Nothing lies in a dataset's folder that odp-sample did not make.
cd "$source/catalog"
for file in $(find ./*/ -type f); do
    case $file in
    ./references/* | */dataset.json) ;;
    *) [ -e "$out/a/$file" ] || { echo "not made by odp-sample: $file" >&2; bad=1; } ;;
    esac
done
[ "$made" -ge 23 ] || { echo "only $made files were made" >&2; bad=1; }
[ "$bad" -eq 0 ] || { echo "regenerate: odp-sample all --out catalog" >&2; exit 1; }
