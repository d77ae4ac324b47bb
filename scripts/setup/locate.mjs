// Where the tools are. Looks only; other scripts use it after a set-up.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether WebKit can be tested: elsewhere there is no driver to be installed. */
export const hasWebKit = () => findProgram(['apt-get']) !== null;
/** npm has Node itself, as packages that differ by system. */
export const hasCurrentNode = process.platform === 'linux' && process.arch === 'x64';

/** The first of these programs that is on PATH, or null. A name with a slash is taken as it is. */
export function findProgram(names, env = process.env) {
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const all = names.flatMap((name) =>
    name.includes('/') ? [name] : folders.map((folder) => path.join(folder, name)),
  );
  const isProgram = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mode & 0o111;
  return all.find((file) => isProgram(file) && fs.statSync(file).isFile()) ?? null;
}

const mac = (app, program) => `/Applications/${app}.app/Contents/MacOS/${program}`;
const browsers = {
  chrome: 'google-chrome|google-chrome-stable|chromium|chromium-browser|chromium-headless-shell',
  firefox: 'firefox-esr|firefox',
};
const inMac = { chrome: mac('Google Chrome', 'Google Chrome'), firefox: mac('Firefox', 'firefox') };

/** A browser's program, or null; null also if CHROME_PATH or FIREFOX_PATH names none. */
export function findBrowser(name, env = process.env) {
  const named = env[`${name.toUpperCase()}_PATH`];
  return findProgram(named ? [named] : [...browsers[name].split('|'), inMac[name]], env);
}

/** Chromium without a user interface, in which tests take two thirds of the time; or the whole of it, or null. */
export const findHeadlessChrome = (env = process.env) =>
  (!env.CHROME_PATH && findProgram(['chromium-headless-shell'], env)) || findBrowser('chrome', env);

const ask = (program, ...args) => spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '';

/** A Python that has NumPy: Debian's, or another on PATH. */
export const findNumPy = (env = process.env, names = ['/usr/bin/python3', 'python3']) =>
  names
    .map((name) => findProgram([name], env))
    .find((python) => python && spawnSync(python, ['-c', 'import numpy'], { env }).status === 0) ??
  null;

/** Version 19 of an LLVM tool: another one formats and warns differently. */
function findLlvmTool(name) {
  const exact = findProgram([`${name}-19`, `/usr/lib/llvm-19/bin/${name}`]);
  const plain = exact ?? findProgram([name]);
  return exact ?? (plain && / 19\./.test(ask(plain, '--version')) ? plain : null);
}

/** The clang++ 19 that tests are built by with sanitizers, if their libraries lie beside it, or null. */
function findSanitizingClang() {
  const clang = findLlvmTool('clang++');
  const resources = clang ? ask(clang, '-print-resource-dir').trim() : '';
  return fs.existsSync(`${resources}/include/sanitizer/asan_interface.h`) ? clang : null;
}

/** The tools that a project's builds and tests use, each a path or null. */
export function locateToolchain(projectRoot) {
  const linked = (...parts) => {
    const file = path.join(projectRoot, '.toolchain', ...parts);
    return fs.existsSync(file) ? fs.realpathSync(file) : null;
  };
  return {
    emscriptenRoot: linked('emscripten'),
    emcc: linked('emscripten', 'emcc'),
    includeDir: linked('include'),
    prefix: linked('prefix'),
    currentNode: linked('current-node', 'bin', 'node'),
    sanitizingClang: findSanitizingClang(),
    clangFormat: findLlvmTool('clang-format'),
    clangTidy: findLlvmTool('clang-tidy'),
    python: findNumPy(),
    doxygen: findProgram(['doxygen']),
    chrome: findBrowser('chrome'),
    headlessChrome: findHeadlessChrome(),
    firefox: findBrowser('firefox'),
    webkitDriver: findProgram(['WebKitWebDriver']),
  };
}

/** Writes .toolchain/bin, links under fixed names, and .toolchain/tools.txt, which changes with every tool's version. */
function recordTools(projectRoot) {
  const tools = locateToolchain(projectRoot);
  const bin = path.join(projectRoot, '.toolchain/bin');
  fs.rmSync(bin, { recursive: true, force: true });
  fs.mkdirSync(bin, { recursive: true });
  const links = {
    'clang-format': tools.clangFormat,
    'clang-tidy': tools.clangTidy,
    'run-clang-tidy': findLlvmTool('run-clang-tidy'),
    'clang++': tools.sanitizingClang,
    doxygen: tools.doxygen,
  };
  for (const [name, file] of Object.entries(links)) {
    if (file) fs.symlinkSync(file, path.join(bin, name));
  }
  const lines = [['node', process.execPath], ...Object.entries(tools)].flatMap(([name, file]) => {
    if (!file || name === 'doxygen') return [];
    const { size, mtimeMs } = fs.statSync(file);
    // What else lies in a folder changes its time.
    const version = fs.statSync(file).isFile() ? [size, mtimeMs] : [];
    return [[name, fs.realpathSync(file), ...version].join(' ')];
  });
  fs.writeFileSync(path.join(projectRoot, '.toolchain/tools.txt'), `${lines.join('\n')}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) recordTools(process.argv[2]);
