// The planted model: what is planted, what measures say of it, and what pruning does to it and to the language model.
import assert from 'node:assert/strict';
import { beforeAll, describe, test, vi } from 'vitest';
import * as headwise from 'headwise/models';
import { openModel } from '../../scripts/prune-records.mjs';
import {
  builtInModelStudy,
  builtInStudies,
  Planter,
  Ranker,
} from '../../web/src/acts/prune/studies.ts';
import { canMark } from '../../web/src/acts/prune/state.ts';
import {
  allHeads,
  gatesWithout,
  headsOf,
  isPlanted,
  nameOfHead,
  pruningOrder,
} from '../../web/src/worker/heads.ts';
import { bestFirst, mostPrunable, studyModel } from '../../web/src/worker/model-study.ts';
import { PlantedModel } from '../../web/src/worker/planted-model.ts';
import { accuracyWithout, chosenBy, measures, rankOf, study } from '../../web/src/worker/study.ts';
import { near, range, sum } from './lib/float64.mjs';

const { Tensor } = headwise;
const heads = (names) => names.map((name) => allHeads.find((head) => nameOfHead(head) === name));

test('heads are named by layer and place, four are marked, and a layer keeps its last', () => {
  assert.equal(allHeads.map(nameOfHead).join(), '1.1,1.2,1.3,1.4,1.5,1.6,2.1,2.2,2.3,2.4,2.5,2.6');
  const order = pruningOrder(allHeads, [9, 1, 2, 3, 4, 5, 0.5, 8, 7, 6, 2.5, 2.6]);
  assert.equal(order.map(nameOfHead).join(), '2.1,1.2,1.3,2.5,2.6,1.4,1.5,1.6,2.4,2.3');
  assert.deepEqual(gatesWithout([2, 3], heads(['1.2', '2.1'])), [
    [1, 0],
    [0, 1, 1],
  ]);
  const [first, ...others] = heads(['1.1', '1.2', '1.3', '2.1']);
  assert.deepEqual([canMark(first, others), canMark(first, [first])], [true, false]);
  assert.equal(canMark(heads(['2.6'])[0], [first, ...others]), false);
});

test('the seed decides which heads of a layer are planted', () => {
  const roles = [
    ['previousToken', 'previousToken', 'sharp', 'sharp', 'quiet', 'quiet'],
    ['induction', 'induction', 'sharp', 'sharp', 'quiet', 'quiet'],
  ];
  for (const seed of [1, 2]) {
    const planted = new PlantedModel(seed);
    const expected = roles.map((ofLayer, layer) => {
      const { data } = Tensor.randn([6], 2 ** 42 + 2 * seed + layer);
      return range(6)
        .sort((a, b) => data[a] - data[b])
        .map((place) => ofLayer[place]);
    });
    assert.deepEqual(planted.roles, expected);
  }
});

