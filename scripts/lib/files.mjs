// The project's root and its files, told from there.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

export const fromRoot = (...parts) => join(root, ...parts);

/**
 * All files at or below the given paths (relative to the root), sorted. A path that does not exist
 * has none; `node_modules` is left out.
 */
export function listFiles(paths, keep = () => true) {
  const found = [];
  const visit = (path) => {
    if (!existsSync(fromRoot(path))) return;
    if (!statSync(fromRoot(path)).isDirectory()) {
      if (keep(path)) found.push(path);
      return;
    }
    for (const name of readdirSync(fromRoot(path))) {
      if (name !== 'node_modules') visit(join(path, name));
    }
  };
  for (const path of paths) visit(path);
  return found.sort();
}

const notOurs = new Set(['.git', '.toolchain', 'build', 'dist', 'node_modules']);

/** All files of the project itself, without what is built, installed or linked there. */
export const projectFiles = (keep) =>
  listFiles(
    readdirSync(root).filter((name) => !notOurs.has(name)),
    keep,
  );

/** The C++ files that clang-format looks after. */
export const cppFiles = () =>
  listFiles(['src', 'bindings', 'tests', 'examples', 'benchmarks'], (path) =>
    /\.(cpp|hpp|h)$/.test(path),
  );

/** The test files of folders, for `node --test`, whose reading of a folder differs by version. */
export const testFiles = (...folders) =>
  folders.flatMap((folder) => {
    const files = listFiles([folder], (path) => path.endsWith('.test.mjs'));
    if (files.length === 0) throw new Error(`no *.test.mjs in ${folder}`);
    return files;
  });
