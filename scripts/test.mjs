#!/usr/bin/env node
// Runs all checks and tests. See --help.
import { availableParallelism } from 'node:os';
import { testSteps } from './lib/check-steps.mjs';
import { giveUp, names, readOptions } from './lib/command.mjs';
import { total } from './lib/counts.mjs';
import { matrixTable } from './lib/matrix.mjs';
import { endWithSignals } from './lib/process.mjs';
import { seconds } from './lib/report.mjs';
import { runSteps, withNeeds } from './lib/steps.mjs';

const help = `Usage: npm test [-- OPTIONS]

Sets up what is missing, builds what is not up to date and runs the checks and tests that a change
can break, but those that nothing has changed for since they passed; stops at the first step that
fails and shows its output.

  --all           also the steps that --list says are on request: other browsers, Nodes, builds and
                  instruction sets, sanitizers, clang-tidy, the tools of users, pictures
  --only=STEP,…   only these steps and what they need
  --skip=STEP,…   all but these steps; what needs them takes what is there
  --matrix        only the tools that the package is tried in
  --force         also checks that are unchanged since they passed, as wherever CI is set
  --list          names the steps
`;

const matrixNames = testSteps.map(({ name }) => name).filter((name) => name.startsWith('matrix-'));

const options = readOptions(help, {
  only: { type: 'string', multiple: true },
  skip: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  matrix: { type: 'boolean' },
  force: { type: 'boolean' },
  list: { type: 'boolean' },
});

if (options.list) {
  const width = Math.max(...testSteps.map((step) => step.name.length));
  for (const { name, about, onRequest } of testSteps) {
    console.log(`${name.padEnd(width)}  ${about}${onRequest ? ' (on request)' : ''}`);
  }
  process.exit(0);
}

let steps;
try {
  const skipped = withNames(names(options.skip));
  const only = options.matrix ? matrixNames : names(options.only);
  steps = only.length
    ? withNeeds(testSteps, only)
    : testSteps.filter(({ onRequest }) => options.all || !onRequest);
  steps = steps.filter((step) => !skipped.has(step.name));
} catch (error) {
  giveUp(error.message);
}

endWithSignals();
const began = performance.now();
const { results, failed } = await runSteps(steps, {
  // Builds and native tests take all cores, one after the other, and tests of the package one beside.
  concurrency: Math.max(2, Math.floor(availableParallelism() / 2)),
  force: options.force || Boolean(process.env.CI),
});

const counts = total(results);
console.log();
const ran = results.filter(({ state }) => state !== 'unchanged');
for (const { name, seconds: taken } of ran.toSorted((a, b) => b.seconds - a.seconds)) {
  console.log(`${seconds(taken).padStart(12)}  ${name}`);
}
console.log(`${seconds((performance.now() - began) / 1000).padStart(12)}  in all`);
const broken = results.find((result) => result.state === 'failed');
if (broken) {
  console.log(`\n${broken.name} failed; its output is above.`);
  counts.failed ||= 1;
}
if (results.some(({ name }) => matrixNames.includes(name))) {
  console.log(`\nWhat ran where:\n${matrixTable()}`);
}
const unchanged = results.filter(({ state }) => state === 'unchanged').length;
if (unchanged > 0)
  console.log(`\n${unchanged} unchanged since they passed (--force runs them, too)`);
const skippedToo = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skippedToo}`);
process.exitCode = failed ? 1 : 0;

function withNames(given) {
  for (const name of given) withNeeds(testSteps, [name]);
  return new Set(given);
}
