#!/bin/sh
# An inbox for data stewards: a file that is put into INBOX/<slug>/ gets its reports beside it: <file>.laporan.html (what is wrong) and, where
# something is, <file>.perbaikan.xlsx (the bad rows, to be corrected). Nothing is published and no file is changed.
#
#   sh odp-inbox.sh INBOX                  looks every ODP_INBOX_EVERY seconds (10)
#   sh odp-inbox.sh --once INBOX           once: for cron, or for the systemd units beside this file
#
# ODP_CATALOG: the catalogue's folder (catalog). ODP_LANG: id or en. A shapefile comes as a zip archive.
set -eu

once=
[ "${1:-}" != --once ] || { once=1; shift; }
if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    echo "usage: odp-inbox.sh [--once] INBOX" >&2
    exit 2
fi
inbox=$1
catalog=${ODP_CATALOG:-catalog}
every=${ODP_INBOX_EVERY:-10}
case $inbox in /*) ;; *) inbox=./$inbox ;; esac

# The reports hold the steward's own rows.
umask 077

# A file that is still being copied changes; it is looked at the next time.
is_quiet() {
    before=$(stat -c '%s %Y' "$1") || return 1
    sleep 1
    [ "$before" = "$(stat -c '%s %Y' "$1" || true)" ]
}

# Reports are written under another name first: what stands beside a file is always whole, and of that file.
look_at() {
    file=$1 slug=$2 html=$1.laporan.html xlsx=$1.perbaikan.xlsx
    new=$(dirname "$file")/.odp-$$
    rm -f "$new.html" "$new.xlsx"
    code=0
    odp-build check --catalog "$catalog" --as "$slug" --quiet --no-progress --report html="$new.html" --report xlsx="$new.xlsx" --report human="$new.txt" -- "$file" || code=$?
    case $code in
    0) rm -f "$xlsx" "$new.xlsx" ;;
    1) [ ! -f "$new.xlsx" ] || mv -f "$new.xlsx" "$xlsx" ;;
    *)
        # Not the steward's fault: said here, and tried again the next time.
        cat "$new.txt" >&2 2>/dev/null || true
        rm -f "$new.html" "$new.xlsx" "$new.txt"
        printf '%s: odp-build: %s\n' "$file" "$code" >&2
        return 0
        ;;
    esac
    rm -f "$new.txt"
    # The mark that the file was looked at, so last; with the file's own time, so that a newer file is newer than its report.
    touch -r "$file" "$new.html"
    mv -f "$new.html" "$html"
    printf '%s: %s\n' "$file" "$code"
}

round() {
    for folder in "$inbox"/*/; do
        slug=$(basename "$folder")
        for file in "$folder"*; do
            case $file in
            *.laporan.html | *.perbaikan.xlsx) continue ;;
            *.csv | *.tsv | *.txt | *.xlsx | *.zip | *.CSV | *.XLSX | *.ZIP) ;;
            *) continue ;;
            esac
            if [ ! -f "$file" ] || [ -L "$file" ]; then continue; fi
            [ "$(stat -c %Y "$file")" != "$(stat -c %Y "$file.laporan.html" 2>/dev/null || true)" ] || continue
            ! is_quiet "$file" || look_at "$file" "$slug"
        done
    done
}

while :; do
    round
    [ -z "$once" ] || exit 0
    sleep "$every"
done
