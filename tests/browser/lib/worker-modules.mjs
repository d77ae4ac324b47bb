// Modules of the page's worker, to be tried in Node: bundled into one file, which imports the built package.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { root } from './browser.mjs';

/** What a file of web/src/worker exports. */
export async function importWorkerModule(name) {
  // In the project, so that the package is found by its own name.
  const folder = mkdtempSync(join(root, 'build', 'worker-module-'));
  try {
    const bundle = await rolldown({
      input: join(root, 'web/src/worker', name),
      external: /^headwise/,
      tsconfig: false,
    });
    const file = join(folder, 'module.mjs');
    await bundle.write({ file, format: 'es' });
    await bundle.close();
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
