// Copies what the playground and the benchmark run into build/docs/run/: the package from dist/, and
// the benchmark's modules with the files of its peers, in the folders that they have here.
import { cpSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fromRoot, listFiles } from '../../scripts/lib/files.mjs';
import { peerFiles } from './peer-files.mjs';

const copy = (from, to = from) => cpSync(fromRoot(from), fromRoot('build/docs/run', to));

/** A module and those that it imports by relative addresses, outside the package. */
function withImports(module, found = new Set()) {
  if (found.has(module) || module.startsWith('dist/')) return found;
  found.add(module);
  const text = readFileSync(fromRoot(module), 'utf8');
  for (const [, path] of text.matchAll(/(?:from|import\() ?'(\.[^']*)'/g)) {
    withImports(posix.join(posix.dirname(module), path), found);
  }
  return found;
}

copy('docs/run/playground.html', 'playground.html');
const isLoaded = (path) => /\.(js|wasm)$/.test(path) && !/\/in(line|-worker)/.test(path);
for (const file of listFiles(['dist'], isLoaded)) copy(file);

const benchmark = 'benchmarks/web';
copy(`${benchmark}/page/index.html`);
const modules = ['page/session', 'peers/tfjs-in-page'].concat(
  Object.keys(peerFiles).map((peer) => `peers/${peer}`),
);
for (const module of modules)
  withImports(`${benchmark}/${module}.mjs`).forEach((file) => copy(file));
for (const file of Object.values(peerFiles).flat()) copy(`${benchmark}/node_modules/${file}`);
