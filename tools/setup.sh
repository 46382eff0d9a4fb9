#!/bin/sh
# One command for a fresh Debian or Ubuntu machine.
#   sh tools/setup.sh run     install what is missing, build, compile the whole catalogue into build/site
#   sh tools/setup.sh test    install what is missing, build, run the tests of every day: minutes
#   sh tools/setup.sh full    the same with all that CI runs: browsers, package managers, faults, recipes
#   sh tools/setup.sh deep    the same, then the tests that take hours
#   sh tools/setup.sh bench   install what is missing, build, measure beside all peers (tests/bench)
# Running it again does only what is still to be done.
set -eu
cd "$(dirname "$0")/.."

# Of "a|b" either will do: the one that is there, or else the first that this distribution has.
BUILD_PACKAGES="gcc cmake make pkg-config libc6-dev libjansson-dev libcsv-dev libshp-dev libproj-dev proj-data libgeos-dev
    libpcre2-dev libzip-dev libexpat1-dev zlib1g-dev libdeflate-dev libbrotli-dev libxxhash-dev libssl-dev libsqlite3-dev libsodium-dev libarchive-dev
    libxlsxwriter-dev libpango1.0-dev libcairo2-dev libqpdf-dev libqrencode-dev fonts-noto-core
    libunistring-dev libmicrohttpd-dev libhiredis-dev libcurl4-openssl-dev|libcurl4-gnutls-dev nginx nginx-dev esbuild libjs-leaflet npm
    ca-certificates"
# Of the packages below one that this distribution lacks is left out: what needs it is skipped, and says so.
TEST_PACKAGES="libcmocka-dev binutils python3 python3-openpyxl python3-jsonschema gdal-bin sqlite3 curl openssl minisign faketime poppler-utils qpdf
    php-cli git zsh nodejs"
FULL_PACKAGES="dpkg-dev file redis-server caddy valgrind rclone python3-owslib python3-yaml python3-venv libxml2-utils chromium default-jre-headless
    composer unzip php-curl mypy"
DEEP_PACKAGES="clang clang-tidy cppcheck libclang-rt-dev miller csvkit wrk haproxy libnginx-mod-http-lua libreoffice-calc-nogui zbar-tools
    python3-pandas python3-geopandas gcovr debootstrap"
BENCH_PACKAGES="python3 gdal-bin sqlite3 miller csvkit brotli libdeflate-tools unzip wrk haproxy caddy libnginx-mod-http-lua redis-server openssl nodejs"

# Of these only the programs are used; the services that come with them stay off.
SERVERS="nginx redis-server haproxy caddy"

usage() {
    echo "usage: sh tools/setup.sh run|test|full|deep|bench" >&2
    exit 2
}

# Programs that come from elsewhere as well (Node.js has packages of its own): from wherever, they will do.
is_there() {
    case $1 in
    nodejs) command -v node >/dev/null 2>&1 && return 0 ;;
    npm | esbuild) command -v "$1" >/dev/null 2>&1 && return 0 ;;
    esac
    case " $installed " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# Whether the distribution has package $1. A machine whose lists apt has not fetched yet cannot tell, and is taken to have all.
is_known() {
    [ -n "$known" ] || return 0
    case "$known" in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# Sets "missing", what is to be installed of the packages $@, and "unknown", what this distribution has no package for.
look_for() {
    installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii *//p' | tr '\n' ' ')
    known=""
    ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || known=" $(apt-cache pkgnames | tr '\n' ' ')"
    missing=""
    unknown=""
    for either in "$@"; do
        found=""
        for name in $(echo "$either" | tr '|' ' '); do
            ! is_there "$name" || continue 2
            if [ -z "$found" ] && is_known "$name"; then
                found=$name
            fi
        done
        if [ -n "$found" ]; then
            missing="$missing $found"
        else
            unknown="$unknown ${either%%|*}"
        fi
    done
}

# Without these nothing is built.
check_known() {
    for name in $unknown; do
        case " $(echo "$BUILD_PACKAGES" | tr '|\n' '  ') " in
        *" $name "*)
            echo "setup: this distribution has no package $name, which is needed to build. Debian 12 and 13 and Ubuntu 24.04 (with universe) have it." >&2
            exit 1
            ;;
        esac
    done
    [ -z "$unknown" ] || echo "setup: this distribution has no$unknown; tests that need it are skipped"
}

