// What the figures of the layer show: every number against float64.
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { Adam, MultiHeadAttention, Tensor } from 'headwise';
import { stepsOf } from '../../web/src/acts/heads/arithmetic.ts';
import { ablationEffects, gateEffect } from '../../web/src/acts/heads/gate-effect.ts';
import { summariseHeads } from '../../web/src/acts/heads/head-summary.ts';
import { buildInput } from '../../web/src/acts/heads/inputs.ts';
import { isOfHead, numbersOf, shapeOf } from '../../web/src/acts/heads/layer-parts.ts';
import { createHeadsStore, gatesOf, layerParts } from '../../web/src/acts/heads/state.ts';
import { Lesson } from '../../web/src/acts/toy/lesson.ts';
import { attend, gatedOutput } from '../../web/src/attention/attention-view.ts';
import { randomInput } from '../../web/src/attention/input.ts';
import { largestOf } from '../../web/src/attention/map-content.ts';
import { neighbour } from '../../web/src/attention/map-selection.ts';
import { formatNumber } from '../../web/src/format/numbers.ts';
import { attention, entropyOf, near, range, rowsOf, sampleOf, sum } from './lib/float64.mjs';

const settings = { seed: 1, heads: 5, causal: false, scale: 1, dropout: 0, validLens: [3, 2] };

/** Sample by sample in float64, of the view's own input and parameters. */
function expectedOf({ input, parameters, numHeads, validLens }, { causal, scale }, gates) {
  const W = Object.fromEntries(
    ['q', 'k', 'v', 'o'].map((name) => [name, rowsOf(parameters[`W_${name}.weight`])]),
  );
  return validLens.map((validLen, sample) =>
    attention({
      ...{ X: sampleOf(input.queries, sample), keys: sampleOf(input.keys, sample) },
      ...{ values: sampleOf(input.values, sample), W, numHeads, gates },
      scale: scale / Math.sqrt(W.q.length / numHeads),
      isMasked: (query, key) => key >= validLen || (causal && key > query),
    }),
  );
}

const cases = {
  'random input': [randomInput(1), settings],
  'a seed, a scale and a causal mask': [
    randomInput(7),
    { ...settings, seed: 7, heads: 10, scale: 2.5, causal: true, validLens: [6, 1] },
  ],
  'a sample without a valid key': [randomInput(1), { ...settings, validLens: [0, 6] }],
  'planted patterns': [
    buildInput({ ...createHeadsStore().state, input: 'patterns', heads: 4, seed: 3 }),
    { ...settings, heads: 4, seed: 3, validLens: [10, 4] },
  ],
};

