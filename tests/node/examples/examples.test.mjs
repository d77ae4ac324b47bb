// What a newcomer runs first: the README's example and examples/. tests/browser/examples has those that make pages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { init, Tensor } from 'headwise';
import { drawHeads } from '../../../examples/heat-map/draw.mjs';
import { findNameMovers } from '../../../examples/microscope/names.mjs';
import {
  drawSentences,
  places,
  swapped,
  trainedModel,
} from '../../../examples/microscope/names-model.mjs';
import { output, project, runModule, temporaryFolder } from '../lib/child.mjs';

const compact = (text) => text.replace(/\[ /g, '[').replace(/ \]/g, ']');

/** Documents, and how many examples in JavaScript each has. */
const documents = {
  'README.md': 1,
  'docs/first-steps.md': 2,
  'docs/options.md': 4,
  'docs/loading-weights.md': 2,
  'docs/decoding.md': 2,
  'docs/training.md': 3,
  'docs/pruning.md': 3,
  'docs/models.md': 8,
  'docs/threads.md': 2,
  'docs/guides/chapter.md': 1,
  'docs/guides/transformerlens.md': 1,
};

for (const [document, count] of Object.entries(documents)) {
  const text = readFileSync(join(project, document), 'utf8');
  const examples = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  assert.equal(examples.length, count, document);

  for (const [number, code] of examples.entries()) {
    test(`${document}: example ${number + 1} prints what its comments say`, () => {
      // console.log(…); // what it prints, up to a colon or an ellipsis
      const promised = [...code.matchAll(/\bconsole\.log\(.*\); \/\/ ([^:…\n]+)/g)];
      const printed = compact(runModule(code)).trimEnd().split('\n');
      assert.ok(promised.length >= 3, 'the example prints too little to tell that it works');
      assert.equal(printed.length, promised.length);
      promised.forEach(([, text], i) =>
        assert.ok(printed[i].startsWith(text), `${printed[i]}: ${text}`),
      );
    });
  }
}

const toy = () => output(process.execPath, ['examples/toy.mjs']);

test('the toy example prints the shape and even weights over the valid keys', () => {
  const head = (i, row) => [`  head ${i}`, ...new Array(4).fill(`    ${row}`)];
  const sample = (i, count, row) => [
    '',
    `sample ${i}, ${count} valid keys`,
    ...[0, 1, 2, 3, 4].flatMap((h) => head(h, row)),
  ];
  const expected = [
    'output: (2, 4, 100)',
    ...sample(0, 3, '0.333 0.333 0.333 0.000 0.000 0.000'),
    ...sample(1, 2, '0.500 0.500 0.000 0.000 0.000 0.000'),
    '',
  ];
  assert.equal(toy(), expected.join('\n'));
});

// `npm test` tells where the native examples were built.
const native = process.env.HEADWISE_NATIVE_BUILD;
test('the toy example in C++ prints the same', () => {
  assert.ok(native, 'HEADWISE_NATIVE_BUILD names the folder of the native build');
  assert.equal(output(join(native, 'examples', 'headwise-example-toy'), []), toy());
});

test('the head-importance example finds the planted heads and writes what it found', (context) => {
  const folder = temporaryFolder(context);
  const printed = output(process.execPath, [
    'examples/head-importance/main.mjs',
    '--quick',
    folder,
  ]);
  // All eight others are removed before the first planted head, confidence is taken in.
  assert.match(printed, /^ablation +8\.0 +10\.0/m);
  assert.match(printed, /^confidence +100 % +0 %$/m);
  const lines = (name) => readFileSync(join(folder, name), 'utf8').trim().split('\n');
  const [columns, ...points] = lines('curve.csv');
  assert.equal(columns, 'seed,order,kept,loss,accuracy,forward_ms,step_ms');
  // Five measures taken once, five taken anew, one random order, from 12 heads to 2.
  assert.equal(points.length, 11 * 11);
  assert.equal(lines('heads.csv').length, 1 + 12);
  assert.match(lines('curve.svg')[0], /^<svg xmlns=/);
});

test('decoding by a cache equals the causal pass', () => {
  const printed = output(process.execPath, ['examples/decoding.mjs']);
  const [, difference] = /^largest difference from the causal pass: (\S+)$/m.exec(printed);
  assert.ok(Number(difference) < 1e-6, difference);
  assert.match(printed, /^token 11: weights of each head on 12 keys$/m);
  assert.match(printed, /^the cache holds 9 of 12 tokens$/m);
});

test('a worker computes while its caller continues', () => {
  const printed = output(process.execPath, ['examples/worker.mjs']);
  assert.match(printed, /^output 2048 × 256, 2048 positions in the cache$/m);
  assert.match(printed, /^head 0 of the last position looks most at key \d+$/m);
  assert.match(printed, /^this thread went on meanwhile$/m);
});

