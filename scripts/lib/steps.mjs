// Runs steps that need one another, up to `concurrency` at a time, and reports each in a line.
import { checkedBy } from './checked.mjs';
import { freshness } from './freshness.mjs';
import { endChildren, run } from './process.mjs';
import { createReport } from './report.mjs';

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} about one line for `--list`
 * @property {string[]} [needs] names of the steps that come first
 * @property {string} [lock] steps with the same lock do not run at the same time
 * @property {number} [takes] about how many seconds: of the steps that can begin, the one does that has most
 *   of them, its own and those of all steps that wait for it
 * @property {boolean} [live] shows its output as it comes
 * @property {string | false} [skip] why it cannot run on this machine
 * @property {object} [made] what `freshness` takes; the step is left out while that is fresh
 * @property {{ inputs: string[] | (() => string[]), facts?: object | (() => object) }} [checks] all that a step
 *   depends on that makes nothing; since it has passed it is left out while that is unchanged
 * @property {(output: string, hasPassed: boolean) => object} [count] the tests that it ran, as
 *   { passed, failed, skipped }
 * @property {(output: string) => string[]} [notes] lines to show of what it printed when it passed
 * @property {(sh: Function) => Promise<void>} run gets `sh(command, args, options)`
 */

/** The steps of these names and all they need, in the order of `steps`. */
export function withNeeds(steps, names) {
  const wanted = new Set();
  const want = (name) => {
    const step = steps.find((each) => each.name === name);
    if (!step) throw new Error(`no step '${name}'; --list names them`);
    for (const need of step.needs ?? []) want(need);
    wanted.add(name);
  };
  names.forEach(want);
  return steps.filter((step) => wanted.has(step.name));
}

async function runStep(step, { force }) {
  const result = { name: step.name, state: 'done', output: '' };
  const write = step.live ? undefined : (text) => (result.output += text);
  const sh = (command, args, options) => run(command, args, { write, ...options });
  const began = performance.now();
  try {
    if (step.skip) {
      result.state = 'skipped';
      return { ...result, seconds: 0, notes: [step.skip] };
    }
    const made = step.made ?? (step.checks && checkedBy(step));
    const record = made && freshness(made);
    if (!(force && step.checks) && record?.isFresh()) {
      result.state = step.checks ? 'unchanged' : 'up to date';
    } else {
      record?.forget();
      await step.run(sh);
      record?.remember();
    }
  } catch (error) {
    result.state = 'failed';
    result.output += `${error.name === 'CommandFailed' ? error.message : error.stack}\n`;
  }
  result.seconds = (performance.now() - began) / 1000;
  result.notes = step.notes?.(result.output) ?? [];
  if (result.state !== 'unchanged') {
    result.counts = step.count?.(result.output, result.state !== 'failed');
  }
  return result;
}

/** By name, the seconds of a step and of all that waits for it, each counted once. */
function workBehind(steps) {
  const dependants = (step, found = new Set()) => {
    if (found.has(step)) return found;
    found.add(step);
    for (const other of steps) if (other.needs?.includes(step.name)) dependants(other, found);
    return found;
  };
  const work = (step) => [...dependants(step)].reduce((sum, { takes = 1 }) => sum + takes, 0);
  return new Map(steps.map((step) => [step.name, work(step)]));
}

/**
 * Runs the steps; at the first failure ends those under way and starts no more. With `force` checks run
 * that are unchanged since they passed.
 */
export async function runSteps(steps, { concurrency = 1, force = false } = {}) {
  const report = createReport(steps);
  const chosen = new Set(steps.map((step) => step.name));
  const work = workBehind(steps);
  const waiting = steps.toSorted((a, b) => work.get(b.name) - work.get(a.name));
  const underWay = new Map();
  const finished = new Set();
  const results = [];
  let failed = false;

  const isReady = (step) =>
    (step.needs ?? []).every((need) => finished.has(need) || !chosen.has(need)) &&
    !(step.lock && [...underWay.keys()].some((other) => other.lock === step.lock));

  const start = (step) => {
    waiting.splice(waiting.indexOf(step), 1);
    report.started(step);
    const work = runStep(step, { force }).then((result) => {
      underWay.delete(step);
      if (failed) return report.dropped(step);
      finished.add(step.name);
      results.push(result);
      report.finished(step, result);
      failed = result.state === 'failed';
    });
    underWay.set(step, work);
  };

  for (;;) {
    while (!failed && underWay.size < concurrency) {
      const next = waiting.find(isReady);
      if (!next) break;
      start(next);
    }
    if (underWay.size === 0) break;
    await Promise.race(underWay.values());
    if (failed) {
      await endChildren();
      await Promise.all(underWay.values());
      break;
    }
  }
  return { results, failed };
}
