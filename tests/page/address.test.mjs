// The state of every act, as the address holds it.
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { createTranslateStore } from '../../web/src/acts/translate/state.ts';
import { createInsideStore } from '../../web/src/acts/inside/state.ts';
import { createPruneStore } from '../../web/src/acts/prune/state.ts';
import { questions } from '../../web/src/questions/state.ts';
import { look } from '../../web/src/acts/look/state.ts';
import { createKeysStore } from '../../web/src/acts/equal-keys/state.ts';
import { runOptionsOf, trainFields } from '../../web/src/acts/train/state.ts';
import { Store } from '../../web/src/address/store.ts';

const stores = {
  inside: createInsideStore,
  'equal-keys': createKeysStore,
  train: () => new Store(trainFields),
  prune: createPruneStore,
  look: () => new Store(look.fields),
  translate: createTranslateStore,
  questions: () => new Store(questions.fields),
};

const written = (store) => {
  const parameters = new URLSearchParams();
  store.writeTo(parameters);
  return Object.fromEntries(parameters);
};

const many = '0.1,'.repeat(400) + '1';

/** Of each act: what an address asks for, and what is used in its place; parameters at their defaults are left out. */
const corrected = {
  inside: [
    [
      {
        ...{ 'inside-step': '10', 'inside-input': 'x', 'inside-layer': '0', 'inside-head': '100' },
        ...{ 'inside-query': '-1', 'inside-key': '99', 'inside-order': 'x' },
      },
      { 'inside-layer': '1', 'inside-head': '99', 'inside-key': '40' },
    ],
    [{ 'inside-divisor': '1000' }, { 'inside-divisor': '512' }],
  ],
  'equal-keys': [
    [
      {
        input: 'zeros',
        seed: '1e9',
        heads: '7',
        valid: '9',
        'toy-guess': 'luck',
        'toy-steps': '99',
      },
      { valid: '6', 'toy-steps': '50' },
      ['“zeros”', '“1e9”', '“7”', '“9”', '“luck”', '“99”'],
    ],
    [{ input: 'own', numbers: '1,x' }, { input: 'own' }, ['“x”']],
    [{ input: 'own', numbers: many }, { input: 'own' }, ['1500']],
    [{ input: 'own', file: 'mine.npy' }, { input: 'own' }, ['“mine.npy”']],
  ],
  train: [
    [
      {
        ...{
          'train-task': 'chess',
          'train-layers': '900',
          'train-heads': '-1',
          'train-rate': 'NaN',
        },
        ...{ 'train-seed': '1e99', 'train-speed': '7', 'train-scale': 'x', 'train-head': '5.1' },
        ...{ 'train-query': '99', 'train-pinned': 'sort,2' },
      },
      { 'train-query': '20' },
      ['“chess”', '“900”', '“-1”', '“NaN”', '“1e99”', '“5.1”', '“99”', '“sort,2”'],
    ],
    [{ 'train-at': '9000' }, { 'train-at': '3000' }, ['“9000”']],
    [{ 'train-pinned': 'induction,2,2,0.005,1,9000' }, {}],
    [{ 'train-pinned': 'induction,2,2,0.005,1,240,7' }, {}],
  ],
  prune: [
    [
      {
        'prune-cut': '-3',
        'prune-order': 'lot',
        'prune-seed': '-4',
      },
      {},
      ['“-3”', '“lot”', '“-4”'],
    ],
    [
      { 'prune-marks': '1.1,3.1,1.1,1.2,2.1,2.2,2.3', 'prune-check': '2' },
      { 'prune-marks': '1.1,1.2,2.1,2.2' },
      ['1.1, 1.2, 2.1, and 2.2', '“2”'],
    ],
    // Nobody who has marked fewer heads than were planted is shown them.
    [
      { 'prune-marks': '1.1', 'prune-check': '1' },
      { 'prune-marks': '1.1' },
      ['prune-check=1', '4'],
    ],
  ],
  look: [
    [
      {
        'look-head': '2.x',
        'look-query': '41',
        'look-view': 'x',
        'look-shut': '2.2,9.9,x,2.2',
      },
      { 'look-query': '40', 'look-shut': '2.2,9.9' },
      ['“2.x”', '“41”', '“x”', '“2.2,9.9,x,2.2”'],
    ],
  ],
  translate: [
    [
      {
        'translate-text': '☃'.repeat(500),
        'translate-head': '3',
        'translate-query': '99',
        'translate-heads': '3',
      },
      { 'translate-query': '10' },
      ['translate-text', '“99”', '“3”', '3'],
    ],
    [{ 'translate-text': '5 Mäy 2021!', 'translate-at': 'x' }, { 'translate-text': '5 My 2021' }],
  ],
  questions: [[{ question: 'why' }, {}, ['“why”']]],
};