describe('a study', () => {
  let planted;
  let found;
  beforeAll(async () => {
    planted = new PlantedModel(1);
    const steps = study(planted, 1, true);
    for (;;) {
      const { done, value } = await steps.next();
      if (done) found = value;
      if (done) break;
    }
  });

  const withRole = (isWanted) => allHeads.filter((_head, at) => isWanted(found.roles[at]));
  const without = (pruned) => planted.accuracyWithout(pruned);

  test('finds the planted heads by ablation and gradient, not by confidence or entropy', () => {
    const right = measures.map((measure) => {
      const chosen = chosenBy(measure, found);
      const rank = rankOf(measure, found.importance[measure]);
      const least = Math.min(...chosen.map((head) => rank[allHeads.indexOf(head)]));
      assert.equal(rank.filter((value) => value >= least).length, 4, 'the four highest');
      return chosen.filter((head) => isPlanted(found.roles[allHeads.indexOf(head)])).length;
    });
    assert.deepEqual(right, [4, 4, 0, 0]);
    assert.deepEqual(rankOf('entropy', [1, 2]), [-1, -2]);
    const sharp = new Set(withRole((role) => role === 'sharp'));
    assert.ok(chosenBy('confidence', found).every((head) => sharp.has(head)));
    assert.ok(without(chosenBy('ablation', found)) < 0.5);
    assert.ok(without([...sharp]) > 0.9);
  });

  test('shuts heads in every order, from all of them to one a layer', () => {
    const orders = found.curves.map(({ order }) => order);
    assert.deepEqual(orders, [...measures, 'random', 'random', 'random']);
    for (const { order, accuracy } of found.curves) {
      assert.equal(accuracy.length, 11);
      near(accuracy[0], without([]), 1e-6);
      if (order === 'random') continue;
      const gone = pruningOrder(allHeads, rankOf(order, found.importance[order]));
      for (const count of [5, 8]) near(accuracy[count], without(gone.slice(0, count)), 1e-6, order);
    }
    const left = found.curves.map(({ accuracy }) => accuracy[8]);
    assert.ok(left[0] > 0.9 && left[2] < 0.5, `${left}`);
  });

  test('has the sequence that the model does best, its weights, and accuracy without any four', () => {
    const { tokens, targets, weights } = found.shown;
    const { data } = planted.model.forward({ data: tokens, shape: [20] }).logits;
    targets.forEach((target, at) => {
      if (target < 0) return;
      // It repeats: the target is the token that follows.
      if (at + 1 < 20) assert.equal(target, tokens[at + 1]);
      const logits = [...data.subarray(12 * at, 12 * (at + 1))];
      assert.equal(logits.indexOf(Math.max(...logits)), target);
    });
    assert.ok(targets.filter((target) => target >= 0).length >= 10);
    for (const ofLayer of weights) {
      assert.equal(ofLayer.length, 6 * 400);
      near(sum(ofLayer.subarray(0, 20)), 1, 1e-5);
    }
    assert.equal(found.shown.accuracyWithout.length, 495);
    for (const names of [
      ['1.1', '1.2', '1.3', '1.4'],
      ['2.6', '1.2', '2.3', '1.3'],
    ]) {
      near(accuracyWithout(found.shown, heads(names)), without(heads(names)), 1e-6);
    }
  });

  test('of seed 1 comes with the page as it is made now', async () => {
    const [stored, ...others] = builtInStudies();
    assert.deepEqual(
      others.map(({ seed }) => seed),
      [2, 3, 4, 5],
    );
    const { shown, ...now } = found;
    for (const measure of measures)
      near(stored.importance[measure], now.importance[measure], 5e-3, measure);
    stored.curves.forEach(({ accuracy }, at) => {
      near(accuracy, now.curves[at].accuracy, 5e-3);
    });
    assert.deepEqual([stored.seed, stored.roles], [now.seed, now.roles]);
    assert.deepEqual([stored.shown.tokens, stored.shown.targets], [shown.tokens, shown.targets]);
    near(stored.shown.accuracyWithout, shown.accuracyWithout, 5e-3);
    stored.shown.weights.forEach((data, layer) =>
      near([...data], [...shown.weights[layer]], 5e-3, 'weights'),
    );
  });
});

