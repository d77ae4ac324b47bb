// Tests that say what ran where: each is a trial of a tool, noted for the table that `npm run test:matrix` prints.
import { test } from 'node:test';
import { noteOutcome, trials } from '../../../scripts/lib/matrix.mjs';

/**
 * Trials of one tool.
 *
 * @param {string} group the folder of tests/matrix
 * @param {string} tool its name and version, as the table's row has it
 * @returns a function of the trial (a column), what the test says, and the test; and `without(trial, why)`, for what the
 *   tool cannot do
 */
export function trialsOf(group, tool) {
  const checked = (trial) => {
    if (!(trial in trials)) throw new Error(`no trial '${trial}'`);
    return trial;
  };
  const trial = (name, says, run) =>
    test(`${tool}: ${says}`, async (t) => {
      checked(name);
      try {
        await run(t);
        noteOutcome(group, { tool, trial: name, outcome: 'passed' });
      } catch (error) {
        noteOutcome(group, { tool, trial: name, outcome: 'failed' });
        throw error;
      }
    });
  const without = (name, why) => noteOutcome(group, { tool, trial: checked(name), outcome: why });
  return Object.assign(trial, { without });
}