/** Addresses that mean what they say. */
const kept = {
  inside: [
    'inside-step=9&inside-input=sentence&inside-layer=1&inside-head=4&inside-query=40&inside-key=8&inside-order=product&inside-divisor=7.99',
  ],
  'equal-keys': [
    'toy-guess=training&seed=2&heads=20&valid=6&causal=1&toy-steps=50&head=20',
    'keys-question=mask&mask-guess=one&input=random',
    'keys-question=patterns&answer=5&input=patterns&valid=4&names=1',
    'input=own&numbers={"queries": [[1, 2]], "keys": [[1], [2]]}&valid=1',
  ],
  train: [
    'train-task=sort&train-layers=3&train-heads=4&train-rate=0.02&train-seed=7&train-speed=full&train-scale=linear&train-at=48&train-head=3.4&train-query=20',
    'train-pinned=recall,1,4,0.001,999999,3000',
  ],
  prune: [
    'prune-seed=5&prune-marks=2.6,1.1,1.2,2.1&prune-check=1&prune-order=random&prune-cut=4',
    'prune-check=1',
  ],
  look: ['look-arcs=4&look-head=3&look-query=40&look-view=map&look-shut=2.2,12.10'],
  translate: [
    'translate-model=shared&translate-heads=4&translate-seed=2&translate-text=x&translate-head=4&translate-query=10&translate-at=500',
  ],
  questions: ['question=why-sqrt-d'],
};

for (const [act, makeStore] of Object.entries(stores)) {
  describe(`the address of ${act}`, () => {
    test('is read and written back as it was', () => {
      for (const query of kept[act]) {
        const store = makeStore();
        const parameters = new URLSearchParams(query);
        assert.deepEqual(store.readFrom(parameters), [], query);
        assert.deepEqual(written(store), Object.fromEntries(parameters));
        assert.equal(store.isInitial, false);
        store.reset();
        assert.deepEqual(written(store), {});
        assert.ok(store.isInitial);
      }
    });

    test('is corrected where it asks for what there is not, and each correction is explained', () => {
      for (const [asked, used, named = Object.values(asked).map(() => '')] of corrected[act]) {
        const store = makeStore();
        const corrections = store.readFrom(new URLSearchParams(asked));
        assert.deepEqual(written(store), used);
        assert.ok(corrections.length > 0);
        const told = corrections.join('\n');
        for (const name of named) assert.ok(told.includes(name), `${name} in ${told}`);
      }
    });

    test('is understood once it was corrected, whatever it asked for', () => {
      const odd = ['', '0', '1', '-1', '2.5', '1e3', 'NaN', '4,4,4', '1.1,2.2', 'none', '[]', '☃'];
      for (const { name } of Object.values(makeStore().fields)) {
        for (const value of odd) {
          const store = makeStore();
          store.readFrom(new URLSearchParams({ [name]: value }));
          const first = written(store);
          assert.deepEqual(store.readFrom(new URLSearchParams(first)), [], `${name}=${value}`);
          assert.deepEqual(written(store), first);
        }
      }
    });
  });
}

test('values that depend on another follow it, without words', () => {
  const keys = createKeysStore();
  keys.change({ heads: 20, head: 20 });
  keys.change({ heads: 5 });
  assert.deepEqual(written(keys), { head: '5' });
  // An answer is one to planted patterns alone, and only a layer of ones or random numbers is trained.
  keys.change({ input: 'patterns', answer: 2, steps: 3 });
  assert.equal(keys.state.steps, 0);
  keys.change({ input: 'random' });
  assert.equal(keys.state.answer, 0);

  const train = new Store(trainFields);
  train.readFrom(new URLSearchParams('train-at=50'));
  assert.equal(train.state.at, 48, 'the measured step before');
  train.readFrom(new URLSearchParams('train-rate=0.01&train-task=copy'));
  const [layers, heads2, learningRate, seed] = [2, 2, 0.01, 1];
  assert.deepEqual(runOptionsOf(train.state), {
    task: 'copy',
    layers,
    heads: heads2,
    learningRate,
    seed,
  });
});

describe('a store', () => {
  test('tells its listeners of every change and how it came about, even if one of them fails', async () => {
    const store = stores.inside();
    const told = [];
    const failure = new Promise((resolve) => {
      process.prependOnceListener('uncaughtException', resolve);
    });
    const others = process.listeners('uncaughtException').slice(1);
    for (const other of others) process.removeListener('uncaughtException', other);
    store.subscribe(({ step }) => {
      if (step === 3) throw new Error('a listener fails');
    });
    store.subscribe(({ step }, origin) => told.push([step, origin]));
    store.change({ step: 2 });
    store.change({ step: 2 });
    store.change({ step: 3 }, 'replace');
    store.readFrom(new URLSearchParams('inside-step=4'));
    store.reset();
    assert.match((await failure).message, /a listener fails/);
    for (const other of others) process.on('uncaughtException', other);
    assert.deepEqual(told, [
      [2, 'push'],
      [3, 'replace'],
      [4, 'popstate'],
      [1, 'push'],
    ]);
  });
});
