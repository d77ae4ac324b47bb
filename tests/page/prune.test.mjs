// The planted model: what is planted, what measures say of it, and what pruning does to it.
import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest';
import { Tensor } from 'headwise';
import { Planter } from '../../web/src/acts/prune/planter.ts';
import { canMark, isReached } from '../../web/src/acts/prune/state.ts';
import { numRight } from '../../web/src/worker/answers.ts';
import { allHeads, canGo, isPlanted, nameOfHead } from '../../web/src/worker/heads.ts';
import { PlantedModel } from '../../web/src/worker/planted-model.ts';
import { PruningSession } from '../../web/src/worker/pruning-session.ts';
import { chosenBy, measures, rankOf, study } from '../../web/src/worker/study.ts';
import { timePairs } from '../../web/src/worker/timing.ts';
import { near, range, sum } from './lib/float64.mjs';

const heads = (names) => names.map((name) => allHeads.find((head) => nameOfHead(head) === name));

test('heads are named by layer and place, go while their layer has another, and four are marked', () => {
  assert.equal(allHeads.map(nameOfHead).join(), '1.1,1.2,1.3,1.4,1.5,1.6,2.1,2.2,2.3,2.4,2.5,2.6');
  const gone = heads(['1.1', '1.2', '1.3', '1.4', '1.5']);
  const can = (name) => canGo(heads([name])[0], allHeads, gone);
  assert.deepEqual(['1.1', '1.6', '2.1'].map(can), [false, false, true]);
  const [first, ...others] = heads(['1.1', '1.2', '1.3', '2.1']);
  assert.deepEqual([canMark(first, others), canMark(first, [first])], [true, false]);
  assert.equal(canMark(heads(['2.6'])[0], [first, ...others]), false);
});

test('the goal is four heads that answer 95 % right', () => {
  const reached = (left, accuracy) =>
    isReached({ pruned: allHeads.slice(left), left: { accuracy } });
  assert.deepEqual([reached(4, 0.95), reached(5, 1), reached(4, 0.94)], [true, false, false]);
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
    planted.dispose();
  }
});

describe('a study', () => {
  let planted;
  let found;
  let session;
  beforeAll(async () => {
    planted = new PlantedModel(1);
    const steps = study(planted, 1);
    for (;;) {
      const { done, value } = await steps.next();
      if (done) found = value;
      if (done) break;
    }
    session = new PruningSession(planted, found.shown);
  });
  afterAll(() => session.dispose());

  const withRole = (isWanted) => allHeads.filter((_head, at) => isWanted(found.roles[at]));
  const accuracyWithout = (pruned) => planted.without(pruned).accuracy;

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
    assert.ok(accuracyWithout(chosenBy('ablation', found)) < 0.5);
    assert.ok(accuracyWithout([...sharp]) > 0.9);
  });

  test('shuts heads in every order, from all of them to one a layer', () => {
    const orders = found.curves.map(({ order }) => order);
    assert.deepEqual(orders, [...measures, 'random', 'random', 'random']);
    for (const { order, points } of found.curves) {
      assert.deepEqual(
        points.map(({ kept }) => kept),
        range(11).map((at) => 12 - at),
      );
      near([points[0].loss, points[0].accuracy], Object.values(planted.quality()), 1e-6);
      if (order === 'random') continue;
      const rank = rankOf(order, found.importance[order]);
      const gone = [];
      for (const { kept, accuracy } of points) {
        if (kept === 12) continue;
        const removable = allHeads.filter((head) => canGo(head, allHeads, gone));
        gone.push(
          removable.reduce((a, b) =>
            rank[allHeads.indexOf(b)] < rank[allHeads.indexOf(a)] ? b : a,
          ),
        );
        if (kept === 4 || kept === 7)
          near(accuracy, accuracyWithout(gone), 1e-6, `${order}, ${kept} kept`);
      }
    }
    const left = found.curves.map(({ points }) => points.find(({ kept }) => kept === 4).accuracy);
    assert.ok(left[0] > 0.9 && left[2] < 0.5, `${left}`);
  });

  test('shows the sequence that the model does best, with its weights', () => {
    const { answers } = session.show([]).left;
    const asked = found.shown.targets.filter((target) => target >= 0).length;
    assert.ok(asked >= 10);
    assert.equal(numRight(found.shown, answers), asked);
    found.shown.targets.forEach((target, at) => {
      assert.equal(answers[at] === undefined, target < 0);
      // It repeats: the target is the token that follows.
      if (target >= 0 && at + 1 < 20) assert.equal(target, found.shown.tokens[at + 1]);
      if (target >= 0) assert.ok(answers[at].probability > 1 / 12 && answers[at].probability <= 1);
    });
    for (const weights of found.weights) {
      assert.equal(weights.length, 6 * 400);
      near(sum(weights.subarray(0, 20)), 1, 1e-5);
    }
  });

  test('leaves a model to be pruned, and to go back to', () => {
    const [whole, others] = [session.show([]), heads(['1.1', '1.4', '2.1', '2.2', '1.5'])];
    assert.deepEqual(
      [whole.left.loss, whole.left.accuracy],
      [whole.whole.loss, whole.whole.accuracy],
    );
    const states = range(6).map((count) => session.show(others.slice(0, count)));
    states.forEach(({ pruned, left }, count) => {
      assert.deepEqual(pruned, others.slice(0, count));
      const { loss, accuracy } = planted.without(others.slice(0, count));
      near([left.loss, left.accuracy], [loss, accuracy], 1e-4, `${count} pruned`);
    });
    assert.deepEqual(session.show(others.slice(0, 2)), states[2]);
    const another = session.show([others[0], ...heads(['2.3'])]);
    near(another.left.loss, planted.without([others[0], ...heads(['2.3'])]).loss, 1e-4);
    assert.deepEqual(session.show(others), states[5]);
    assert.deepEqual(session.show([]), whole);
    near(
      session.without([others, []]).map(({ loss }) => loss),
      [states[5].left.loss, whole.whole.loss],
      1e-4,
    );
  });

  test('times the pruned model against the whole one', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const prototype = Object.getPrototypeOf(planted.model);
    const { forward } = prototype;
    vi.spyOn(prototype, 'forward').mockImplementation(function (...args) {
      now += this === planted.model ? 4 : 1;
      return forward.apply(this, args);
    });
    session.show(heads(['1.1']));
    const { whole, pruned, ratio } = await session.time(new AbortController().signal);
    assert.deepEqual([whole, pruned, ratio], [4, 1, 1 / 4]);
    vi.restoreAllMocks();
  });

  test('has gates tried on what is left, by the numbers that heads had before', () => {
    const gates = range(2).map((layer) =>
      range(6).map((head) => Number(layer !== 1 || head !== 2)),
    );
    session.show(heads(['2.1', '1.4']));
    const tried = session.tryGates(gates);
    near(tried.loss, planted.without(heads(['2.1', '1.4', '2.3'])).loss, 1e-4);
    const right = numRight(found.shown, tried.answers);
    assert.ok(right < numRight(found.shown, session.show([]).left.answers));
    assert.deepEqual(
      session.tryGates(gates.map((ofLayer) => ofLayer.map(() => 1))),
      session.show([]).left,
    );
  });
});

