// What the act of equal keys shows: every number against float64.
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { Adam, MultiHeadAttention, Tensor } from 'headwise';
import { stepsOf } from '../../web/src/acts/equal-keys/close-up.ts';
import { buildInput } from '../../web/src/acts/equal-keys/inputs.ts';
import { Lesson } from '../../web/src/acts/equal-keys/pass.ts';
import { createKeysStore } from '../../web/src/acts/equal-keys/state.ts';
import { differenceOf, summariseHeads } from '../../web/src/acts/equal-keys/pass.ts';
import { attend, onesInput, randomInput } from '../../web/src/attention/attention-view.ts';
import { neighbour } from '../../web/src/attention/map-selection.ts';
import { formatNumber } from '../../web/src/format/numbers.ts';
import { attention, entropyOf, near, range, rowsOf, sampleOf, sum } from './lib/float64.mjs';

const settings = { seed: 1, heads: 5, causal: false, validLens: [3] };

/** The sample in float64, of the view's own input and parameters. */
function expectedOf({ input, parameters, numHeads, validLens }, { causal }) {
  const W = Object.fromEntries(
    ['q', 'k', 'v', 'o'].map((name) => [name, rowsOf(parameters[`W_${name}.weight`])]),
  );
  return attention({
    ...{ X: sampleOf(input.queries, 0), keys: sampleOf(input.keys, 0) },
    ...{ values: sampleOf(input.values, 0), W, numHeads },
    scale: 1 / Math.sqrt(W.q.length / numHeads),
    isMasked: (query, key) => key >= validLens[0] || (causal && key > query),
  });
}

const cases = {
  'random input': [randomInput(1), settings],
  'a seed and a causal mask': [
    randomInput(7),
    { ...settings, seed: 7, heads: 10, causal: true, validLens: [6] },
  ],
  'no valid key': [randomInput(1), { ...settings, validLens: [0] }],
  'planted patterns': [
    buildInput({ ...createKeysStore().state, input: 'patterns', heads: 4, seed: 3 }),
    { ...settings, heads: 4, seed: 3, validLens: [4] },
  ],
};

describe('a pass of the layer', () => {
  for (const [name, [input, given]] of Object.entries(cases)) {
    test(`is that of float64 in all its parts: ${name}`, () => {
      const view = attend(input, given);
      const { heads, output } = expectedOf(view, given);
      near(sampleOf(view.output, 0), output, 1e-5, 'output');
      heads.forEach((head, number) => {
        const { queries, keys, values } = view.projected;
        const ofHead = (tensor) => {
          const [, , length] = tensor.shape;
          return rowsOf(tensor).slice(number * length, (number + 1) * length);
        };
        near(ofHead(queries), head.q, 1e-5, 'q');
        near(ofHead(keys), head.k, 1e-5, 'k');
        near(ofHead(values), head.v, 1e-5, 'v');
        near(ofHead(view.weights), head.weights, 1e-5, 'weights');
        head.scaled.forEach((row, query) => {
          const seen = row.filter((_, key) => head.masked[query][key] !== -Infinity);
          const total = sum(seen.map((score) => Math.exp(score - Math.max(...seen))));
          const steps = stepsOf(view, { sample: 0, head: number, query, key: 0 });
          assert.ok(steps.some(([, text]) => text.endsWith(` ÷ ${formatNumber(total)}`)));
          const results = steps.map(([, , result]) =>
            Number(result.replace('−', '-').replace('∞', 'Infinity')),
          );
          const own = [head.scores, head.scaled, head.masked].map((rows) => rows[query][0]);
          const exponential = seen.length > 0 ? Math.exp(own[2] - Math.max(...seen)) : 0;
          near(results.slice(0, 5), [...own, exponential, head.weights[query][0]], 1e-4, 'steps');
          row.forEach((score, key) => {
            near(view.scores.at(0, number, query, key), score, 1e-5, 'score');
            const isMasked = head.masked[query][key] === -Infinity;
            assert.equal(view.isMasked(0, query, key), isMasked);
          });
        });
      });
      summariseHeads(view).forEach((found, head) => {
        const rows = heads[head].weights.filter((row) => sum(row) > 0);
        assert.equal(found === undefined, rows.length === 0);
        if (found === undefined) return;
        near(found.largest, Math.max(...rows.flat()), 1e-5);
        near(found.entropy, sum(rows.map(entropyOf)) / rows.length, 1e-5);
      });
      const spreads = heads[0].weights.flatMap((row, query) =>
        row.map((_weight, key) => {
          const ofHeads = heads.map(({ weights }) => weights[query][key]);
          return Math.max(...ofHeads) - Math.min(...ofHeads);
        }),
      );
      near(differenceOf(view), Math.max(...spreads), 1e-5, 'difference');
    });
  }

  test('has equal weights in all heads if keys are equal, whatever the seed', () => {
    for (const seed of [1, 2, 3]) {
      const view = attend(onesInput(), { ...settings, seed });
      assert.equal(differenceOf(view), 0);
      assert.deepEqual(new Set(view.weights.data), new Set([Math.fround(1 / 3), 0]));
    }
  });
});

