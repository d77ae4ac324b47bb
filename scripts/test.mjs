#!/usr/bin/env node
// Sets up what is missing, then runs all checks and tests by wireit. See --help.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readOptions, run } from './lib/command.mjs';
import { fromRoot } from './lib/files.mjs';

const help = `Usage: npm test [-- OPTIONS]

Sets up what is missing, builds what has changed, and runs the checks and tests that the change can
break. package.json lists the steps under "wireit"; 'npm run NAME' runs one of them.

  --ci    also what CI runs: all WebAssembly builds, sanitizers, clang-tidy
  --all   every step: other browsers and Nodes, instruction sets, bundlers, the documentation site
`;

const options = readOptions(help, { ci: { type: 'boolean' }, all: { type: 'boolean' } });
const goal = options.all ? 'test:all' : options.ci ? 'test:ci' : 'test:default';

const startTime = Date.now();
for (const purpose of options.all ? ['test', 'docs'] : ['test']) {
  if (await run('bash', ['scripts/setup.sh', `--for=${purpose}`])) process.exit(1);
}

const cores = availableParallelism();
const code = await run('npm', ['run', '--silent', goal], {
  HEADWISE_WASM: goal === 'test:default' ? 'development' : 'all',
  CMAKE_BUILD_PARALLEL_LEVEL: String(cores),
  CTEST_PARALLEL_LEVEL: String(cores),
  // One more than there are cores, since browsers wait.
  WIREIT_PARALLEL: String(cores + 1),
  // Copies of what the builds make would fill the disk, and they are incremental without.
  WIREIT_CACHE: 'none',
  WIREIT_FAILURES: 'kill',
});

const { wireit } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));

/** The goal and all it depends on. */
function stepsOf(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const each of wireit[name].dependencies ?? []) stepsOf(each.script ?? each, found);
  return found;
}

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const name of stepsOf(goal)) {
  // A check is a single test; the others write JUnit files.
  if (name.startsWith('check:') && code === 0) counts.passed += 1;
  const reports = wireit[name].output?.filter((path) => path.startsWith('build/results/')) ?? [];
  for (const file of reports.map((path) => fromRoot(path)).filter(existsSync)) {
    // After a failure, steps that did not run have left what an earlier run wrote.
    if (code !== 0 && statSync(file).mtimeMs < startTime) continue;
    const junit = readFileSync(file, 'utf8');
    const number = (element) => junit.split(`<${element}`).length - 1;
    counts.skipped += number('skipped');
    counts.failed += number('failure');
    counts.passed += number('testcase') - number('skipped') - number('failure');
  }
}
if (code !== 0) counts.failed ||= 1;

const seconds = Math.round((Date.now() - startTime) / 1000);
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`\n${Math.floor(seconds / 60)} min ${seconds % 60} s`);
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = code === 0 ? 0 : 1;
