// One attention layer from the inside: the numbers that act `inside` draws, against float64.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { init, loadSafetensors } from 'headwise/models';
import { LanguageModel } from '../../web/src/worker/language-model.ts';
import { dot, near, range, rowsOf, softmax, times, transposed } from './lib/float64.mjs';

await init({ threads: 1 });

const folder = 'examples/language-model/model/';
const json = (name) => JSON.parse(readFileSync(`${folder}${name}.json`));
const model = await LanguageModel.from({
  ...{ name: undefined, prefix: ' ', config: json('config'), tokenizer: json('tokenizer') },
  tokenizerConfig: json('tokenizer_config'),
  readTensors: () => loadSafetensors(readFileSync(`${folder}model.safetensors`)).read(),
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