describe('a pass of the layer', () => {
  for (const [name, [input, given]] of Object.entries(cases)) {
    test(`is that of float64 in all its parts: ${name}`, () => {
      const view = attend(input, given);
      const gates = range(given.heads).map((head) => [1, 0.25, 0, 0.9][head % 4]);
      const gated = gatedOutput(input, given, gates);
      const [open, shut] = [expectedOf(view, given), expectedOf(view, given, gates)];
      const W = (weight) => rowsOf(view.parameters[`${weight}.weight`]);
      open.forEach((sample, at) => {
        near(sampleOf(view.output, at), sample.output, 1e-5, 'output');
        sample.heads.forEach((head, number) => {
          const own = (part) => numbersOf(view, part, { sample: at, head: number }, gates, gated);
          const size = view.headSize;
          const block = (rows) => rows.slice(number * size, (number + 1) * size);
          const wanted = {
            ...{ queries: sampleOf(input.queries, at), keys: sampleOf(input.keys, at) },
            ...{ values: sampleOf(input.values, at), W_q: block(W('W_q')), W_k: block(W('W_k')) },
            ...{ W_v: block(W('W_v')), W_o: W('W_o').map(block), q: head.q, k: head.k, v: head.v },
            ...{ weights: head.weights, pooled: head.pooled },
            ...{ concat: shut[at].concat, output: shut[at].output },
          };
          assert.deepEqual(Object.keys(wanted).sort(), layerParts.toSorted());
          for (const part of layerParts) {
            const { rows, shape } = own(part);
            near(rows, wanted[part], 1e-5, part);
            assert.deepEqual(shape, shapeOf(view, part));
          }
          head.scaled.forEach((row, query) => {
            const seen = row.filter((_, key) => head.masked[query][key] !== -Infinity);
            const total = sum(seen.map((score) => Math.exp(score - Math.max(...seen))));
            const steps = stepsOf(view, { sample: at, head: number, query, key: 0 }, given);
            assert.ok(steps.some(([, text]) => text.endsWith(` ÷ ${formatNumber(total)}`)));
            row.forEach((score, key) => {
              near(view.scores.at(at, number, query, key), score, 1e-5, 'score');
              const isMasked = head.masked[query][key] === -Infinity;
              assert.equal(view.isMasked(at, query, key), isMasked);
            });
          });
        });
      });
      // Gates: how far they move the output, of all samples and of each query.
      const lengthOf = (values) => Math.sqrt(sum(values.map((value) => value ** 2)));
      const movedOf = (before, after) => {
        const [a, b] = [before.flat(3), after.flat(3)];
        return a.every((value) => value === 0)
          ? 0
          : lengthOf(b.map((v, at) => v - a[at])) / lengthOf(a);
      };
      const outputs = (passes) => passes.map(({ output }) => output);
      const effect = gateEffect(view, given, gates);
      near(effect.share, movedOf(outputs(open), outputs(shut)), 1e-5, 'gates');
      near(
        effect.queries,
        open.map(({ output }, at) => output.map((row, q) => movedOf([row], [shut[at].output[q]]))),
        ...[1e-4, 'gates, query by query'],
      );
      assert.equal(
        gateEffect(
          view,
          given,
          gates.map(() => 1),
        ).share,
        0,
      );
      const without = range(given.heads).map((head) => {
        const single = range(given.heads).map((each) => Number(each !== head));
        return movedOf(outputs(open), outputs(expectedOf(view, given, single)));
      });
      near(ablationEffects(view, given), without, 1e-5, 'without each head');
    });
  }

  test('has the shapes that the figure says, for all samples and heads', () => {
    const view = attend(randomInput(1), { ...settings, heads: 4 });
    const shapes = layerParts.map((part) => shapeOf(view, part).join());
    const [projections, W] = ['2,4,4,25', '100,100'];
    const ofHead = layerParts.filter(isOfHead).join();
    assert.equal(ofHead, 'W_q,W_k,W_v,q,k,v,weights,pooled,W_o');
    assert.deepEqual(shapes, [
      ...['2,4,100', '2,6,100', '2,6,100', W, W, W, projections, '2,4,6,25', '2,4,6,25'],
      ...['2,4,4,6', projections, '2,4,100', W, '2,4,100'],
    ]);
  });

  test('keeps after dropout the very weights that the output was made of', () => {
    // With 20 heads one has fewer hidden units than there are keys.
    for (const heads of [5, 20]) {
      const given = { ...settings, heads, dropout: 0.5, validLens: [6, 6] };
      const input = randomInput(1);
      const view = attend(input, given);
      const dropped = view.kept.data.filter((weight) => weight === 0).length;
      assert.ok(dropped > 0.3 * view.kept.data.length && dropped < 0.7 * view.kept.data.length);
      view.kept.data.forEach((kept, at) => {
        if (kept !== 0) near(kept, 2 * view.weights.data[at], 1e-5);
      });
      const W_o = rowsOf(view.parameters['W_o.weight']);
      const concat = range(heads).flatMap((head) =>
        range(100 / heads).map((unit) =>
          sum(
            range(6).map(
              (key) => view.kept.at(1, head, 2, key) * view.projected.values.at(1, head, key, unit),
            ),
          ),
        ),
      );
      near(
        sampleOf(view.output, 1)[2],
        W_o.map((row) => sum(row.map((w, at) => w * concat[at]))),
        1e-5,
      );
    }
  });
});

