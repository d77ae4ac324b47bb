// The run of the act on training: what it records, what heads do in it, and how it is driven.
import assert from 'node:assert/strict';
import { describe, test, vi } from 'vitest';
import { AttentionOnlyTransformer, InductionTask, patternScores } from 'headwise/models';
import { compositionOf } from '../../web/src/acts/train/composition.ts';
import {
  comparisonOf,
  enough,
  RunRecord,
  scoresOf,
  summaryOf,
  tooLittle,
} from '../../web/src/acts/train/run.ts';
import { Pace } from '../../web/src/ui/frames.ts';
import { coalesce } from '../../web/src/worker/connection.ts';
import {
  lastStep,
  makeTask,
  packMaps,
  scoreNames,
  symbolOf,
  taskNames,
  Trainer,
  unpackMaps,
} from '../../web/src/worker/training.ts';
import { RunDriver } from '../../web/src/worker/run-driver.ts';
import { near, range, rowsOf } from './lib/float64.mjs';

const options = { task: 'induction', layers: 2, heads: 2, learningRate: 0.005, seed: 1 };
const length = 4;
const area = length ** 2;

/** Weights of all heads of a layer: each query looks at the key that `keyOf` names, with 0.7 of its weight. */
const mapsOf = (heads, keyOf) =>
  Float32Array.from(
    range(heads * area).map((at) => {
      const [head, query, key] = [
        Math.floor(at / area),
        Math.floor(at / length) % length,
        at % length,
      ];
      if (key > query) return 0;
      const looked = Math.min(keyOf(head, query), query);
      return query === 0 ? 1 : key === looked ? 0.7 : 0.3 / query;
    }),
  );

/** A measurement in which each head has the scores that `scores` gives it, by layer and head. */
function measured(step, scores, more = {}) {
  const weights = [0, 1].map((layer) =>
    mapsOf(2, (head, query) => (step + layer + head) % (query + 1)),
  );
  const tensors = weights.map((data) => ({ data, shape: [1, 2, length, length] }));
  return {
    ...{ step, loss: 3 - step / 100, accuracy: step / 100, maps: packMaps(tensors) },
    scores: Float32Array.from(
      range(4).flatMap((at) => {
        const own = scores[`${Math.floor(at / 2) + 1}.${(at % 2) + 1}`] ?? {};
        return scoreNames.map((name) => own[name] ?? 0.1);
      }),
    ),
    weights,
    ...more,
  };
}
const updateOf = (measurement) => ({
  ...{ step: measurement.step, losses: Float32Array.of(1, 2, 3, 4), measurements: [measurement] },
  weights: measurement.weights,
});
function recordOf(measurements, given = options) {
  const [first, ...others] = measurements.map(updateOf);
  const tokens = Int32Array.from(range(length));
  const record = new RunRecord(given, { tokens, update: { ...first, losses: new Float32Array() } });
  for (const update of others) record.add(update);
  return record;
}

