// The tools that the package is tried in, by groups: each group's are installed into a folder of its own, the package
// among them, and its tests tell what ran where.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { fromRoot } from './files.mjs';
import { installManifest } from './npm-tools.mjs';
import { packedProject } from './packed.mjs';

/** Where a group's tools are, and the applications built with them. */
export const matrixFolder = (group) => `build/matrix/${group}`;
const outcomesFile = (group) => fromRoot('build/matrix', `${group}.jsonl`);

/** Installs the tools of tests/matrix/<group>, and the package as npm installed it from the tarball. */
export async function installTools(sh, group) {
  const folder = matrixFolder(group);
  await installManifest(sh, { source: `tests/matrix/${group}`, folder });
  const place = fromRoot(folder, 'node_modules/headwise');
  rmSync(place, { recursive: true, force: true });
  cpSync(fromRoot(packedProject, 'node_modules/headwise'), place, { recursive: true });
}

/** What is tried in every tool, where it can be: the table's columns. */
export const trials = {
  loads: 'imports and init',
  example: "README's example",
  oracle: 'oracle cases',
  models: 'models',
  threads: 'threads',
  worker: 'headwise/worker',
  inline: 'headwise/inline',
  errors: 'clear errors',
  ends: 'ends by itself',
};

/** @typedef {{ tool: string, trial: keyof typeof trials, outcome: 'passed' | 'failed' | string }} Outcome */

/** Forgets what ran before, so that the table shows one run. */
export function forgetOutcomes(group) {
  mkdirSync(fromRoot('build/matrix'), { recursive: true });
  rmSync(outcomesFile(group), { force: true });
}

/** Notes what became of a trial; an outcome that is neither 'passed' nor 'failed' is why there was none. */
export function noteOutcome(group, outcome) {
  appendFileSync(outcomesFile(group), `${JSON.stringify(outcome)}\n`);
}

/** @returns {Outcome[]} of all groups, of each the latest run's */
function readOutcomes() {
  const folder = fromRoot('build/matrix');
  const files = existsSync(folder)
    ? readdirSync(folder).filter((file) => file.endsWith('.jsonl'))
    : [];
  return files.flatMap((file) =>
    readFileSync(fromRoot('build/matrix', file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}

const marks = { passed: '✓', failed: '✗' };

/** One line a tool, one column a trial: what ran where. */
export function matrixTable() {
  const tools = new Map();
  for (const outcome of readOutcomes()) {
    tools.set(outcome.tool, [...(tools.get(outcome.tool) ?? []), outcome]);
  }
  const cell = (outcomes, trial) => {
    const found = outcomes.filter((each) => each.trial === trial).map(({ outcome }) => outcome);
    const worst = found.find((each) => each === 'failed') ?? found[0] ?? '';
    return marks[worst] ?? worst;
  };
  const rows = [
    ['', ...Object.values(trials)],
    ...[...tools].map(([tool, outcomes]) => [
      tool,
      ...Object.keys(trials).map((trial) => cell(outcomes, trial)),
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
