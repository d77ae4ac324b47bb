// One attention layer from the inside: the numbers that act `inside` draws, against float64.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { init, loadSafetensors, Tensor, Transformer } from 'headwise/models';
import { measureDimension } from '../../web/src/acts/inside/dimensions-chart.ts';
import { passOf, shapeOf, shareOf } from '../../web/src/acts/inside/pass.ts';
import { ownDivisor, productsOf, scoreOf } from '../../web/src/acts/inside/score.ts';
import { smallInside } from '../../web/src/acts/inside/source.ts';
import { LanguageModel } from '../../web/src/worker/language-model.ts';
import {
  dot,
  entropyOf,
  near,
  range,
  rowsOf,
  softmax,
  sum,
  times,
  transposed,
} from './lib/float64.mjs';

await init({ threads: 1 });

const folder = 'examples/language-model/model/';
const json = (name) => JSON.parse(readFileSync(`${folder}${name}.json`));
const model = await LanguageModel.from({
  ...{ name: undefined, prefix: ' ', config: json('config'), tokenizer: json('tokenizer') },
  tokenizerConfig: json('tokenizer_config'),
  makeModel: async () =>
    Transformer.fromPretrained({
      config: json('config'),
      tensors: await loadSafetensors(readFileSync(`${folder}model.safetensors`)).read(),
    }),
});
const text = 'The world is better when the world is';

/** What is drawn, as matrices; of what each head has, those of each head. */
function matricesOf({ arrays, tokens, numHeads, numKvHeads }) {
  const hiddens = arrays.X.length / tokens.length;
  const d = arrays.q.length / numHeads / tokens.length;
  const split = (name, heads, columns) =>
    range(heads).map((head) =>
      rowsOf({ data: arrays[name], shape: [columns] }).slice(
        head * tokens.length,
        (head + 1) * tokens.length,
      ),
    );
  const rows = (name, columns) => rowsOf({ data: arrays[name], shape: [columns] });
  return {
    d,
    X: rows('X', hiddens),
    W: Object.fromEntries(['q', 'k', 'v'].map((each) => [each, rows(`W_${each}`, hiddens)])),
    W_o: rows('W_o', numHeads * d),
    q: split('q', numHeads, d),
    k: split('k', numKvHeads, d),
    v: split('v', numKvHeads, d),
    masked: split('masked', numHeads, tokens.length),
    weights: split('weights', numHeads, tokens.length),
    pooled: split('pooled', numHeads, d),
    queries: rows('queries', numHeads * d),
    values: rows('values', numKvHeads * d),
    concat: rows('concat', numHeads * d),
    output: rows('output', hiddens),
  };
}

describe('a layer of the model on a text', () => {
  const { numHeads } = model.description;
  for (const layer of [0, numHeads.length - 1]) {
    test(`layer ${layer + 1}: each step follows from the one before, and ends in the model's weights`, () => {
      const inside = model.inside(text, layer);
      const { weights } = model.run(text);
      const all = matricesOf(inside);
      const { d } = all;
      assert.deepEqual([inside.numHeads, inside.isRotated], [numHeads[layer], true]);
      near(inside.scale, 1 / Math.sqrt(d), 1e-6);
      near([...inside.arrays.weights], [...weights[layer]], 1e-6, 'the weights of the model');
      for (const [each, projected] of Object.entries({ q: all.queries, v: all.values })) {
        const product = times(all.X, transposed(all.W[each]));
        const bias = projected[0].map((value, unit) => value - product[0][unit]);
        assert.equal(inside.biases.qkv, true);
        near(
          projected,
          product.map((row) => row.map((value, unit) => value + bias[unit])),
          1e-4,
          `X W_${each}`,
        );
      }
      for (const head of range(inside.numHeads)) {
        all.q[head].forEach((q, query) => {
          const scores = all.k[head].map((k, key) =>
            key > query ? -Infinity : dot(q, k) * inside.scale,
          );
          near(all.masked[head][query], scores, 1e-4, 'scores');
          near(all.weights[head][query], softmax(scores), 1e-5, 'weights');
        });
        near(all.pooled[head], times(all.weights[head], all.v[head]), 1e-5, 'pooled');
      }
      all.concat.forEach((row, token) =>
        near(
          row,
          all.pooled.flatMap((ofHead) => ofHead[token]),
          1e-6,
          'concat',
        ),
      );
      near(all.output, times(all.concat, transposed(all.W_o)), 1e-4, 'output');
    });
  }

  test('there is nothing inside a text without tokens', () => {
    assert.equal(model.inside(' ', 0), undefined);
  });
});