describe('a head in short', () => {
  const patternOf = (view, sample, head) => summariseHeads(view)[sample][head]?.pattern;

  test('has the largest weight and the mean entropy over the queries that see a key', () => {
    for (const [input, given] of Object.values(cases)) {
      const view = attend(input, given);
      const expected = expectedOf(view, given);
      summariseHeads(view).forEach((ofSample, sample) =>
        ofSample.forEach((found, head) => {
          const rows = expected[sample].heads[head].weights.filter((row) => sum(row) > 0);
          assert.equal(found === undefined, rows.length === 0);
          if (found === undefined) return;
          near(found.largest, Math.max(...rows.flat()), 1e-5);
          near(found.entropy, sum(rows.map(entropyOf)) / rows.length, 1e-5);
        }),
      );
    }
  });

  test('is even if no query gives a key a quarter more than an equal share', () => {
    const counts = { even: 0, other: 0 };
    for (const scale of [0.25, 0.5, 0.75]) {
      const view = attend(randomInput(1), { ...settings, scale, validLens: [3, 6] });
      for (const [sample, keys] of [3, 6].entries()) {
        for (const head of range(5)) {
          const largest = Math.max(
            ...range(4 * keys).map((at) =>
              view.weights.at(sample, head, Math.floor(at / keys), at % keys),
            ),
          );
          const isEven = patternOf(view, sample, head) === 'even';
          assert.equal(isEven, largest * keys < 1.25);
          counts[isEven ? 'even' : 'other'] += 1;
        }
      }
    }
    assert.ok(counts.even > 0 && counts.other > 0);
  });

  test('follows the pattern that has most of its weight, where queries are the keys', () => {
    const patterns = {
      previousToken: (q) => q - 1,
      firstToken: () => 0,
      diagonal: (q) => q,
      copy: (q) => q - 3,
    };
    const viewOf = (queries, keys, weightAt) => {
      const weights = Tensor.zeros([1, 1, queries, keys]);
      range(queries * keys).forEach(
        (at) => (weights.data[at] = weightAt(Math.floor(at / keys), at % keys)),
      );
      return { weights, numHeads: 1, isMasked: () => false };
    };
    for (const [name, target] of Object.entries(patterns)) {
      const sharp = (share) => (query, key) =>
        key === Math.max(0, target(query)) ? share : (1 - share) / 7;
      assert.equal(patternOf(viewOf(8, 8, sharp(0.9)), 0, 0), name);
      assert.equal(patternOf(viewOf(8, 8, sharp(0.4)), 0, 0), 'mixed', 'less than half of it');
      assert.equal(patternOf(viewOf(7, 8, sharp(0.9)), 0, 0), 'mixed', 'other tokens');
    }
  });
});

test('gates and the largest weight are those of the heads that there are', () => {
  const { state } = createHeadsStore();
  assert.deepEqual(gatesOf({ ...state, heads: 4, gates: [0.5, 2, 0.31] }), [0.5, 1, 0.3, 1]);
  const view = attend(randomInput(1), settings);
  const of = (head) =>
    Math.max(...expectedOf(view, settings).flatMap(({ heads }) => heads[head].weights.flat()));
  for (const head of range(5)) near(largestOf(view, head), of(head), 1e-5);
});

test('keys lead through a map, and Home and End through its row', () => {
  const led = (key, ctrlKey) => neighbour({ query: 2, key: 1 }, { key, ctrlKey }, 4, 3);
  assert.deepEqual(led('Home'), { query: 2, key: 0 });
  assert.deepEqual(led('End', true), { query: 3, key: 2 });
  assert.deepEqual(led('ArrowDown'), { query: 3, key: 1 });
});

describe('a lesson of the toy example', () => {
  /** Query i is to give back the value at key i, modulo what is valid. */
  function taught(input, steps) {
    const layer = new MultiHeadAttention({ numHiddens: 100, numHeads: 5, seed: 1 });
    const optimizer = new Adam(layer, { learningRate: 0.002 });
    const { queries, keys } = input;
    const losses = [];
    for (let step = 0; step <= steps; step++) {
      const options = { validLens: [3, 2], requiresGrad: true };
      const { output } = layer.forward(queries, keys, keys, options);
      const errors = Array.from(output.data, (value, i) => {
        const [sample, query, unit] = [Math.floor(i / 400), Math.floor(i / 100) % 4, i % 100];
        return value - keys.at(sample, query % [3, 2][sample], unit);
      });
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
    assert.ok(sharp > 30, `${sharp} of 40 rows`);
    lesson.dispose();
  });
});