describe('a record', () => {
  const steps = [
    measured(0, {}),
    measured(4, { 1.1: { previousToken: 0.3 }, 2.1: { induction: 0.399 } }),
    measured(8, { 1.1: { previousToken: 0.25 }, 2.1: { induction: 0.4, rightKey: 0.9 } }),
    measured(12, { 1.1: { previousToken: 0.19 }, 2.1: { induction: 0.5, firstToken: 0.6 } }),
    measured(16, { 1.2: { previousToken: 0.5, firstToken: 0.31 }, 2.1: { firstToken: 0.6 } }),
    measured(20, { 1.2: { previousToken: 0.52, firstToken: 0.31 }, 2.1: { firstToken: 0.5 } }),
    measured(24, { 1.2: { previousToken: 0.5, firstToken: 0.41 }, 2.1: { firstToken: 0.5 } }),
    measured(100, { 2.2: { firstToken: 0.45 } }),
  ].map((each, at) => ({ ...each, accuracy: [0, 0.98, 0.99, 0.5, 1, 1, 1, 1][at] }));

  test('has heads take roles at their thresholds with a lead of 20 points, and leave them well below', () => {
    const record = recordOf(steps);
    const told = record.events.map(
      ({ step, place, score, kind }) =>
        `${step}: ${place.layer + 1}.${place.head + 1} ${kind} ${score}`,
    );
    assert.deepEqual(told, [
      // The right key has no name of its own in this task.
      ...['4: 1.1 took previousToken', '8: 2.1 took induction', '12: 1.1 left previousToken'],
      // Induction no longer leads; the first token does not lead by enough before step 16.
      ...['12: 2.1 left induction', '16: 2.1 took firstToken', '20: 1.2 took previousToken'],
      ...['24: 1.2 left previousToken', '100: 2.1 left firstToken', '100: 2.2 took firstToken'],
    ]);
    assert.deepEqual(record.roles, [undefined, undefined, undefined, 'firstToken']);
    assert.equal(record.goalStep, 8, 'the first step at 99 %, once and for all');
    assert.deepEqual([enough('previousToken'), enough('rightKey'), tooLittle], [0.3, 0.4, 0.2]);
    assert.deepEqual(scoresOf('sort'), ['rightKey', 'previousToken', 'firstToken']);
    assert.deepEqual(scoresOf('previous'), ['previousToken', 'firstToken']);
  });

  test('shows each measured step as it was, and the last one as it is', () => {
    const record = recordOf(steps.slice(0, 4));
    for (const [asked, step, roles] of [
      [0, 0, []],
      [3, 0, []],
      [8, 8, ['previousToken', undefined, 'induction']],
      [11, 8, ['previousToken', undefined, 'induction']],
    ]) {
      const moment = record.momentAt(asked);
      assert.deepEqual([moment.step, moment.isNow], [step, false]);
      assert.deepEqual(
        moment.roles,
        range(4).map((at) => roles[at]),
      );
      assert.equal(moment.measurement, record.measurements[step / 4]);
      moment.weights.forEach((own, layer) =>
        near([...own], [...steps[step / 4].weights[layer]], 1e-5),
      );
      assert.equal(record.momentAt(asked), moment, 'made once');
    }
    for (const asked of [undefined, 12, 3000]) {
      const { step, isNow, weights } = record.momentAt(asked);
      assert.deepEqual([step, isNow], [12, true]);
      assert.equal(weights, steps[3].weights);
    }
    const { losses, measurements, tokens, weights } = record.data;
    assert.deepEqual([losses.length, measurements.length, tokens], [12, 4, [0, 1, 2, 3]]);
    assert.deepEqual(
      weights.map(({ shape }) => shape),
      Array(2).fill([2, length, length]),
    );
    assert.ok(measurements.every((each) => !('maps' in each)));
  });

  test('is pinned as it was, and compared with a single layer once it is plain how that goes', () => {
    const record = recordOf(steps);
    const summary = summaryOf(record);
    record.add(updateOf(measured(104, {})));
    const { points, ...rest } = summary;
    assert.deepEqual(rest, { options, step: 100, accuracy: 1, goalStep: 8 });
    assert.deepEqual(points.at(-1), [100, 2]);
    const single = (step, more) => ({
      ...summary,
      goalStep: undefined,
      step,
      options: { ...options, layers: 1, ...more },
    });
    const one = single(1000);
    assert.deepEqual(comparisonOf(summary, one), { one, more: summary });
    assert.deepEqual(comparisonOf(one, summary), { one, more: summary });
    const early = { ...single(8), goalStep: 8 };
    assert.deepEqual(comparisonOf(summary, early), { one: early, more: summary });
    for (const other of [
      single(999),
      single(1000, { seed: 2 }),
      single(1000, { layers: 2 }),
      summary,
    ]) {
      assert.equal(comparisonOf(summary, other), undefined);
    }
    assert.equal(comparisonOf(one, { ...summary, goalStep: undefined }), undefined);
  });

  test('composes the head that looks at the right key with one of the layer before', () => {
    const scores = {
      1.1: { previousToken: 0.2 },
      1.2: { previousToken: 0.9 },
      2.1: { induction: 0.6 },
    };
    const record = recordOf([measured(0, {}), measured(4, scores)]);
    const moment = record.momentAt(undefined);
    const keyOf = ({ layer, head }, query) => (4 + layer + head) % (query + 1);
    const [best, previous] = [
      { layer: 1, head: 0 },
      { layer: 0, head: 1 },
    ];
    for (const query of range(length)) {
      for (const chosen of [undefined, ...record.places]) {
        const { look, back } = compositionOf(record, moment, query, chosen);
        // Heads of the first layer do not compose with any before.
        const place = chosen?.layer === 1 ? chosen : best;
        const key = keyOf(place, query);
        const weightAt = (from) => (from === 0 ? 1 : 0.7);
        near(look.weight, weightAt(query), 1e-6);
        near(back.weight, weightAt(key), 1e-6);
        assert.deepEqual([look.place, look.query, look.key], [place, query, key]);
        assert.deepEqual([back.place, back.query, back.key], [previous, key, keyOf(previous, key)]);
      }
    }
    const single = recordOf([measured(0, scores)], { ...options, layers: 1 });
    const alone = compositionOf(single, single.momentAt(undefined), 3, undefined);
    assert.deepEqual([alone.look.place.layer, alone.back], [0, undefined]);
  });
});

