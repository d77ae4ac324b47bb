// All that was asked for, engine by engine.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { measureColdStart } from './cold-start.mjs';
import { engines } from './engines/engines.mjs';
import { machine, packageVersions } from './machine.mjs';
import { peers } from './peers.mjs';
import { measure } from './rounds.mjs';
import { otherMeasures, shapes } from './shapes.mjs';
import { measureSizes } from './size.mjs';
import { coldStartTable, compare, sizeTable, table } from './table.mjs';

function progress(text) {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text && `… ${text}`}`);
}

const textOf = { 'cold-start': coldStartTable, size: sizeTable };

async function results(name, engine, chosen, options) {
  if (name === 'size') return measureSizes(options.progress);
  if (name === 'cold-start') return measureColdStart(engine, chosen, options);
  return compare(await measure(engine, name, chosen, options), options.threads);
}

async function runEngine(name, engine, request) {
  const chosen = Object.entries(peers).filter(
    ([peer, { engines: able }]) => request.peers.includes(peer) && able.includes(name),
  );
  const runs = [];
  for (const threads of request.threads) {
    for (const shape of request.shapes) {
      if (shape === 'cold-start' && !engine.execPath) continue;
      const about = shapes[shape]?.about ?? otherMeasures[shape];
      console.log(`\n${about}; ${engine.version}, ${threads} thread${threads > 1 ? 's' : ''}`);
      const options = { threads, rounds: request.rounds, progress };
      const measured = await results(shape, engine, chosen, options);
      progress('');
      runs.push({ shape, about, threads, results: measured });
      console.log((textOf[shape] ?? table)(measured));
    }
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
