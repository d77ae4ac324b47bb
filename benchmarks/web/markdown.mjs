#!/usr/bin/env node
// Prints results that `--save` or `--json` wrote as the tables of the project's README, one for each
// number of threads: node benchmarks/web/markdown.mjs FILE…
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { peers } from './peers.mjs';
import { bestPeer } from './table.mjs';

const packageNames = { tfjs: 'TensorFlow.js', jax: 'jax-js', litert: 'LiteRT.js' };
const nameOf = (peer) => packageNames[peer] ?? peers[peer].packages[0];

/** Node 20.20.2 as Node 20. */
const engineName = ({ version }) => version.replace('Chrome ', 'Chromium ').replace(/\..*/, '');

/** A time in three digits. */
function time(milliseconds) {
  const short = (number) => Number(number.toPrecision(3));
  if (milliseconds < 1) return `${short(milliseconds * 1000)} µs`;
  return milliseconds < 1000 ? `${short(milliseconds)} ms` : `${short(milliseconds / 1000)} s`;
}

const figure = ({ median, tokensPerSecond }) =>
  tokensPerSecond ? `${tokensPerSecond.toFixed(0)} tokens/s` : time(median);

const ratio = (times, spread) => {
  const quartiles = spread?.map((number) => number.toFixed(2)).join(' to ');
  return `${times.toFixed(2)}${quartiles ? ` (${quartiles})` : ''}`;
};

/** headwise's figure, how it stands to the fastest peer, and that peer's. */
function cellsOf({ results }) {
  const ours = results.find(({ peer, failed }) => peer === 'headwise' && !failed);
  const best = bestPeer(results, peers.headwise);
  if (!ours) return ['', '', ''];
  if (!best) return [figure(ours), '', ''];
  const times = ratio(ours.timesBestPeer, ours.timesBestPeerSpread);
  return [figure(ours), times, `${nameOf(best.peer)}, ${figure(best)}`];
}

/** Rows of passes that are compared with headwise's own forward. */
const partsOf = ({ about, results }) =>
  results
    .filter(({ timesForward }) => timesForward)
    .map((part) => ({
      about: `${about}: ${part.peer}, to the plain pass`,
      cells: [time(part.median), ratio(part.timesForward, part.timesForwardSpread), ''],
    }));

const line = (cells) => `| ${cells.join(' | ')} |`;

/** The tables of what engines wrote, each `{ engine, runs }`. */
export function markdown(written) {
  const engines = [...new Set(written.map(({ engine }) => engineName(engine)))];
  const tables = new Map();
  for (const { engine, runs } of written) {
    for (const run of runs) {
      const rows = [{ about: run.about, cells: cellsOf(run) }, ...partsOf(run)];
      const threads = run.threads ?? 1;
      const table = tables.get(threads) ?? new Map();
      tables.set(threads, table);
      for (const { about, cells } of rows) {
        const row = table.get(about) ?? new Map();
        table.set(about, row.set(engineName(engine), cells));
      }
    }
  }
  return [...tables.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([threads, table]) =>
      [
        `${threads === 1 ? 'One thread' : `${threads} threads`}:`,
        '',
        line(['problem', ...engines.flatMap((name) => [name, 'times', 'fastest peer'])]),
        line(['---', ...engines.flatMap(() => ['---', '---', '---'])]),
        ...[...table].map(([about, row]) =>
          line([about, ...engines.flatMap((name) => row.get(name) ?? ['', '', ''])]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(
    markdown(process.argv.slice(2).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')))),
  );
}
