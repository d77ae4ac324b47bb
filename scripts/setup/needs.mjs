// What a goal needs of this machine, and what of that is missing, as assignments for setup.sh, which says by its
// environment what it knows.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram, hasCurrentNode, locateToolchain } from './locate.mjs';

const { GOAL, OTHER_EMSCRIPTEN, MADE_PARTS, KEYRING, MIRROR, ID, CHROME_PATH, FIREFOX_PATH } =
  process.env;
const isDebian = process.env.USES_APT === 'true';
const tools = locateToolchain('.');

const ask = (program, ...args) => spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '';
const program = (...names) => findProgram(names);
const llvm = (name) => program(`/usr/lib/llvm-19/bin/${name}`);
const installed = (name) =>
  ask('dpkg-query', '-Wf', '${db:Status-Status}', name).trim() === 'installed' && name;
const made = (part) => MADE_PARTS.split(' ').find((folder) => path.basename(folder) === part);
const cmake = () => {
  const [, version, major, minor] =
    /(([0-9]+)\.([0-9]+)[0-9.]*)/.exec(ask('cmake', '--version')) ?? [];
  return major * 100 + minor * 1 >= 325 && version;
};
// Ubuntu's packages of browsers are placeholders for snaps, which do not run everywhere.
const browser = (name, path) => (path || ID === 'ubuntu' ? null : name);

const test = GOAL === 'test';
const native = GOAL === 'bench-native';

/** By when it is needed: what, where it is or what is false, and the package or the part that brings it. */
const groups = [
  [
    true,
    ['CMake 3.25 or newer', cmake(), 'cmake'],
    ['Ninja', program('ninja', 'ninja-build'), 'ninja-build'],
  ],
  [
    isDebian && !OTHER_EMSCRIPTEN,
    ['clang 19', llvm('clang'), 'clang-19'],
    ['lld 19', llvm('wasm-ld'), 'lld-19'],
    ['llvm 19', llvm('llvm-ar'), 'llvm-19'],
    ['Python 3', program('python3'), 'python3'],
    ['acorn and binaryen from npm', made('npm'), { part: 'npm', from: 'npm' }],
    ['Emscripten 3.1.69', made('emscripten'), { part: 'emscripten', from: 'debian' }],
  ],
  [
    isDebian,
    ['xtensor, xsimd, xtl and Catch2', made('prefix'), { part: 'prefix', from: 'debian' }],
  ],
  [test || native, ['g++ 12, clang++ 16 or newer', program('c++', 'g++', 'clang++'), 'g++']],
  [
    test,
    ['clang-format 19', tools.clangFormat, 'clang-format-19'],
    ['clang++ 19', llvm('clang++') ?? program('clang++-19'), 'clang-19'],
    ["clang 19's sanitizer libraries", tools.sanitizingClang, 'libclang-rt-19-dev'],
    ['clang-tidy 19', tools.clangTidy, 'clang-tidy-19'],
    ['Python 3 with NumPy', tools.python, 'python3-numpy'],
    [
      'Chrome, Chromium or its headless shell, on PATH or at CHROME_PATH',
      tools.headlessChrome,
      browser('chromium-headless-shell', CHROME_PATH),
    ],
    ['Firefox, on PATH or at FIREFOX_PATH', tools.firefox, browser('firefox-esr', FIREFOX_PATH)],
  ],
  [
    test && isDebian,
    ['WebKitGTK and its WebDriver', tools.webkitDriver, 'webkit2gtk-driver'],
    ['Xvfb, a display without a screen', program('xvfb-run'), 'xvfb'],
    ['xauth, which lets programs onto that display', program('xauth'), 'xauth'],
  ],
  [
    native && isDebian,
    ['Google Benchmark', installed('libbenchmark-dev'), 'libbenchmark-dev'],
    ['OpenBLAS', installed('libopenblas-dev'), 'libopenblas-dev'],
    ['oneDNN', installed('libdnnl-dev'), 'libdnnl-dev'],
  ],
  [GOAL === 'docs', ['Doxygen', tools.doxygen, 'doxygen']],
  [
    (test || GOAL === 'bench') && hasCurrentNode,
    ['a current Node from npm', made('node'), { part: 'node', from: 'npm' }],
  ],
];
/** For packages of other releases of Debian. */
const archive = [
  ['the keys of the Debian archive', fs.existsSync(KEYRING) && KEYRING, 'debian-archive-keyring'],
  ['a mirror of the Debian archive (or HEADWISE_DEBIAN_MIRROR)', MIRROR, 'python-apt-common'],
];

const rows = groups.flatMap(([isNeeded, ...group]) => (isNeeded ? group : []));
if (rows.some(([, found, by]) => !found && by?.from === 'debian')) rows.push(...archive);
const report = rows.map(
  ([what, found]) => `  ${found ? '✓' : '✗'} ${what}: ${found || 'missing'}\n`,
);

const missing = rows.filter(([, found]) => !found).map(([what, , by]) => ({ what, by }));
const partsOf = (source) => missing.flatMap(({ by }) => (by?.from === source ? by.part : []));
const packages = missing.flatMap(({ by }) => (isDebian && typeof by === 'string' ? by : []));
const stuck = missing
  .filter(({ by }) => !by || (typeof by === 'string' && !isDebian))
  .map(({ what }) => what);
if (!isDebian && !OTHER_EMSCRIPTEN) {
  stuck.push('Emscripten 3.1.69: activate an emsdk, so that emcc is on PATH');
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const list = (texts) => `(${texts.map(quoted).join(' ')})`;
console.log(`report=${quoted(report.join(''))}`);
console.log(`npm_parts=${list(partsOf('npm'))} debian_parts=${list(partsOf('debian'))}`);
console.log(`packages=${list(packages)} stuck=${list(stuck)}`);
