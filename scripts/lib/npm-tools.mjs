// Tools with a manifest of their own, installed into a folder of their own.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { fromRoot } from './files.mjs';
import { freshness } from './freshness.mjs';

const manifests = ['package.json', 'package-lock.json', '.npmrc'];

/** Installs what the manifest in `source` locks into `folder`, unless it is there. */
export async function installManifest(sh, { source, folder }) {
  const installed = freshness({
    stamp: `${folder}/node_modules/.headwise-dependencies`,
    inputs: manifests.map((name) => `${source}/${name}`),
  });
  if (installed.isFresh()) return;
  rmSync(fromRoot(folder), { recursive: true, force: true });
  mkdirSync(fromRoot(folder), { recursive: true });
  for (const name of manifests) cpSync(fromRoot(source, name), fromRoot(folder, name));
  await sh('npm', ['ci', '--ignore-scripts'], { cwd: fromRoot(folder) });
  installed.remember();
}
