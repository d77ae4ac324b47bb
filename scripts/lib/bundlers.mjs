// The bundlers that the package is tried in, and the package among them, installed into a folder of their own.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { fromRoot } from './files.mjs';
import { freshness } from './freshness.mjs';
import { packedProject } from './packed.mjs';

export const bundlersFolder = 'build/bundlers';
const source = 'tests/bundlers';
const manifests = ['package.json', 'package-lock.json', '.npmrc'];

export async function installBundlers(sh) {
  const installed = freshness({
    stamp: `${bundlersFolder}/node_modules/.headwise-dependencies`,
    inputs: manifests.map((name) => `${source}/${name}`),
  });
  if (!installed.isFresh()) {
    rmSync(fromRoot(bundlersFolder), { recursive: true, force: true });
    mkdirSync(fromRoot(bundlersFolder), { recursive: true });
    for (const name of manifests) {
      cpSync(fromRoot(source, name), fromRoot(bundlersFolder, name));
    }
    await sh('npm', ['ci', '--ignore-scripts'], { cwd: fromRoot(bundlersFolder) });
    installed.remember();
  }
  // As npm installed it from the tarball.
  const place = fromRoot(bundlersFolder, 'node_modules/headwise');
  rmSync(place, { recursive: true, force: true });
  cpSync(fromRoot(packedProject, 'node_modules/headwise'), place, { recursive: true });
}