test('causal maps are packed into two bytes a weight', () => {
  const data = mapsOf(6, (head, query) => head % (query + 1));
  const packed = packMaps([{ data: data.subarray(0, 3 * area), shape: [2, 3, length, length] }]);
  assert.equal(packed.length, 3 * 10);
  near([...unpackMaps(packed, 1, 3, length)[0]], [...data.subarray(0, 3 * area)], 1e-5);
});

/** A run of the task `induction` by the package, and what is read off its weights in double precision. */
function trainedBy({ layers, heads, learningRate, seed }, steps) {
  const task = new InductionTask({ numSymbols: 26, length: 20, minPeriod: 6, maxPeriod: 12 });
  const model = new AttentionOnlyTransformer({
    ...{ vocabularySize: task.vocabularySize, maxLength: 20, numHiddens: 32, numHeads: heads },
    ...{ numLayers: layers, positions: 'learned', layerNorm: true, seed },
    optimizer: { learningRate },
  });
  for (const step of range(steps)) {
    const { tokens, targets } = task.batch(seed, 32, 32 * step);
    model.trainStep(tokens, targets);
  }
  const unseen = task.batch(2 ** 40 + seed, 64);
  const { logits, attentionWeights } = model.forward(unseen.tokens, { returnWeights: true });
  const asked = [...unseen.targets.data.entries()].filter(([, target]) => target >= 0);
  const rows = rowsOf(logits);
  const right = asked.filter(([at, target]) => rows[at].indexOf(Math.max(...rows[at])) === target);
  const weight = (layer, head, query, key) =>
    attentionWeights[layer].data[(head * 20 + query) * 20 + key];
  return {
    tokens: [...unseen.tokens.data.subarray(0, 20)],
    accuracy: right.length / asked.length,
    weight,
    previousToken: (layer, head) => patternScores(attentionWeights[layer])[head].previousToken,
  };
}