describe('a planter', () => {
  test('studies five seeds, is stopped and begun again, and fails with its reason', async () => {
    const asked = [];
    const answers = [];
    const pruning = {
      plant: async (...args) => asked.push(args),
      advance: () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
    };
    const onFailure = vi.fn();
    const planter = new Planter(
      { call: (act) => act({ pruning }) },
      { onChange: vi.fn(), onFailure },
    );
    const answer = async (given) => {
      await vi.waitUntil(() => answers.length > 0);
      answers.pop().resolve({ done: 5, total: 10, ...given });
    };
    const planting = planter.plant(7);
    await answer({});
    await vi.waitUntil(() => planter.progress === 0.1);
    for (const seed of range(5)) await answer({ study: { seed } });
    await planting;
    assert.deepEqual([planter.state, planter.studies.length, planter.progress], ['done', 5, 1]);
    assert.deepEqual(asked, [
      [7, true],
      [8, false],
      [9, false],
      [10, false],
      [11, false],
    ]);

    const again = planter.plant(1);
    await answer({ study: { seed: 1 } });
    await vi.waitUntil(() => answers.length > 0);
    planter.stop();
    await answer({ study: { seed: 2 } });
    await again;
    assert.deepEqual([planter.state, planter.seed, planter.studies], ['stopped', 2, [{ seed: 1 }]]);
    const failing = planter.plant(1);
    await vi.waitUntil(() => answers.length > 0);
    answers.pop().reject('lost');
    await failing;
    assert.deepEqual([planter.state, onFailure.mock.calls], ['failed', [['lost']]]);
  });
});

describe('two models timed in turn', () => {
  afterEach(() => vi.restoreAllMocks());

  test('have the medians of their times and the ratio of each pair with its interval', async () => {
    let now = 0;
    let calls = '';
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const whole = () => ((now += 2 + (calls.length % 3)), (calls += 'w'));
    const pruned = () => ((now += 1), (calls += 'p'));
    const progress = [];
    const options = { pairs: 21, leastMs: 1, onProgress: (done) => progress.push(done) };
    const { signal } = new AbortController();
    const timing = await timePairs(whole, pruned, { ...options, signal });
    assert.deepEqual(
      progress,
      range(21).map((pair) => pair + 1),
    );
    assert.match(calls, /^wp(wppw){10}wp$/, 'which one is first changes');
    assert.equal(timing.pruned, 1);
    const ratios = range(21)
      .map((pair) => 1 / (2 + (calls.indexOf('w', 2 + 2 * pair) % 3)))
      .sort();
    const { pairs, ratio, lower, upper } = timing;
    assert.deepEqual([pairs, ratio, lower, upper], [21, ratios[10], ratios[5], ratios[15]]);
    assert.equal(timing.whole, 1 / ratio);
  });

  test('are no longer once nobody waits for them', async () => {
    const aborted = new AbortController();
    const act = vi.fn(() => aborted.abort(new Error('nobody waits')));
    const timed = timePairs(act, () => {}, { leastMs: 0, signal: aborted.signal });
    await assert.rejects(timed, /nobody waits/);
  });
});
