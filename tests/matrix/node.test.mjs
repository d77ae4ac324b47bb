// The package in this Node, beside another copy of it, and with values of other realms. Needs build/packed/project.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { dist, project } from '../packaging/lib/project.mjs';
import { acrossRealms, classesOfRealm } from './lib/realms.js';

/** Runs a module in a process of its own, where the package is installed. Returns the JSON that it prints. */
async function run(text) {
  const flags = ['--input-type=module', '--eval', text];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: project });
  return JSON.parse(stdout);
}

const same = `const same = (x, y) =>
  x.length > 0 && x.length === y.length && x.every((number, i) => Object.is(number, y[i]));`;

test('two copies of the package compute side by side, and take tensors of each other', async (t) => {
  const folder = mkdtempSync(`${project}/copies-`);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['a', 'b']) cpSync(dist, `${folder}/${name}`, { recursive: true });
  const found = await run(`${same}
    import * as a from '${folder}/a/index.js';
    import * as b from '${folder}/b/index.js';
    const chosen = [await a.init({ threads: 2 }), await b.init({ threads: 1 })];
    const [first, second] = [a, b].map(
      ({ MultiHeadAttention }) => new MultiHeadAttention({ numHiddens: 128, numHeads: 4, seed: 1 }),
    );
    const [X, Y] = [a, b].map(({ Tensor }) => Tensor.randn([1, 300, 128], 1));
    const own = first.forward(X, X, X).output;
    const others = second.forward(X, X, X).output;
    const resident = new a.ResidentTensor([1, 300, 128]);
    resident.data.set(X.data);
    const fromResident = second.forward(resident, resident, resident).output;
    second.loadStateDict(first.stateDict());
    const loaded = second.forward(Y, X, Y).output;
    second.forward(X, X, X, { out: { output: resident.data } });
    const codeOf = (call) => { try { call(); } catch ({ name, code }) { return [name, code]; } };
    const cache = first.createCache({ batchSize: 1, maxLength: 400 });
    console.log(JSON.stringify({
      threads: chosen.map(({ threads }) => threads),
      areApart: a.Tensor !== b.Tensor,
      same: [others, fromResident, loaded, resident].map((each) => same(own.data, each.data)),
      cache: codeOf(() => second.forward(X, X, X, { cache })),
      optimizer: codeOf(() => new b.SGD(first)),
    }));
    a.dispose();
  `);
  assert.deepEqual(found, {
    ...{ threads: [2, 1], areApart: true, same: [true, true, true, true] },
    // What lives in the other's memory is refused.
    cache: ['HeadwiseError', 'invalid-type'],
    optimizer: ['HeadwiseError', 'invalid-option'],
  });
});

test('values of another realm are taken as those of this one', async () => {
  const headwise = await import(pathToFileURL(`${dist}/index.js`).href);
  await headwise.init();
  assert.deepEqual(await acrossRealms(headwise, runInNewContext(classesOfRealm)), {});
});