describe('a query against its keys', () => {
  const small = passOf(smallInside(['a', 'b', 'c', 'd', 'e']), false);
  const own = { query: 4, key: 0, divisor: 0 };

  test('has the weights of the layer by its own divisor, and those of softmax by another', () => {
    for (const pass of [small, passOf(model.inside(text, 1), true)]) {
      const head = pass.numHeads - 1;
      const length = pass.tokens.length;
      const { keys, key } = scoreOf(pass, head, own);
      const { data } = pass.matrixOf('weights', head);
      assert.deepEqual(
        keys.map((each) => each.key),
        range(4),
      );
      near(
        keys.map(({ weight }) => weight),
        [...data.slice(3 * length, 3 * length + 4)],
        1e-5,
      );
      assert.equal(Math.max(...keys.map(({ score }) => score)), keys[key].score);
      const halved = scoreOf(pass, head, { ...own, divisor: 2 * ownDivisor(pass) });
      near(
        halved.keys.map(({ weight }) => weight),
        softmax(keys.map(({ score }) => score / 2)),
        1e-5,
      );
      near(halved.deviation, scoreOf(pass, head, own).deviation / 2, 1e-5);
      near(halved.entropy, entropyOf(halved.keys.map(({ weight }) => weight)), 1e-6);
    }
  });

  test('takes the last token, and the key with the largest score, for those that there are not', () => {
    const { query, keys, key } = scoreOf(small, 0, { ...own, query: 40, key: 0 });
    assert.deepEqual([query, keys.length], [4, 5]);
    assert.equal(scoreOf(small, 0, { ...own, query: 40, key: 2 }).key, 1);
    assert.equal(scoreOf(small, 0, { ...own, query: 0, key: 9 }).key, key);
    assert.equal(scoreOf(small, 0, { ...own, query: 1, key: 3 }).key, 0, 'a masked key');
  });

  test('sums its products to the dot product, by column or the largest first', () => {
    const scored = scoreOf(small, 1, { ...own, key: 2 });
    for (const order of ['column', 'product']) {
      const products = productsOf(scored, order);
      near(products.at(-1).after, scored.keys[1].dot, 1e-5);
      products.forEach(({ q, k, product, before, after, column }) => {
        near([q, k], [scored.q[column], scored.keys[1].k[column]], 0);
        near([product, after - before], [q * k, q * k], 1e-5);
      });
      const sorted = products.map(({ product }) => product).toSorted((a, b) => b - a);
      const [first] =
        order === 'product' ? sorted : [products.find((each) => each.column === 0).product];
      assert.equal(products[0].product, first);
    }
  });

  test('random queries and keys keep their entropy and gradient by the division by √d alone', () => {
    for (const d of [4, 64]) {
      const keys = rowsOf(Tensor.randn([64 * 8, d], 2 * d + 1));
      const rows = (scale) =>
        rowsOf(Tensor.randn([64 * 8, d], 2 * d)).map((q, at) => {
          const set = 8 * Math.floor(at / 8);
          return softmax(keys.slice(set, set + 8).map((k) => scale * dot(q, k)));
        });
      const { undivided, divided } = measureDimension(d);
      for (const [found, scale] of [
        [undivided, 1],
        [divided, 1 / Math.sqrt(d)],
      ]) {
        const expected = rows(scale);
        near(found.entropy, sum(expected.map(entropyOf)) / 512, 1e-4);
        near(found.gradient, sum(expected.flat().map((p) => p * (1 - p))) / (512 * 8), 1e-4);
      }
    }
  });
});

test('the columns and rows of a head are those that its numbers come from', () => {
  const pass = passOf(model.inside(text, 1), true);
  const { d, values, v } = { ...matricesOf(model.inside(text, 1)) };
  for (const head of range(pass.numHeads)) {
    const { along, from, size } = shareOf(pass, 'values', head);
    assert.equal(along, 'columns');
    const first = Math.round(from * values[0].length);
    assert.equal(Math.round(size * values[0].length), d);
    near(
      values.map((row) => row.slice(first, first + d)),
      v[head],
      0,
    );
    assert.deepEqual(shareOf(pass, 'W_q', head), { along: 'rows', from, size });
  }
  const { numHeads, hiddens } = pass;
  assert.deepEqual(
    ['X', 'W_q', 'q', 'dots', 'concat'].map((part) => shapeOf(pass, part)),
    [
      ...[
        [8, hiddens],
        [hiddens, hiddens],
        [numHeads, 8, d],
        [numHeads, 8, 8],
        [8, hiddens],
      ],
    ],
  );
});
