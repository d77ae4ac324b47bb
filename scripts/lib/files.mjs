// The project's root, and its files.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

export const fromRoot = (...parts) => join(root, ...parts);

/** The files at or below the given paths (relative to the root), sorted, without `node_modules`. */
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