describe('the language model', () => {
  test('has the curves that come with the page', async () => {
    const { model, heldOut } = await openModel(headwise);
    const { numHeads, curves, step } = builtInModelStudy;
    assert.deepEqual(numHeads, model.numHeads);
    const all = numHeads.reduce((a, b) => a + b);
    for (const { order, heads: gone, losses } of curves.slice(0, 3)) {
      assert.equal(losses.length, Math.floor((all - numHeads.length) / step) + 1);
      const loss = await heldOut.loss(gatesWithout(numHeads, gone.slice(0, step)));
      near(losses[1], loss, 1e-3 * loss, order);
      near(losses[0], await heldOut.loss(gatesWithout(numHeads, [])), 1e-3 * loss);
    }
    const signal = new AbortController().signal;
    const measured = await heldOut.measure('gradient', { onProgress() {}, signal });
    const rank = rankOf('gradient', measured.flat());
    assert.deepEqual(pruningOrder(headsOf(numHeads), rank), curves[0].heads);
    const pruned = curves[0].heads.slice(0, step);
    for (const layer of range(numHeads.length)) {
      const gone = pruned.filter((head) => head.layer === layer).map(({ head }) => head);
      model.pruneHeads({ [layer]: gone });
    }
    const open = model.numHeads.map((count) => range(count).map(() => 1));
    near(await heldOut.loss(open), curves[0].losses[1], 5e-3);
  });

  const subject = {
    numHeads: [2, 2],
    measure: async (measure) =>
      measure === 'gradient'
        ? [
            [4, 1],
            [2, 3],
          ]
        : [
            [1, 2],
            [3, 4],
          ],
    loss: async (gates) =>
      2 + gates.flat().filter((gate) => gate === 0).length * (gates[0][1] ? 0.04 : 0.2),
  };

  test('is studied by each measure, with its progress, and the best order is first', async () => {
    const shares = [];
    const found = await studyModel(subject, (share) => shares.push(share));
    assert.deepEqual(
      shares,
      [...shares].sort((a, b) => a - b),
    );
    assert.equal(shares.at(-1), 1);
    assert.deepEqual(
      found.curves.map(({ order }) => order),
      ['gradient', 'confidence', 'entropy', 'random', 'ablation'],
    );
    const [gradient, confidence] = found.curves;
    assert.deepEqual(gradient.heads.map(nameOfHead), ['1.2', '2.1']);
    assert.deepEqual(gradient.losses, [2, 2.2, 2.4]);
    assert.deepEqual(confidence.losses, [2, 2.04, 2.08]);
    assert.notEqual(bestFirst(found)[0].order, 'gradient');
    assert.equal(bestFirst(found).at(-1).losses[1], 2.2);
    assert.equal(mostPrunable(found), 2);
    assert.equal(mostPrunable({ ...found, curves: [gradient] }), 0);
  });

  test('is ranked until the reader stops it, and starts over with another model', async () => {
    const listeners = [];
    const waiting = [];
    const model = {
      description: undefined,
      onChange: (listener) => listeners.push(listener),
      load: async () => ({ numHeads: [2, 2] }),
      call: (act) =>
        act({
          stopMeasuring: async () => {},
          measureHeads: subject.measure,
          heldOutLoss: (gates) =>
            new Promise((resolve) => waiting.push(() => resolve(subject.loss(gates)))),
        }),
    };
    const answer = async () => {
      await vi.waitUntil(() => waiting.length > 0);
      waiting.shift()();
    };
    const ranker = new Ranker(model, () => {});
    assert.equal(ranker.study, builtInModelStudy);
    const ranking = ranker.start();
    for (let point = 0; point < 4; point++) await answer();
    await vi.waitUntil(() => ranker.isMeasured && waiting.length > 0);
    assert.deepEqual([ranker.state, ranker.study.curves.length], ['busy', 1]);
    ranker.stop();
    await answer();
    await ranking;
    assert.deepEqual([ranker.state, ranker.study.curves.length], ['stopped', 1]);
    model.description = { name: 'another', numHeads: [2, 2] };
    listeners.forEach((listener) => listener());
    assert.deepEqual([ranker.state, ranker.study], ['idle', undefined]);
    const later = new Ranker(model, () => assert.fail('nothing has changed'));
    assert.equal(later.study, undefined);
    model.call = () => Promise.reject(new Error('lost'));
    await ranker.start();
    assert.deepEqual([ranker.state, ranker.problem], ['failed', 'lost']);
  });
});

describe('a planter', () => {
  test('studies five seeds, is stopped and begun again, and fails with its reason', async () => {
    const asked = [];
    const answers = [];
    const pruning = {
      study(seed, isShown, onProgress) {
        asked.push([seed, isShown]);
        return new Promise((resolve, reject) => answers.push({ onProgress, resolve, reject }));
      },
      stop: vi.fn(async () => {}),
    };
    const onFailure = vi.fn();
    const planter = new Planter(
      { call: (act) => act({ pruning }) },
      { onChange: vi.fn(), onFailure },
    );
    const answer = async (study) => {
      await vi.waitUntil(() => answers.length > 0);
      answers.pop().resolve(study);
    };
    const planting = planter.plant(7);
    answers[0].onProgress(5, 10);
    assert.equal(planter.progress, 0.1);
    for (const seed of range(5)) await answer({ seed });
    await planting;
    assert.deepEqual([planter.state, planter.studies.length, planter.progress], ['done', 5, 1]);
    assert.equal(asked.join(' '), '7,true 8,false 9,false 10,false 11,false');

    const again = planter.plant(2);
    await answer({ seed: 2 });
    await vi.waitUntil(() => answers.length > 0);
    planter.stop();
    assert.equal(pruning.stop.mock.calls.length, 1);
    await answer({ seed: 3 });
    await again;
    assert.deepEqual([planter.state, planter.seed, planter.studies], ['stopped', 3, [{ seed: 2 }]]);
    const failing = planter.plant(2);
    await vi.waitUntil(() => answers.length > 0);
    answers.pop().reject('lost');
    await failing;
    assert.deepEqual([planter.state, onFailure.mock.calls], ['failed', [['lost']]]);
    await planter.plant(1);
    assert.deepEqual([planter.state, planter.studies.length, asked.at(-1)], ['done', 5, [2, true]]);
  });
});
