#!/bin/sh
# The three steps of a pipeline, for a catalogue in a repository of its own. The same on every CI: the recipes beside this file call it.
#
#   sh ci/odp.sh install            the package, on Debian (as root, or with sudo)
#   sh ci/odp.sh check [BASE]       reports into reports/; with BASE (a commit) only what has changed since, and what refers to it
#   sh ci/odp.sh publish            build on top of what is published, then publish; --first: the destination is still empty
#
# What it is told by the environment:
#   ODP_PACKAGE          the odp-build package (.deb): a file or an https address
#   ODP_PACKAGE_SHA256   its digest; asked for where ODP_PACKAGE is an address
#   ODP_DESTINATION      where the site is published: a folder, or an rclone remote (NAME:PATH, configured by RCLONE_CONFIG_…)
#   ODP_PREVIOUS         where the published site can be read; ODP_DESTINATION by default. For checks a web address is enough, and no secret is needed
#   ODP_CATALOG          the catalogue's folder (catalog)
#   ODP_SOURCES          folder of the sources, where they do not lie in the catalogue
#   ODP_SIGNING_KEY      the secret key that signs the site (its text); empty: the site is not signed
#   ODP_LANG             id or en: language of the messages
set -eu

catalog=${ODP_CATALOG:-catalog}
reports=reports

fail() {
    printf 'odp.sh: %s\n' "$*" >&2
    exit 2
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_package() {
    [ -n "${ODP_PACKAGE:-}" ] || fail "ODP_PACKAGE is not set: file or address of the odp-build package"
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends ca-certificates curl git rclone
    folder=$(mktemp -d)
    case $ODP_PACKAGE in
    https://*)
        [ -n "${ODP_PACKAGE_SHA256:-}" ] || fail "ODP_PACKAGE_SHA256 is not set: a package from an address is installed only with its digest known"
        curl -fsSL --proto '=https' -o "$folder/odp-build.deb" "$ODP_PACKAGE"
        ;;
    *) cp "$ODP_PACKAGE" "$folder/odp-build.deb" ;;
    esac
    if [ -n "${ODP_PACKAGE_SHA256:-}" ]; then
        printf '%s  %s\n' "$ODP_PACKAGE_SHA256" "$folder/odp-build.deb" | sha256sum --check --quiet - || fail "the package has another digest than ODP_PACKAGE_SHA256"
    fi
    chmod 755 "$folder"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$folder/odp-build.deb"
    rm -r "$folder"
    # In a container the checkout often belongs to somebody else, and git then refuses to read it.
    git config --global --add safe.directory "$PWD"
    odp-build --version
}

# What every call of odp-build has, as "$@" of the functions below.
common() {
    command=$1
    shift
    set -- --catalog "$catalog" --no-progress "$@"
    [ -z "${ODP_SOURCES:-}" ] || set -- --sources "$ODP_SOURCES" "$@"
    [ "${GITHUB_ACTIONS:-}" != true ] || set -- --report github "$@"
    odp-build "$command" "$@"
}

check() {
    base=${1:-}
    mkdir -p "$reports"
    set -- --report human --report json="$reports/odp.json" --report sarif="$reports/odp.sarif" --report junit="$reports/odp.xml" --report html="$reports/odp.html"
    # 000…0 is what CI says of a branch that is new.
    case $base in '' | *[!0]*) ;; *) base= ;; esac
    [ -z "$base" ] || set -- --changed "$base" "$@"
    # Does the release number fit what is published?
    [ -z "${ODP_PREVIOUS:-}" ] || set -- --previous "$ODP_PREVIOUS" "$@"
    common check "$@"
}

publish() {
    destination=${ODP_DESTINATION:-}
    [ -n "$destination" ] || fail "ODP_DESTINATION is not set: where the site is published"
    first=
    [ "${1:-}" != --first ] || first=--first
    [ -z "${1:-}" ] || [ -n "$first" ] || fail "unknown: $1"
    mkdir -p "$reports"
    set -- --out build/site --report human --report html="$reports/odp.html"
    # The workspace is empty: all history is where the site is published. Nothing is read before the first time.
    [ -n "$first" ] || set -- --previous "${ODP_PREVIOUS:-$destination}" "$@"
    if [ -n "${ODP_SIGNING_KEY:-}" ]; then
        key=$(mktemp)
        trap 'rm -f "$key"' EXIT
        printf '%s\n' "$ODP_SIGNING_KEY" >"$key"
        set -- --key "$key" "$@"
    fi
    common build "$@"
    # Refused where somebody was faster, or where the destination has versions that this site lacks.
    odp-build publish "$destination" --out build/site ${first:+--first}
}

case ${1:-} in
install) install_package ;;
check) check "${2:-}" ;;
publish) publish "${2:-}" ;;
*) fail "usage: odp.sh install | check [BASE] | publish [--first]" ;;
esac
