#!/usr/bin/env node
// Prints results that `--save` or `--json` wrote as the tables of benchmarks/results/README.md, one for each
// number of threads: node benchmarks/web/markdown.mjs FILE…
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { peers } from './peers.mjs';
import { otherMeasures } from './shapes.mjs';
import { summary } from './statistics.mjs';
import { bestPeer, compare, ratio, shares } from './table.mjs';

const packageNames = { tfjs: 'TensorFlow.js', jax: 'jax-js', litert: 'LiteRT.js' };
const nameOf = (peer) => packageNames[peer] ?? peers[peer].packages[0];

/** Node 20.20.2 as Node 20. */
const engineName = ({ version }) =>
  version.replace(/^(Headless)?Chrome /, 'Chromium ').replace(/\..*/, '');

/** A time in three digits. */
function time(milliseconds) {
  const short = (number) => Number(number.toPrecision(3));
  if (milliseconds < 1) return `${short(milliseconds * 1000)} µs`;
  return milliseconds < 1000 ? `${short(milliseconds)} ms` : `${short(milliseconds / 1000)} s`;
}

const figure = ({ median, tokensPerSecond }) =>
  tokensPerSecond ? `${tokensPerSecond.toFixed(0)} tokens/s` : time(median);

/** What a processor is called: its family, model and stepping tell those apart that have one name. */
function processorName({ processor = '', familyModelStepping }) {
  const name = processor.replace(/\((R|TM)\)|\bProcessor\b/g, '').trim();
  return familyModelStepping ? `${name} (${familyModelStepping})` : name;
}

/** Nearer to 1 than this, two programs are as fast as each other. */
const margin = 0.05;

/** How headwise stands to the fastest peer: a word that both the medians and the least times bear out, or `level`. */
function standing({ timesBestPeer: median, timesBestPeerAtLeast: least = median }) {
  if (Math.min(median, least) >= 1 + margin) return 'ahead';
  return Math.max(median, least) <= 1 - margin ? 'behind' : 'level';
}

/** headwise's figure, its share of the ceiling, and how it stands to the fastest peer. */
function cellsOf({ results }) {
  const ours = results.find(
    ({ peer, median }) => peers[peer]?.isOurs && !peers[peer].isPart && median !== undefined,
  );
  if (!ours) return { cells: none };
  const own = [figure(ours), shares(ours)];
  const best = bestPeer(results, peers[ours.peer]);
  if (!best) return { cells: [...own, ''] };
  const { timesBestPeer, timesBestPeerSpread, timesBestPeerAtLeast } = ours;
  const times = ratio(timesBestPeer, timesBestPeerSpread, timesBestPeerAtLeast);
  return {
    cells: [...own, times.replace('×', `× ${nameOf(best.peer)}`)],
    standing: standing(ours),
  };
}

/** How it stands in all engines, or in each where that differs. */
function verdict(row) {
  const words = [...row].filter(([, { standing: word }]) => word);
  if (words.every(([, { standing: word }]) => word === words[0][1].standing)) {
    return words[0]?.[1].standing ?? '';
  }
  return words.map(([engine, { standing: word }]) => `${word} in ${engine}`).join(', ');
}

/** Rows of passes that are compared with headwise's own forward. */
const partsOf = ({ about, results }) =>
  results
    .filter(({ timesForward }) => timesForward)
    .map((part) => ({
      about: `${about}: ${part.peer}, to the plain pass`,
      cells: [time(part.median), '', ratio(part.timesForward, part.timesForwardSpread)],
    }));

const none = ['', '', ''];

const line = (cells) => `| ${cells.join(' | ')} |`;

/** The value under a key, made if it is not there. */
function valueOf(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/** A run with what is told of it today, which files of older runs lack. */
function summed(run) {
  const { threads = 1, results } = run;
  if (otherMeasures[run.shape]) return { ...run, threads };
  const anew = results.map((result) => ({
    ...result,
    ...(result.samples && summary(result.samples)),
  }));
  return { ...run, threads, results: compare(anew, threads) };
}

/**
 * The tables of what engines wrote, each `{ machine, engine, runs }`: one for each number of threads, with a row for
 * each problem on each processor.
 */
export function markdown(written) {
  const engines = [...new Set(written.map(({ engine }) => engineName(engine)))];
  const tables = new Map();
  for (const { machine = {}, engine, runs } of written) {
    for (const run of runs.map(summed)) {
      const rows = [{ about: run.about, ...cellsOf(run) }, ...partsOf(run)];
      const table = valueOf(tables, run.threads, () => new Map());
      for (const { about, ...entry } of rows) {
        const processors = valueOf(table, about, () => new Map());
        const row = valueOf(processors, processorName(machine), () => new Map());
        row.set(engineName(engine), entry);
      }
    }
  }
  return [...tables.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([threads, table]) =>
      [
        `${threads === 1 ? 'One thread' : `${threads} threads`}:`,
        '',
        line([
          ...['problem', 'processor'],
          ...engines.flatMap((name) => [name, 'of the ceiling', 'times the fastest peer']),
          'headwise is',
        ]),
        line(['---', '---', ...engines.flatMap(() => none.map(() => '---')), '---']),
        ...[...table].flatMap(([about, processors]) =>
          [...processors].map(([processor, row], i) =>
            line([
              ...[i === 0 ? about : '', processor],
              ...engines.flatMap((name) => row.get(name)?.cells ?? none),
              verdict(row),
            ]),
          ),
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
