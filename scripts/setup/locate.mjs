// Where the tools are. Looks only; other scripts use it after a set-up.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { llvmBin, oldestEmscripten, toolchainName } from './recipe.mjs';
import { isAtLeast, parseVersion } from './versions.mjs';

/** The folder that set-ups fill and clones share. */
export function toolchainFolder(env = process.env) {
  if (env.HEADWISE_TOOLCHAIN) return path.resolve(env.HEADWISE_TOOLCHAIN);
  const cache = env.XDG_CACHE_HOME || path.join(env.HOME || os.homedir(), '.cache');
  return path.resolve(cache, 'headwise', toolchainName);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The first of these programs that is on PATH, or null. A name with a slash is taken as it is.
 * @param {string[]} names
 */
export function findProgram(names, env = process.env) {
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  for (const name of names) {
    const candidates = name.includes('/') ? [name] : folders.map((each) => path.join(each, name));
    const found = candidates.find(isExecutable);
    if (found) return found;
  }
  return null;
}

/** What a program prints when asked, or '' if it cannot be run. */
export function ask(
  /** @type {string} */ program,
  /** @type {string[]} */ args,
  env = process.env,
) {
  return spawnSync(program, args, { encoding: 'utf8', env }).stdout ?? '';
}

/** Where browsers are, and the variable that may name another one. */
const browsers = {
  chrome: {
    variable: 'CHROME_PATH',
    programs: [
      'google-chrome',
      'google-chrome-stable',
      'chromium',
      'chromium-browser',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
  },
  firefox: {
    variable: 'FIREFOX_PATH',
    programs: ['firefox-esr', 'firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'],
  },
};

/**
 * A browser's program, or null; null also if its variable names none.
 * @param {keyof typeof browsers} name
 */
export function findBrowser(name, env = process.env) {
  const { variable, programs } = browsers[name];
  const named = env[variable];
  if (named) return isExecutable(named) ? named : null;
  return findProgram(programs, env);
}

/** A Python that has NumPy: Debian's, or another on PATH. */
export function findNumPy(env = process.env, names = ['/usr/bin/python3', 'python3']) {
  const hasNumPy = (/** @type {string | null} */ python) =>
    python && spawnSync(python, ['-c', 'import numpy'], { env }).status === 0;
  return names.map((name) => findProgram([name], env)).find(hasNumPy) ?? null;
}

/**
 * Version 19 of an LLVM tool: another one formats and warns differently.
 * @param {string} name
 */
export function findLlvmTool(name, env = process.env) {
  const exact = findProgram([`${name}-19`, `${llvmBin}/${name}`], env);
  if (exact) return exact;
  const plain = findProgram([name], env);
  return plain && parseVersion(ask(plain, ['--version'], env))?.[0] === 19 ? plain : null;
}

/** The clang++ 19 that tests are built by with sanitizers, if the sanitizers' libraries lie beside it, or null. */
export function findSanitizingClang(env = process.env) {
  const clang = findLlvmTool('clang++', env);
  const folder = clang && ask(clang, ['-print-resource-dir'], env).trim();
  return folder && fs.existsSync(path.join(folder, 'include/sanitizer/asan_interface.h'))
    ? clang
    : null;
}

/** The Emscripten on PATH, if it is recent enough. */
export function findEmscriptenOnPath(env = process.env) {
  const emcc = findProgram(['emcc'], env);
  const emConfig = findProgram(['em-config'], env);
  if (!emcc || !emConfig) return null;
  const version = parseVersion(ask(emcc, ['--version'], env));
  if (!isAtLeast(version, oldestEmscripten)) return null;
  const root = ask(emConfig, ['EMSCRIPTEN_ROOT'], env).trim();
  return root ? { root, emcc, version: version.join('.') } : null;
}

/**
 * The tools that a project's builds and tests use, each a path or null. The Emscripten is chosen as
 * cmake/toolchains/emscripten.cmake chooses it.
 * @param {string} projectRoot
 */
export function locateToolchain(projectRoot, env = process.env) {
  const existing = (/** @type {string[]} */ ...parts) => {
    const file = path.join(projectRoot, '.toolchain', ...parts);
    return fs.existsSync(file) ? file : null;
  };
  const onPath = findEmscriptenOnPath(env);
  return {
    emscriptenRoot: onPath?.root ?? existing('emscripten'),
    emcc: onPath?.emcc ?? existing('emscripten', 'emcc'),
    includeDir: existing('include'),
    prefix: existing('prefix'),
    currentNode: existing('current-node', 'bin', 'node'),
    sanitizingClang: findSanitizingClang(env),
    clangFormat: findLlvmTool('clang-format', env),
    clangTidy: findLlvmTool('clang-tidy', env),
    chrome: findBrowser('chrome', env),
    firefox: findBrowser('firefox', env),
    webkitDriver: findProgram(['WebKitWebDriver'], env),
  };
}