# Installs those of the named packages that are not there; says what to do where it may not.
install_missing() {
    look_for "$@"
    if [ -z "$missing" ]; then
        check_known
        return 0
    fi
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "setup: this machine has no apt-get; install by hand:$missing" >&2
        exit 1
    fi
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            as_root="sudo"
        else
            check_known
            echo "setup: packages are missing and this user may not install them. Ask an administrator for:" >&2
            echo "    apt-get install$missing" >&2
            echo "then run this command again." >&2
            exit 1
        fi
    fi
    $as_root apt-get update -q
    look_for "$@"
    check_known
    echo "setup: installing$missing"
    keep_servers_off
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
    let_servers_be
    for server in $SERVERS; do
        case " $missing " in
        *" $server "*) $as_root env DPKG_MAINTSCRIPT_PACKAGE="$server" deb-systemd-helper disable "$server.service" >/dev/null 2>&1 || true ;;
        esac
    done
}

# Debian starts a server as soon as its package is there: nginx would take port 80 of this machine, though only its program is
# wanted. policy-rc.d is Debian's own way to say no (invoke-rc.d(8)); one that an administrator has put there stays.
POLICY=/usr/sbin/policy-rc.d
policy_is_ours=no

keep_servers_off() {
    [ ! -e $POLICY ] || return 0
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $POLICY >/dev/null
    $as_root chmod 755 $POLICY
    policy_is_ours=yes
    trap let_servers_be EXIT INT TERM
}

let_servers_be() {
    [ $policy_is_ours = no ] || $as_root rm -f $POLICY
    policy_is_ours=no
}

# install_from_npm NAME [FOLDER]: what the list in FOLDER (tests/NAME) takes from npm, into build/NAME; again only when the list has changed. A registry that lacks another
# machine's optional package, or knows a newer "latest", makes npm ci refuse the list; npm install takes the listed versions all the same.
install_from_npm() {
    list=${2:-tests/$1}
    mkdir -p "build/$1"
    cmp -s "$list/package-lock.json" "build/$1/package-lock.json" && [ -d "build/$1/node_modules" ] && return 0
    cp "$list/package.json" "build/$1/"
    cp "$list/package-lock.json" "build/$1/package-lock.json.new"
    rm -f "build/$1/package-lock.json"
    (cd "build/$1" && mv package-lock.json.new package-lock.json &&
        { npm ci --ignore-scripts --no-audit --no-fund || npm install --no-save --ignore-scripts --no-audit --no-fund; })
}

# What looks at the portal and its metadata (tests/browser), what checks the client libraries (tests/clients).
install_node_tests() {
    install_from_npm browser
    install_from_npm clients
}

# build PRESET-OPTIONS…: configures and builds into build/. The portal's scripts are bundled with a package of npm's.
build() {
    install_from_npm portal templates/portal/assets
    cmake --preset default "$@"
    cmake --build --preset default --parallel "$(nproc)"
}

# Tests keep their folders in memory where there is room for it (4 GB, programs allowed): they write and sync thousands of small sites, and how long
# a disk takes to sync is not what they test.
use_memory() {
    [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] || return 0
    [ "$(df -k --output=avail /dev/shm | tail -n 1)" -gt 4000000 ] || return 0
    TMPDIR=$(mktemp -d /dev/shm/odp-tests-XXXXXX)
    chmod 0711 "$TMPDIR" # some tests run a gateway as somebody who is nobody
    trap 'rm -rf "$TMPDIR"' EXIT
    printf '#!/bin/sh\n' >"$TMPDIR/program"
    chmod 0700 "$TMPDIR/program"
    if "$TMPDIR/program" 2>/dev/null; then
        export TMPDIR
    else
        rm -rf "$TMPDIR"
        unset TMPDIR
        trap - EXIT
    fi
}

[ $# -eq 1 ] || usage
# shellcheck disable=SC2086
case $1 in
run)
    install_missing $BUILD_PACKAGES
    build -DODP_TESTS=OFF
    exec build/bin/odp-build build
    ;;
test)
    install_missing $BUILD_PACKAGES $TEST_PACKAGES
    build -DODP_TESTS=ON
    use_memory
    ctest --test-dir build -L quick --output-on-failure --parallel "$(nproc)"
    ;;
full)
    install_missing $BUILD_PACKAGES $TEST_PACKAGES $FULL_PACKAGES
    install_node_tests
    build -DODP_TESTS=ON
    use_memory
    ctest --test-dir build -L "quick|full" --output-on-failure --parallel "$(nproc)"
    ;;
deep)
    install_missing $BUILD_PACKAGES $TEST_PACKAGES $FULL_PACKAGES $DEEP_PACKAGES
    install_node_tests
    install_from_npm node
    build -DODP_TESTS=ON
    exec ctest --test-dir build -L deep --output-on-failure
    ;;
bench)
    install_missing $BUILD_PACKAGES $BENCH_PACKAGES
    install_from_npm bench
    build -DODP_TESTS=OFF
    exec python3 tests/bench/run.py
    ;;
*)
    usage
    ;;
esac
