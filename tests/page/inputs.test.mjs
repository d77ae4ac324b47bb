// The inputs of the act of equal keys: numbers, files, planted patterns.
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { saveNpy, saveSafetensors, Tensor } from 'headwise';
import {
  buildInput,
  plantedIn,
  readUserFile,
  targetOf,
} from '../../web/src/acts/equal-keys/inputs.ts';
import { createKeysStore, keysOf } from '../../web/src/acts/equal-keys/state.ts';
import { summariseHeads } from '../../web/src/acts/equal-keys/pass.ts';
import { readNumbers } from '../../web/src/acts/equal-keys/user-data.ts';
import { attend } from '../../web/src/attention/attention-view.ts';
import { near, range, sum } from './lib/float64.mjs';

const settings = { causal: false };
const stateOf = (part) => ({ ...createKeysStore().state, ...part });
const shapesOf = ({ queries, keys, values }) => [queries.shape, keys.shape, values.shape];
describe('pasted numbers', () => {
  test('are read as CSV or JSON; keys left out are the queries, values the keys', () => {
    const [one, two, three] = [1, 2, 3].map((length) => (size) => [1, length, size]);
    for (const [pasted, queries, keys = queries, values = keys] of [
      ['1, 2\n3, 4\n5, 6', three(2)],
      ['7', one(1)],
      ['1\t2\r\n3;4', two(2)],
      [' 1 -2.5e3 ', one(2)],
      ['[[[1],[2],[3]]]', three(1)],
      ['{"queries": [[1, 2]], "keys": [[1], [2], [3]]}', one(2), three(1)],
      ['{"queries": [[1, 2]], "keys": [[1]], "values": [[5, 6, 7]]}', one(2), one(1), one(3)],
    ]) {
      assert.deepEqual(shapesOf(readNumbers(pasted)), [queries, keys, values], pasted);
    }
    assert.deepEqual([...readNumbers('1, 2\n3, -4e2').queries.data], [1, 2, 3, -400]);
    assert.deepEqual([...readNumbers('[[1,2],[3,4]]').queries.data], [1, 2, 3, 4]);
  });

  test('that cannot be read are refused with what was expected', () => {
    for (const [pasted, explained] of [
      [' ', /rows of numbers/],
      ['1, x', /Row 1 has “x”/],
      ['1,2\n1,,2', /Row 2 has an empty cell/],
      ['[1, 2', /JSON/],
      ['[1, 2]', /got \(2\)/],
      ['1,2\n3', /those of queries differ/],
      ['[[1, 2], 3]', /those of queries differ/],
      ['[[1, [2]]]', /queries contains something else/],
      ['[["1", null]]', /queries contains something else/],
      ['{"keys": [[1]]}', /got keys/],
      [
        '{"queries": [[1]], "keys": [[1]], "values": [[1], [2]]}',
        /keys of shape \(1, 1\) and values of shape \(2, 1\)/,
      ],
      ['{"queries": [[[1]], [[1]]], "keys": [[1]]}', /got \(2, 1, 1\)/],
      ['[[1e999]]', /queries contains NaN or infinity/],
      ['1,Infinity', /queries contains NaN or infinity/],
      [JSON.stringify(Array(25).fill([1])), /16 tokens.*got \(25, 1\)/],
      ['1,2\n'.repeat(30), /16 tokens.*got \(30, 2\)/],
      [`${'['.repeat(5000)}1${']'.repeat(5000)}`, /16 tokens.*got \(1, 1, 1, 1\)/],
      [`{"${'x'.repeat(1e5)}":1}`, /got x{60}\.$/],
    ]) {
      assert.throws(() => readNumbers(pasted), { message: explained }, pasted.slice(0, 60));
    }
  });
});

