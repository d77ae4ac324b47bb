// Installs what is missing: for the engines, and the peers, also when their versions changed.
import { exitWithError, run } from '../../scripts/lib/command.mjs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { installLocked } from '../../scripts/lib/install.mjs';

/** Installs what the machine lacks for these engines. */
export async function setUpEngines(engines) {
  const goals = { 'node-current': 'bench', native: 'bench-native' };
  for (const goal of engines.flatMap((name) => goals[name] ?? [])) {
    if (await run('bash', ['scripts/setup.sh', `--for=${goal}`]))
      exitWithError('The set-up failed');
  }
}

/** About 500 MB. */
export const installPeers = () => installLocked(fromRoot('benchmarks/web'));
