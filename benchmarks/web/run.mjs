// All that was asked for, engine by engine.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { measureKernels } from '../native/kernels.mjs';
import { kernelsTable } from '../native/table.mjs';
import { measureColdStart } from './cold-start.mjs';
import { engines } from './engines/engines.mjs';
import { engineNames } from './engines/names.mjs';
import { learningTable, measureLearning } from './learning.mjs';
import { machine, packageVersions } from './machine.mjs';
import { measureMemory, memoryTable } from './memory.mjs';
import { peers } from './peers.mjs';
import { modelFilesFor } from './model-files.mjs';
import { measure } from './rounds.mjs';
import { otherMeasures, shapes } from './shapes.mjs';
import { measureSizes } from './size.mjs';
import { coldStartTable, compare, sizeTable, table } from './table.mjs';

function progress(text) {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text && `… ${text}`}`);
}

/** How each of the other measures is taken and shown. */
const others = {
  'cold-start': { take: measureColdStart, show: coldStartTable },
  size: { take: measureSizes, show: sizeTable },
  memory: { take: measureMemory, show: memoryTable },
  learning: { take: measureLearning, show: learningTable },
  kernels: { take: measureKernels, show: kernelsTable },
};

const problem = (name) => ({
  take: async (engine, chosen, options) =>
    compare(
      await measure(engine, name, chosen, { ...options, modelFor: modelFilesFor }),
      options.threads,
    ),
  show: table,
});

const aboutMeasure = (shape) =>
  otherMeasures[shape] ?? { ...shapes[shape], engines: engineNames, hasThreads: true };

/** What there is to measure in an engine; what knows no threads is measured once. */
const measuresIn = (name, { shapes: wanted, threads }) =>
  threads
    .flatMap((count) => wanted.map((shape) => ({ ...aboutMeasure(shape), shape, threads: count })))
    .filter(({ engines: able }) => able.includes(name))
    .filter(({ hasThreads, threads: count }) => hasThreads || count === threads[0]);

async function runEngine(name, engine, request) {
  const chosen = Object.entries(peers).filter(
    ([peer, { engines: able }]) => request.peers.includes(peer) && able.includes(name),
  );
  const runs = [];
  for (const { shape, about, hasThreads, threads } of measuresIn(name, request)) {
    const on = hasThreads ? `, ${threads} thread${threads > 1 ? 's' : ''}` : '';
    console.log(`\n${about}; ${engine.version}${on}`);
    const { take, show } = others[shape] ?? problem(shape);
    const results = await take(engine, chosen, { threads, rounds: request.rounds, progress });
    progress('');
    runs.push({ shape, about, ...(hasThreads && { threads }), results });
    console.log(show(results));
  }
  return runs;
}

const writeJson = (file, value) => {
  writeFileSync(file, `${JSON.stringify(value, null, 1)}\n`);
  console.log(`\nWritten to ${file}`);
};

/** `onOpen` is told how to close what runs. */
export async function runAll(request, onOpen) {
  const date = new Date().toISOString().slice(0, 10);
  const facts = { date, machine: machine(), packages: packageVersions(), rounds: request.rounds };
  const all = [];
  for (const name of request.engines) {
    let engine;
    try {
      engine = await engines[name]();
    } catch (error) {
      console.log(`\n${name}: ${error.message}`);
      continue;
    }
    onOpen(engine.close);
    try {
      const runs = await runEngine(name, engine, request);
      all.push({ ...facts, engine: { name, version: engine.version }, runs });
    } finally {
      await engine.close();
    }
    if (request.save) {
      mkdirSync(fromRoot('benchmarks/results'), { recursive: true });
      writeJson(fromRoot('benchmarks/results', `${date}-${name}.json`), all.at(-1));
    }
  }
  if (request.json) writeJson(resolve(request.json), all);
}