describe('a file', () => {
  const read = (name, bytes) => readUserFile(new File([bytes], name));

  test('has queries, keys and values', async () => {
    const X = Tensor.randn([1, 7, 3], 1);
    const npy = await read('x.npy', saveNpy(X));
    assert.equal(npy.name, 'x.npy');
    assert.deepEqual(shapesOf(npy), Array(3).fill([1, 7, 3]));
    assert.deepEqual(npy.queries.data, X.data);
    const tensors = {
      queries: Tensor.ones([3, 4]),
      keys: Tensor.ones([5, 6]),
      values: Tensor.ones([5, 2]),
    };
    const file = await read('qkv.safetensors', saveSafetensors(tensors));
    assert.deepEqual(shapesOf(file), [
      [1, 3, 4],
      [1, 5, 6],
      [1, 5, 2],
    ]);
    assert.deepEqual(shapesOf(await read('x.CSV', '1,2\n3,4')), Array(3).fill([1, 2, 2]));
    assert.equal((await read(`${'x'.repeat(230)}.json`, '[[1]]')).name, 'x'.repeat(200));
  });

  test('that is none of these is refused with what was expected', async () => {
    for (const [name, bytes, explained] of [
      ['picture.png', Buffer.from([1, 2, 3]), /picture\.png/],
      ['flat.npy', saveNpy(Tensor.ones([5])), /got \(5\)/],
      ['cut.npy', saveNpy(Tensor.ones([4, 2])).slice(0, 90), /./],
      ['garbage.safetensors', Buffer.alloc(64, 255), /./],
      ['pointer.safetensors', Buffer.from('version https://git-lfs'), /a Git LFS pointer/],
      ['other.safetensors', saveSafetensors({ bias: Tensor.ones([2]) }), /got bias/],
      ['rows.csv', '1,2\n'.repeat(30), /got \(30, 2\)/],
    ]) {
      await assert.rejects(read(name, bytes), { message: explained }, name);
    }
    const unread = { text: assert.fail, arrayBuffer: assert.fail };
    for (const [name, megabytes, explained] of [
      ['large.csv', 2.5, /2 MB; got 3 MB/],
      ['large.npy', 3, /2 MB; got 3 MB/],
    ]) {
      const file = { name, size: megabytes * 2 ** 20, ...unread };
      await assert.rejects(readUserFile(file), { message: explained });
    }
  });
});

test('all keys of the reader’s numbers are valid at first', () => {
  const numbers = JSON.stringify(Array(16).fill([1]));
  assert.deepEqual(keysOf(stateOf({ input: 'own', numbers })), { keys: 16, validLen: 16 });
});

describe('planted patterns', () => {
  const summariesOf = (heads, seed, validLen = 10) => {
    const view = attend(buildInput(stateOf({ input: 'patterns', heads, seed })), {
      ...{ ...settings, heads, seed, validLens: [validLen] },
    });
    return { view, summaries: summariseHeads(view) };
  };

  test('are followed by the heads that the seed decides, one of them three back', () => {
    const wanted = ['copy', 'previousToken', 'firstToken', 'diagonal', 'even'];
    const looking = new Set();
    for (const seed of [1, 2, 3, 4]) {
      const planted = plantedIn(5, seed);
      assert.deepEqual(planted.toSorted(), wanted.toSorted());
      const { view, summaries } = summariesOf(5, seed);
      planted.forEach((pattern, head) => {
        const found = summaries[head];
        assert.equal(found.pattern, pattern);
        // By the weights alone: the mean over all queries that have such a key.
        const onTarget = (name) => {
          const cells = range(10).flatMap((query) => {
            const key = targetOf(name, query);
            return key === undefined ? [] : [view.weights.at(0, head, query, key)];
          });
          return sum(cells) / cells.length;
        };
        if (pattern !== 'even') near(found.weight, onTarget(pattern), 1e-6);
        if (pattern !== 'even') assert.ok(found.weight > 0.5);
        near(found.onCopy, onTarget('copy'), 1e-6);
      });
      looking.add(planted.indexOf('copy'));
    }
    assert.ok(looking.size > 1, 'not always the same head');
    for (const heads of [1, 2, 4, 10, 20]) assert.ok(plantedIn(heads, 1).includes('copy'));
  });

  test('are none where one key is left, or none', () => {
    const head = plantedIn(5, 1).indexOf('copy');
    assert.equal(summariesOf(5, 1, 1).summaries[head].pattern, 'single');
    assert.equal(summariesOf(5, 1, 0).summaries[head], undefined);
    assert.deepEqual(
      range(5).map((query) => targetOf('copy', query)),
      [undefined, undefined, undefined, 0, 1],
    );
  });
});
