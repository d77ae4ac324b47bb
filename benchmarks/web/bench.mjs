#!/usr/bin/env node
// Measures headwise and its peers side by side. See --help.
import { existsSync } from 'node:fs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { exitWithError, names, readOptions } from '../../scripts/lib/command.mjs';
import { engineNames, onTheWeb } from './engines/names.mjs';
import { installPeers, setUpEngines } from './install.mjs';
import { peers } from './peers.mjs';
import { otherMeasures, shapes } from './shapes.mjs';

const measures = Object.keys({ ...shapes, ...otherMeasures });
const list = (entries) => entries.map((name) => `      ${name}\n`).join('');
const help = `Usage: npm run bench [-- OPTIONS]

Measures headwise, as built in dist/, and its peers in turn, and prints a table for each problem.
The first time it installs the peers (about 500 MB).

  --engines=NAME,…  of ${engineNames.join(', ')} (all but native);
                    node is the Node that runs this; native measures headwise in C++, and installs
                    Google Benchmark, OpenBLAS and oneDNN if they are missing
  --shapes=NAME,…   what is measured (all), of
${list(measures)}  --peers=NAME,…    only these (all but the last variants of headwise), of
${list(Object.keys(peers))}  --threads=N,…     threads of everyone (1); several are run one after another
  --rounds=N        how often each peer has its turn (15)
  --json=FILE       writes all that was measured
  --save            writes it to benchmarks/results/<date>-<engine>.json
`;

const options = readOptions(help, {
  engines: { type: 'string', multiple: true },
  shapes: { type: 'string', multiple: true },
  peers: { type: 'string', multiple: true },
  threads: { type: 'string', multiple: true },
  rounds: { type: 'string', default: '15' },
  json: { type: 'string' },
  save: { type: 'boolean' },
});

function pick(option, known, byDefault = known) {
  const given = names(options[option]);
  const unknown = given.find((name) => !known.includes(name));
  if (unknown) exitWithError(`--${option}: there is no ${unknown}; there are ${known.join(', ')}`);
  return given.length > 0 ? given : byDefault;
}

function counts(option, given) {
  const numbers = given.map(Number);
  if (numbers.some((number) => !Number.isInteger(number) || number < 1)) {
    exitWithError(`--${option}: expected integers from 1 on, got ${given.join(', ')}`);
  }
  return numbers;
}

const peerNames = Object.keys(peers);
const [rounds] = counts('rounds', [options.rounds]);
const threads = names(options.threads);
const request = {
  engines: pick('engines', engineNames, onTheWeb),
  shapes: pick('shapes', measures),
  peers: pick(
    'peers',
    peerNames,
    peerNames.filter((name) => !peers[name].isOptional),
  ),
  threads: counts('threads', threads.length > 0 ? threads : ['1']),
  rounds,
  json: options.json,
  save: options.save,
};

const needsPackage = request.engines.some((name) => onTheWeb.includes(name));
if (needsPackage && !existsSync(fromRoot('dist/index.js')))
  exitWithError('dist/ is missing: npm run build makes it');
let closeAll;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await closeAll?.();
    process.exit(1);
  });
}
await setUpEngines(request.engines);
await installPeers();
// What these import is there only now.
const { runAll } = await import('./run.mjs');
await runAll(request, (close) => {
  closeAll = close;
});