describe('a head in short', () => {
  const viewOf = (queries, keys, weightAt, isMasked = () => false) => {
    const weights = Tensor.zeros([1, 1, queries, keys]);
    range(queries * keys).forEach(
      (at) => (weights.data[at] = weightAt(Math.floor(at / keys), at % keys)),
    );
    return { weights, numHeads: 1, isMasked: (_sample, query, key) => isMasked(query, key) };
  };
  const patternOf = (...given) => summariseHeads(viewOf(...given))[0].pattern;
  const targets = {
    previousToken: (q) => q - 1,
    firstToken: () => 0,
    diagonal: (q) => q,
    copy: (q) => q - 3,
  };

  test('follows the pattern that has most of its weight, where queries are the keys', () => {
    for (const [name, target] of Object.entries(targets)) {
      const sharp = (share) => (query, key) =>
        key === Math.max(0, target(query)) ? share : (1 - share) / 7;
      assert.equal(patternOf(8, 8, sharp(0.9)), name);
      assert.equal(patternOf(8, 8, sharp(0.4)), 'mixed', 'less than half of it');
      assert.equal(patternOf(7, 8, sharp(0.9)), 'mixed', 'other tokens');
    }
  });

  test('follows none that does not exceed the second-best by 0.2', () => {
    // Later queries see two keys: the first token and the previous one.
    const between = (share) => (query, key) => {
      if (query < 2) return Number(key === 0);
      return key === 0 ? share : key === query - 1 ? 1 - share : 0;
    };
    // The means are over 8 queries for the first token, over 7 for the previous one.
    assert.equal(patternOf(8, 8, between(0.55)), 'mixed');
    assert.equal(patternOf(8, 8, between(0.7)), 'firstToken');
  });

  test('is even if no query gives a key a quarter more than an equal share', () => {
    const peaked = (peak) => (_query, key) => (key === 1 ? peak : (1 - peak) / 3);
    assert.equal(patternOf(5, 4, peaked(0.312)), 'even');
    assert.equal(patternOf(5, 4, peaked(0.313)), 'mixed');
    const first = (_query, key) => Number(key === 0);
    assert.equal(
      patternOf(4, 4, first, (_query, key) => key > 0),
      'single',
    );
  });
});

test('keys lead through a map, and Home and End through its row', () => {
  const led = (key, ctrlKey) => neighbour({ query: 2, key: 1 }, { key, ctrlKey }, 4, 3);
  assert.deepEqual(led('Home'), { query: 2, key: 0 });
  assert.deepEqual(led('End', true), { query: 3, key: 2 });
  assert.deepEqual(led('ArrowDown'), { query: 3, key: 1 });
});

describe('a lesson', () => {
  /** Query i is to output the value at key i, modulo what is valid. */
  function taught(input, steps) {
    const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed: 1 });
    const optimizer = new Adam(layer, { learningRate: 0.002 });
    const { queries, keys } = input;
    const losses = [];
    for (let step = 0; step <= steps; step++) {
      const options = { validLens: [3], requiresGrad: true };
      const { output } = layer.forward(queries, keys, keys, options);
      const errors = Array.from(
        output.data,
        (value, i) => value - keys.at(0, Math.floor(i / 100) % 3, i % 100),
      );
      losses.push(sum(errors.map((error) => error ** 2)) / errors.length);
      if (step === steps) break;
      layer.backward(
        new Tensor(
          errors.map((error) => (2 * error) / errors.length),
          output.shape,
        ),
      );
      optimizer.step();
      optimizer.zeroGradients();
    }
    return { losses, parameters: layer.stateDict() };
  }

  test('is that of the package step by step, the same whatever was asked before', () => {
    const input = randomInput(1);
    const lesson = new Lesson(input, settings);
    const { losses, parameters } = taught(input, 30);
    const after30 = lesson.after(30);
    near([after30.losses.first, after30.losses.now], [losses[0], losses[30]], 1e-4);
    assert.ok(losses[30] < losses[0] / 20);
    for (const name of Object.keys(parameters)) {
      near([...after30.parameters[name].data], [...parameters[name].data], 1e-3, name);
    }
    const after2 = lesson.after(2);
    near(after2.losses.now, losses[2], 1e-4);
    assert.deepEqual(lesson.after(30), after30);
    assert.notDeepEqual(after2.parameters, after30.parameters);
    const { weights } = attend({ ...input, parameters: after30.parameters }, settings);
    const sharp = rowsOf(weights).filter((row) => Math.max(...row) > 0.9).length;
    assert.ok(sharp >= 15, `${sharp} of 20 rows`);
  });

  test('has no valid key, and stays finite', () => {
    const lesson = new Lesson(randomInput(1), { ...settings, validLens: [0] });
    assert.ok(Number.isFinite(lesson.after(2).losses.now));
  });
});