describe('a trainer', () => {
  test('trains as the package does, whatever pieces it is asked for', () => {
    for (const given of [
      options,
      { ...options, layers: 1, heads: 4, learningRate: 0.01, seed: 5 },
    ]) {
      const { layers, heads } = given;
      const [whole, pieces] = [new Trainer(given), new Trainer(given)];
      const { tokens, guessing } = whole.start();
      const { weights, measurements, losses, step } = whole.advance(24, Infinity);
      const parts = [5, 1, 18].map((steps) => pieces.advance(steps, Infinity));
      assert.deepEqual(parts.at(-1).weights, weights);
      assert.deepEqual(
        parts.flatMap((part) => [...part.losses]),
        [...losses],
      );
      assert.deepEqual(
        parts.flatMap((part) => part.measurements),
        measurements,
      );
      assert.deepEqual([step, measurements.map((each) => each.step)], [24, [4, 8, 12, 16, 20, 24]]);
      assert.equal(pieces.advance(10, 0).losses.length, 1, 'out of time: one step');
      const run = trainedBy(given, 24);
      assert.deepEqual([...tokens], run.tokens);
      near(guessing, Math.log(26), 1e-6);
      const { accuracy, scores } = measurements.at(-1);
      near(accuracy, run.accuracy, 1e-6);
      range(layers * heads).forEach((at) => {
        const [layer, head] = [Math.floor(at / heads), at % heads];
        near(scores[4 * at + 1], run.previousToken(layer, head), 1e-4);
        range(20).forEach((query) =>
          range(20).forEach((key) => {
            const own = weights[layer][(head * 20 + query) * 20 + key];
            near(own, key > query ? 0 : run.weight(layer, head, query, key), 1e-5);
          }),
        );
      });
    }
  });

  test('learns every task', () => {
    for (const task of taskNames) {
      const trainer = new Trainer({ ...options, task });
      const start = trainer.start();
      assert.ok(start.targets.some((target) => target >= 0));
      const { losses } = trainer.advance(24, Infinity);
      assert.ok(losses.at(-1) < 0.95 * losses[0], `${task}: ${losses[0]} to ${losses.at(-1)}`);
      assert.ok(makeTask(task).length <= 20);
    }
    const symbols = [
      ...[symbolOf('induction', 0), symbolOf('recall', 7), symbolOf('recall', 8)],
      ...[symbolOf('sort', 16), symbolOf('reverse', 12), symbolOf('copy', 11)],
    ];
    assert.deepEqual(symbols, ['a', 'h', '0', '|', '|', 'l']);
  });
});

describe('a run', () => {
  test('takes no answer of one before, ends at its last step, and fails with its reason', async () => {
    const answers = [];
    class Driven extends RunDriver {
      taken = [];
      start = (name) =>
        new Promise((resolve) => answers.push(() => resolve(() => this.taken.push(name))));
      update = (steps) =>
        new Promise((resolve, reject) => answers.push({ steps, resolve, reject }));
      add = ({ step }) => this.taken.push(step);
      goOn = () => this.advance(10, 5);
    }
    const failures = [];
    const run = new Driven(
      {},
      { onChange: () => {}, onFailure: (error) => failures.push(error) },
      3,
    );
    const [first, second] = [run.begin('first'), run.begin('second')];
    for (const answer of answers.splice(0)) answer();
    await Promise.all([first, second]);
    assert.deepEqual(run.taken, ['second']);
    const played = run.play();
    answers.pop().resolve({ step: 2 });
    await vi.waitUntil(() => answers.length > 0);
    answers.pop().resolve({ step: 3 });
    await played;
    assert.equal(run.state, 'ended');
    await run.step();
    assert.deepEqual([run.taken, answers], [['second', 2, 3], []]);
    const third = run.begin('third');
    answers.pop()();
    await third;
    const stepped = run.step();
    const { steps, reject } = answers.pop();
    assert.equal(steps, 1);
    reject('no memory');
    await stepped;
    assert.deepEqual([run.state, failures], ['failed', ['no memory']]);
    assert.equal(lastStep % 4, 0);
  });

  test('is drawn at one frame in four where frames come late', () => {
    for (const [apart, drawn] of [
      [16, 40],
      [60, 10],
    ]) {
      const waiting = [];
      let now = 0;
      vi.stubGlobal('performance', { now: () => now });
      vi.stubGlobal('requestAnimationFrame', (callback) => waiting.push(callback));
      const pace = new Pace();
      const frames = range(100).map(() => {
        now += apart;
        for (const callback of waiting.splice(0)) callback();
        return pace.isDue();
      });
      vi.unstubAllGlobals();
      assert.equal(frames.slice(-40).filter(Boolean).length, drawn);
    }
  });

  test('asks for the newest of many wishes, one after the other', async () => {
    const asked = [];
    const ask = coalesce((wish) => new Promise((resolve) => asked.push({ wish, resolve })));
    for (const wish of [1, 2, 3]) ask(wish);
    asked[0].resolve();
    await vi.waitUntil(() => asked.length === 2);
    ask(4);
    asked[1].resolve();
    await vi.waitUntil(() => asked.length === 3);
    assert.deepEqual(
      asked.map(({ wish }) => wish),
      [1, 3, 4],
    );
  });
});
