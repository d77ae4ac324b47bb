// The tools that only releases need, installed where their manifest lies.
import { freshness } from '../lib/freshness.mjs';
import { fromRoot } from '../lib/files.mjs';
import { installLocked } from '../lib/npm-tools.mjs';

const folder = 'scripts/release';

export async function installReleaseTools(sh) {
  const installed = freshness({
    stamp: `${folder}/node_modules/.headwise-dependencies`,
    inputs: ['package.json', 'package-lock.json', '.npmrc'].map((name) => `${folder}/${name}`),
  });
  if (installed.isFresh()) return;
  await installLocked(sh, fromRoot(folder));
  installed.remember();
}
