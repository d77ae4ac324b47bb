// Installs the peers when they are missing or their versions changed.
import { freshness } from '../../scripts/lib/freshness.mjs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { run } from '../../scripts/lib/process.mjs';

const folder = 'benchmarks/web';

export async function installPeers() {
  const installed = freshness({
    stamp: `${folder}/node_modules/.headwise-dependencies`,
    inputs: ['package.json', 'package-lock.json', '.npmrc'].map((name) => `${folder}/${name}`),
  });
  if (installed.isFresh()) return;
  console.log('Installing the peers (about 500 MB)');
  installed.forget();
  await run('npm', ['ci', '--ignore-scripts'], { cwd: fromRoot(folder) });
  installed.remember();
}
