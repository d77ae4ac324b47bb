// Tools with a manifest of their own, installed into a folder of their own.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromRoot } from './files.mjs';
import { freshness } from './freshness.mjs';

const manifests = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * Installs what package-lock.json says. npm itself asks again where no answer comes, not where one breaks off.
 *
 * @param {number[]} pauses in seconds, each before another try
 */
export async function installLocked(sh, folder, pauses = [5, 30]) {
  const install = () => sh('npm', ['ci', '--ignore-scripts'], { cwd: folder });
  for (const seconds of pauses) {
    try {
      return await install();
    } catch (error) {
      // Not one that was ended.
      if (!/: exit code \d+$/.test(error.message)) throw error;
      await sleep(1000 * seconds);
    }
  }
  return install();
}

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
  await installLocked(sh, fromRoot(folder));
  installed.remember();
}
