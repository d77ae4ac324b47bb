// Code of docs/native.md for C++ users, and folders in which tests run it.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { findProgram, locateToolchain } from '../../../scripts/setup/locate.mjs';
import { blocks } from '../lib/documents.mjs';
import { fromRoot, root } from '../lib/project.mjs';

const document = 'docs/native.md';
const [program] = blocks(document, '', 'cpp');
const [subdirectory, fetched, build] = blocks(
  document,
  'As a part of your build',
  ...['cmake', 'cmake', 'sh'],
);
const [, install, find] = blocks(document, 'Installed, with CMake', 'sh', 'sh', 'cmake', 'sh');
const [pkgConfig] = blocks(document, 'Installed, with pkg-config', 'sh');
const [archive] = blocks(document, 'As an archive', 'sh');

/** The document's code, and what its program prints. */
export const guide = {
  ...{ program, subdirectory, fetched, build, install, find, pkgConfig, archive },
  prints: '1\nvalid_lens: expected integers from 0 to 5, got 9\n',
};

export const strict = '-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror';
export const compilers = {
  gcc: findProgram(['g++-12', 'g++']),
  clang: locateToolchain(root).sanitizingClang,
};

/** Where set-up has put xtensor, if compilers do not find it by themselves. */
const prefix = fromRoot('.toolchain/prefix');
export const toolchain = existsSync(prefix) ? prefix : undefined;

/** A value of CMAKE_PREFIX_PATH: some folders, and where xtensor is. */
export const packagesIn = (...folders) => [...folders, ...(toolchain ? [toolchain] : [])].join(':');

/** The folder in which users' projects are, until the tests end. */
export const scratch = mkdtempSync(join(tmpdir(), 'headwise-native-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Writes files, by name, into a new folder of `scratch`. */
export function writeProject(name, files) {
  const folder = join(scratch, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** What a build of the repository reads if it is part of another. */
const sources = ['CMakeLists.txt', 'LICENSE', 'THIRD_PARTY.md', 'package.json', 'cmake', 'src'];

/** The same, with a copy of headwise's sources in the folder `headwise`. */
export function writeProjectWithSources(name, files) {
  const folder = writeProject(name, files);
  for (const each of sources) {
    cpSync(fromRoot(each), join(folder, 'headwise', each), { recursive: true });
  }
  return folder;
}

/** Runs a program, and fails with what it printed. */
export async function run(command, args, { cwd = scratch, env } = {}) {
  const given = { CMAKE_GENERATOR: 'Ninja', CMAKE_PREFIX_PATH: packagesIn(), ...env };
  return promisify(execFile)(command, args, {
    cwd,
    env: { ...process.env, ...given },
    maxBuffer: 1e8,
  }).catch((error) => {
    throw Object.assign(new Error(`${error.message}\n${error.stdout}\n${error.stderr}`), error);
  });
}

/** Runs lines of the document as a user's shell does. Returns what they print. */
export const shell = async (lines, cwd, env) =>
  (await run('bash', ['-euc', lines], { cwd, env })).stdout;

/** What `cmake --install` leaves of build/native. */
export async function installNative() {
  const folder = join(scratch, 'prefix');
  await run('cmake', ['--install', fromRoot('build/native'), '--prefix', folder]);
  return folder;
}

/** All programs in examples/ as targets of CMake. */
export const exampleTargets = readdirSync(fromRoot('examples'), { withFileTypes: true })
  .map((entry) => {
    const path = fromRoot('examples', entry.name);
    if (entry.name.endsWith('.cpp')) return [entry.name.replace('.cpp', ''), path];
    return existsSync(join(path, 'main.cpp')) && [entry.name, `${path}/*.cpp`];
  })
  .filter(Boolean)
  .map(
    ([name, files]) => `file(GLOB sources "${files}")
add_executable(${name} \${sources})
target_link_libraries(${name} PRIVATE headwise::headwise)
`,
  )
  .join('');
