// Paths of the project, and of the package as npm packs and installs it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const fromRoot = (...parts) => join(root, ...parts);

/** The project into which the tarball is installed, with the examples and documents beside it. */
export const project = fromRoot('build/packed/project');
export const installed = join(project, 'node_modules/headwise');
export const dist = join(installed, 'dist');

/** The build that `init` loads where there is relaxed SIMD. Development builds have plain SIMD in its place. */
export const fastest = process.env.HEADWISE_WASM === 'development' ? 'simd' : 'relaxed-simd';

/** All files below a folder, relative to it and sorted. */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
