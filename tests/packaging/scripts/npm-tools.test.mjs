// How the scripts have npm install what a lock file says.
import assert from 'node:assert/strict';
import test from 'node:test';
import { installLocked } from '../../../scripts/lib/npm-tools.mjs';

/** Installs where npm ends with these, one after the other; gives how often it ran, and what came of it. */
async function install(...ends) {
  let tries = 0;
  const sh = async (command, args, { cwd }) => {
    assert.deepEqual([command, args[0], cwd], ['npm', 'ci', '/folder']);
    const end = ends[tries++];
    if (end) throw new Error(`npm ci --ignore-scripts: ${end}`);
  };
  const problem = await installLocked(sh, '/folder', [0, 0]).catch(({ message }) => message);
  return { tries, problem };
}

test('what breaks off is tried again, twice', async () => {
  const broken = 'exit code 1';
  assert.deepEqual(await install(), { tries: 1, problem: undefined });
  assert.deepEqual(await install(broken, broken), { tries: 3, problem: undefined });
  assert.deepEqual(await install(broken, broken, broken), {
    tries: 3,
    problem: 'npm ci --ignore-scripts: exit code 1',
  });
});

test('what was ended is not', async () => {
  assert.deepEqual(await install('SIGTERM'), {
    tries: 1,
    problem: 'npm ci --ignore-scripts: SIGTERM',
  });
});
