// Installs what is missing: for the engines, and the peers, also when their versions changed.
import { freshness } from '../../scripts/lib/freshness.mjs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { run } from '../../scripts/lib/process.mjs';

const folder = 'benchmarks/web';

/** What the machine lacks for these engines. */
export async function setUpEngines(engines) {
  const goals = { 'node-current': 'bench', native: 'bench-native' };
  for (const goal of engines.flatMap((name) => goals[name] ?? [])) {
    await run('bash', [fromRoot('scripts/setup.sh'), `--for=${goal}`]);
  }
}

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
