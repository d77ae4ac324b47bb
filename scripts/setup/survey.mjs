// What a goal needs and what of it is there. Changes nothing.
import fs from 'node:fs';
import path from 'node:path';
import { debianKeyring, findDebianMirror, readDistribution } from './distribution.mjs';
import {
  ask,
  findBrowser,
  findEmscriptenOnPath,
  findLlvmTool,
  findNumPy,
  findProgram,
  findSanitizingClang,
  toolchainFolder,
} from './locate.mjs';
import { llvmBin, oldestCMake, oldestEmscripten } from './recipe.mjs';
import { isDone } from './steps.mjs';
import { currentNodeSteps, debSteps, npmStep, trialStep } from './toolchain.mjs';
import { isAtLeast, parseVersion } from './versions.mjs';

/**
 * @typedef {object} Need
 * @property {string} what as the user knows it
 * @property {string | null} found where, or null if it is missing
 * @property {string} [package] what Debian's apt-get installs for it
 * @property {import('./steps.mjs').Step} [step] what makes it in the toolchain folder
 * @property {boolean} [early] needed before anything can be downloaded
 */

/**
 * What a goal needs beyond a build.
 * @type {Record<string, (folder: string, env: NodeJS.ProcessEnv,
 *   distribution: import('./distribution.mjs').Distribution) => Need[]>}
 */
const goals = {
  build: () => [],
  test: (folder, env, distribution) => [
    compilerNeed(env),
    ...testNeeds(env, distribution),
    ...stepNeeds(folder, currentNodeSteps),
  ],
  bench: (folder) => stepNeeds(folder, currentNodeSteps),
  'bench-native': (folder, env, distribution) => [
    compilerNeed(env),
    ...nativeBenchmarkNeeds(env, distribution),
  ],
};

export const goalNames = Object.keys(goals);

/** Whether tests in WebKit can be had: elsewhere there is no driver to be installed. */
export const hasWebKit = (distribution = readDistribution()) => distribution.usesApt;

/**
 * @param {string} goal one of goalNames
 * @param {NodeJS.ProcessEnv} [env]
 * @param {import('./distribution.mjs').Distribution} [distribution]
 */
export function survey(goal, env = process.env, distribution = readDistribution()) {
  const folder = toolchainFolder(env);
  const emscripten = findEmscriptenOnPath(env);
  const needs = [
    ...(emscripten
      ? [{ what: `Emscripten ${emscripten.version}`, found: emscripten.root }]
      : emscriptenNeeds(folder, env, distribution)),
    ...libraryNeeds(folder, distribution),
    ...buildNeeds(env),
    ...goals[goal](folder, env, distribution),
  ];
  const downloads = needs.some(({ found, step }) => !found && step && 'debs' in step);
  if (downloads) needs.unshift(...archiveNeeds(env, distribution));
  return { goal, folder, distribution, needs, missing: needs.filter(({ found }) => !found) };
}

/** @returns {Need[]} */
function emscriptenNeeds(folder, env, distribution) {
  if (!distribution.usesApt) {
    return [
      {
        what: `Emscripten ${oldestEmscripten} or newer: install and activate an emsdk, so that emcc is on PATH`,
        found: null,
      },
    ];
  }
  const llvm = (/** @type {string} */ name, /** @type {string} */ of) => ({
    what: `${of} 19`,
    found: findProgram([path.join(llvmBin, name)], env),
    package: `${of}-19`,
  });
  return [
    llvm('clang', 'clang'),
    llvm('wasm-ld', 'lld'),
    llvm('llvm-ar', 'llvm'),
    { what: 'Python 3', found: findProgram(['python3'], env), package: 'python3' },
    ...stepNeeds(folder, [npmStep, ...debSteps().filter(({ name }) => name !== 'libraries')]),
    ...stepNeeds(folder, [trialStep]),
  ];
}

/** @returns {Need[]} nothing where CMake fetches the libraries itself */
function libraryNeeds(folder, distribution) {
  if (!distribution.usesApt) return [];
  return stepNeeds(
    folder,
    debSteps().filter(({ name }) => name === 'libraries'),
  );
}