test('the heat maps have a cell for each weight', () => {
  const svg = output(process.execPath, ['examples/heat-map/main.mjs']);
  assert.equal(svg.match(/<text/g).length, 4);
  const cells = [...svg.matchAll(/fill-opacity="([\d.]+)"><title>(\w+) → (\w+): ([\d.]+)</g)];
  assert.equal(cells.length, 4 * 6 * 6);
  // The first query of a causal pass sees its own key alone.
  for (const first of [0, 36, 72, 108]) {
    assert.deepEqual(cells[first].slice(1), ['1.000', 'the', 'the', '1.000']);
    assert.deepEqual(cells[first + 1].slice(1), ['0.000', 'the', 'cat', '0.000']);
  }
  // Tokens are text, whatever they hold.
  assert.match(drawHeads(Tensor.ones([1, 1, 1]), ['<b>&']), /<title>&lt;b>&amp; → &lt;b>&amp;: 1/);
});

test('the microscope finds induction heads, name movers and pruning curves', async (context) => {
  const folder = temporaryFolder(context);
  const main = (...args) =>
    output(process.execPath, ['examples/microscope/main.mjs', '--quick', folder, ...args]);
  const printed = main();
  for (const name of ['induction', 'names', 'pruning']) {
    const svg = readFileSync(join(folder, `${name}.svg`), 'utf8');
    assert.match(svg, /^<svg xmlns=/);
    assert.doesNotMatch(svg, /NaN|undefined/);
  }
  assert.match(
    printed,
    /^Induction heads, by their score: 1\.0 \(.* 1\.1 \(.* 1\.2 \(.* 1\.4 \(\S+$/m,
  );
  const gain = (name) => Number(new RegExp(`^${name} +\\S+ +\\S+ +(\\S+)`, 'm').exec(printed)[1]);
  assert.ok(gain('all heads') > 2 && gain('as many others, none of layer 0') > 2);
  assert.ok(gain('no induction heads') < 1);
  const losses = [...printed.matchAll(/^(?:25|15|5) ((?: +\d+\.\d+)+)$/gm)].map(([, numbers]) =>
    numbers.trim().split(/ +/).map(Number),
  );
  assert.deepEqual(
    losses.map((row) => row.length),
    [5, 5, 5],
  );
  assert.equal(new Set(losses[0]).size, 1);
  assert.ok(losses[1].every((loss, i) => loss > losses[0][i] && loss < losses[2][i]));
  // The second run reads the model that the first one trained.
  const again = main('--only', 'names');
  assert.doesNotMatch(again, /trained|induction/);
  assert.equal(/^\d+ % of .*$/m.exec(again)[0], /^\d+ % of .*$/m.exec(printed)[0]);
});

test('patches of queries and z carry over what they replace', async (context) => {
  await init({ threads: 1 });
  const file = join(temporaryFolder(context), 'names.safetensors');
  const model = trainedModel(file, { steps: 1, seed: 3 });
  const sentences = drawSentences(6, () => 0.3);
  assert.deepEqual(swapped(swapped(sentences)), sentences);
  assert.ok(sentences.tokens.every((row, i) => row[places.subject] === sentences.subjects[i]));
  const all = await findNameMovers(model, 6, () => true);
  assert.equal(all.movers.length, 16);
  assert.deepEqual(new Set(all.inhibition.map(({ layer }) => layer)), new Set([0, 1]));
  const none = await findNameMovers(model, 6, () => false);
  assert.ok(Math.abs(none.allQueries) < 1e-3 && none.inhibition.length === 0);
  const one = await findNameMovers(model, 6, (toObject) => toObject === all.toObject[2][5]);
  assert.deepEqual(one.movers, [{ layer: 2, head: 5 }]);
  assert.ok(Math.abs(one.allQueries - all.queries[2][5]) < 0.01);
});

test('a worker trains, reports progress, and stops when asked', () => {
  const train = (...steps) =>
    output(process.execPath, ['examples/training-in-a-worker/main.mjs', ...steps]);
  const trained = train();
  assert.match(trained, /^trained: 17 parameters$/m);
  const losses = [...trained.matchAll(/^step (\d+) of 300: loss ([\d.]+)$/gm)];
  assert.deepEqual(
    losses.map(([, step]) => Number(step)),
    [50, 100, 150, 200, 250, 300],
  );
  assert.ok(Number(losses.at(-1)[2]) < 0.01, losses.at(-1)[0]);
  const stopped = train('1');
  assert.match(stopped, /^stopped: 17 parameters$/m);
  assert.doesNotMatch(stopped, /^step 300/m);
});
