// The package as a user gets it: packed, and installed into a project of its own.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fromRoot } from './files.mjs';

export const packedFolder = 'build/packed';
export const packedProject = `${packedFolder}/project`;

/** The same with a WebAssembly file that checks after each call what was written. */
export const checkedProject = `${packedFolder}/checked`;

/** The documents whose examples are run. */
export const documentsRun = [
  'docs/decoding.md',
  'docs/first-steps.md',
  'docs/loading-weights.md',
  'docs/models.md',
  'docs/options.md',
  'docs/pruning.md',
  'docs/threads.md',
  'docs/training.md',
];

/** What is tried on the installed package, and laid beside it. */
const triedOnIt = ['README.md', ...documentsRun, 'examples', 'tests/node', 'tests/data'];

/** What `packInto` makes of a project; tests leave files of their own there. */
export const whatIsPacked = (project = packedProject) =>
  ['package.json', 'node_modules/headwise', ...triedOnIt].map((path) => `${project}/${path}`);

/** For `freshness`: the project, of what npm packs and of what is laid beside it. */
export const packed = {
  stamp: 'build/stamps/pack.json',
  inputs: [
    'dist',
    'package.json',
    'LICENSE',
    'CHANGELOG.md',
    'THIRD_PARTY.md',
    'scripts/lib/packed.mjs',
    ...triedOnIt,
  ],
  outputs: whatIsPacked(),
};

export function packChecked() {
  rmSync(fromRoot(checkedProject), { recursive: true, force: true });
  cpSync(fromRoot(packedProject), fromRoot(checkedProject), { recursive: true });
  for (const file of ['headwise-simd.wasm', 'headwise-models-simd.wasm']) {
    cpSync(
      fromRoot('build/wasm-checked', file),
      fromRoot(checkedProject, 'node_modules/headwise/dist', file),
    );
  }
}

/** The tarball's name, as npm builds it. */
export function tarball() {
  const { name, version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  return `${name}-${version}.tgz`;
}

/** Packs what is built, installs it, and lays what is to be tried on it beside it. */
export async function packInto(sh) {
  rmSync(fromRoot(packedFolder), { recursive: true, force: true });
  mkdirSync(fromRoot(packedProject), { recursive: true });
  writeFileSync(
    fromRoot(packedProject, 'package.json'),
    JSON.stringify({ name: 'packed-project', private: true, type: 'module' }, null, 2),
  );
  await sh('npm', ['pack', '--ignore-scripts', '--pack-destination', packedFolder]);
  await sh(
    'npm',
    ['install', '--offline', '--ignore-scripts', '--no-package-lock', `../${tarball()}`],
    { cwd: fromRoot(packedProject) },
  );
  for (const path of triedOnIt) {
    if (existsSync(fromRoot(path))) {
      cpSync(fromRoot(path), fromRoot(packedProject, path), { recursive: true });
    }
  }
}