/** @param {string} folder @param {import('./steps.mjs').Step[]} steps @returns {Need[]} */
const stepNeeds = (folder, steps) =>
  steps.map((step) => ({
    what: step.label,
    found: isDone(folder, step) ? path.join(folder, step.outputs[0] ?? '') : null,
    step,
  }));

/** @returns {Need[]} */
function buildNeeds(env) {
  const cmake = findProgram(['cmake'], env);
  const isRecent = cmake && isAtLeast(parseVersion(ask(cmake, ['--version'], env)), oldestCMake);
  return [
    { what: `CMake ${oldestCMake} or newer`, found: isRecent ? cmake : null, package: 'cmake' },
    { what: 'Ninja', found: findProgram(['ninja', 'ninja-build'], env), package: 'ninja-build' },
  ];
}

/** @returns {Need} */
const compilerNeed = (env) => ({
  what: 'a C++20 compiler (g++ 12, clang 16 or newer)',
  found: findProgram(['c++', 'g++', 'clang++'], env),
  package: 'g++',
});

/** @returns {Need[]} nothing where CMake fetches Google Benchmark and does without OpenBLAS */
function nativeBenchmarkNeeds(env, distribution) {
  if (!distribution.usesApt) return [];
  const isInstalled = (/** @type {string} */ name) =>
    ask('dpkg-query', ['--show', '--showformat=${db:Status-Status}', name], env) === 'installed';
  const packages = { 'Google Benchmark': 'libbenchmark-dev', OpenBLAS: 'libopenblas-dev' };
  return Object.entries(packages).map(([what, name]) => ({
    what,
    found: isInstalled(name) ? name : null,
    package: name,
  }));
}

/** @returns {Need[]} */
function testNeeds(env, distribution) {
  return [
    {
      what: 'clang-format 19',
      found: findLlvmTool('clang-format', env),
      package: 'clang-format-19',
    },
    { what: 'clang++ 19', found: findLlvmTool('clang++', env), package: 'clang-19' },
    {
      what: "the libraries of clang 19's sanitizers",
      found: findSanitizingClang(env),
      package: 'libclang-rt-19-dev',
    },
    { what: 'clang-tidy 19', found: findLlvmTool('clang-tidy', env), package: 'clang-tidy-19' },
    { what: 'Python 3 with NumPy', found: findNumPy(env), package: 'python3-numpy' },
    ...browserNeeds(env, distribution),
  ];
}

/** @returns {Need[]} */
function browserNeeds(env, distribution) {
  const browser = (
    /** @type {'chrome' | 'firefox'} */ name,
    /** @type {string} */ variable,
    /** @type {string} */ called,
    /** @type {string} */ ofDebian,
  ) => ({
    what: env[variable]
      ? `a browser where ${variable} points (${env[variable]})`
      : `${called} (on PATH, or named by ${variable})`,
    found: findBrowser(name, env),
    // Ubuntu's packages are placeholders for snaps, which do not run everywhere.
    package: env[variable] || distribution.id === 'ubuntu' ? undefined : ofDebian,
  });
  return [
    browser('chrome', 'CHROME_PATH', 'Chrome or Chromium', 'chromium'),
    browser('firefox', 'FIREFOX_PATH', 'Firefox', 'firefox-esr'),
    ...(hasWebKit(distribution) ? webkitNeeds(env) : []),
  ];
}

/** @returns {Need[]} the browser comes with its driver, and neither runs without a display */
const webkitNeeds = (env) =>
  [
    ['WebKitGTK and its WebDriver', 'WebKitWebDriver', 'webkit2gtk-driver'],
    ['a display without a screen', 'xvfb-run', 'xvfb'],
    ['what lets programs onto that display', 'xauth', 'xauth'],
  ].map(([what, program, name]) => ({
    what,
    found: findProgram([program], env),
    package: name,
  }));

/** @returns {Need[]} */
function archiveNeeds(env, distribution) {
  return [
    {
      what: "Debian's archive keys",
      found: fs.existsSync(debianKeyring) ? debianKeyring : null,
      package: 'debian-archive-keyring',
      early: true,
    },
    {
      what: "the address of a mirror of Debian's archive (or HEADWISE_DEBIAN_MIRROR)",
      found: findDebianMirror(distribution, env),
      package: 'python-apt-common',
      early: true,
    },
  ];
}
