// What the heads can be given: typed text, numbers, files, planted patterns.
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { MultiHeadAttention, positionalEncoding, saveNpy, saveSafetensors, Tensor } from 'headwise';
import { buildInput } from '../../web/src/acts/heads/inputs.ts';
import { evidenceOf, weightOn } from '../../web/src/acts/heads/pattern-evidence.ts';
import { plantedIn, targetOf } from '../../web/src/acts/heads/patterns.ts';
import { sizesOf } from '../../web/src/acts/heads/sizes.ts';
import { createHeadsStore } from '../../web/src/acts/heads/state.ts';
import { tokensOf, usedText } from '../../web/src/acts/heads/typed-text.ts';
import { readNumbers } from '../../web/src/acts/heads/user-data.ts';
import { readUserFile, userFileInput } from '../../web/src/acts/heads/user-file.ts';
import { attend } from '../../web/src/attention/attention-view.ts';
import { headCountsOf } from '../../web/src/attention/input.ts';
import { near, range, rowsOf, sampleOf, sum } from './lib/float64.mjs';

const settings = { seed: 1, heads: 5, causal: false, scale: 1, dropout: 0 };
const stateOf = (part) => ({ ...createHeadsStore().state, ...part });
const shapesOf = ({ queries, keys, values }) => [queries.shape, keys.shape, values.shape];
const line = (first, length = 30) =>
  range(length)
    .map((at) => first + at)
    .join(' ');

describe('typed text', () => {
  test('has a sample a line, of words or of letters', () => {
    for (const [typed, words, letters] of [
      ['The cat’s mother-in-law', [['the', 'cat’s', 'mother-in-law']], [['T', 'h', 'e', '␣']]],
      [
        'a 👩‍👩‍👧 e\u0301te\u0301 🇫🇷👍🏽',
        [['a', '👩‍👩‍👧', 'e\u0301te\u0301', '🇫🇷', '👍🏽']],
        [['a', '␣', '👩‍👩‍👧', '␣']],
      ],
      [
        'one, two!?\n \n3 four\nfive',
        [
          ['one', ',', 'two', '!', '?'],
          ['3', 'four'],
        ],
        [['o'], ['3']],
      ],
      [line('a'), [line('a', 16).split(' ')], [['a', '0', '␣', 'a']]],
      [' \n', [], []],
    ]) {
      assert.deepEqual(tokensOf(typed, 'words'), words);
      const found = tokensOf(typed, 'letters');
      assert.equal(found.length, letters.length);
      letters.forEach((some, at) => assert.deepEqual(found[at].slice(0, some.length), some));
      for (const tokens of found) assert.ok(tokens.length <= 16);
    }
  });

  test('is cut to what the maps show, between characters', () => {
    const short = (first) => line(first, 16);
    for (const [typed, used, isCut] of [
      ['a b\n\n c ', 'a b\nc', false],
      [`${line('a')}\n\n${line('b')}\n${line('c')}`, `${short('a')}\n${short('b')}`, true],
      ['a\nb\nc', 'a\nb', true],
      [`a${'𐐀'.repeat(400)}`, `a${'𐐀'.repeat(149)}`, true],
      ['far too long '.repeat(200_000), Array(5).fill('far too long').join(' ') + ' far', true],
      ['', '', false],
    ]) {
      assert.deepEqual(usedText(typed), { used, isCut });
    }
  });

  test('is embedded token by token, with its position if asked for, and zeros behind its end', () => {
    const text = 'a b a\nb';
    const of = (part) => buildInput(stateOf({ input: 'text', text, ...part }));
    const plain = of({ positions: false });
    assert.equal(plain.keys, plain.queries);
    const [[a, b, again], [other, end]] = [0, 1].map((sample) => sampleOf(plain.queries, sample));
    assert.deepEqual([a, b], [again, other]);
    assert.notDeepEqual(a, b);
    assert.ok(end.every((value) => value === 0));
    assert.deepEqual(plain.tokens, [
      ['a', 'b', 'a'],
      ['b', '·', '·'],
    ]);
    const encoding = rowsOf(positionalEncoding(3, 100));
    const placed = sampleOf(of({ positions: true }).queries, 0);
    near(
      placed,
      [a, b, again].map((row, at) => row.map((x, unit) => x + encoding[at][unit])),
      1e-5,
    );
    assert.notDeepEqual(sampleOf(of({ positions: false, seed: 2 }).queries, 0)[0], a);
  });
});

describe('pasted numbers', () => {
  test('are read as CSV or JSON; keys left out are the queries, values the keys', () => {
    const [one, two, three] = [1, 2, 3].map((length) => (size) => [1, length, size]);
    for (const [pasted, queries, keys = queries, values = keys] of [
      ['1, 2\n3, 4\n5, 6', three(2)],
      ['7', one(1)],
      ['1\t2\r\n3;4', two(2)],
      [' 1 -2.5e3 ', one(2)],
      ['[[[1],[2],[3]],[[4],[5],[6]]]', [2, 3, 1]],
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
        /\(1, 1, 1\), \(1, 1, 1\), \(1, 2, 1\)/,
      ],
      ['{"queries": [[[1]], [[1]]], "keys": [[1]]}', /\(2, 1, 1\), \(1, 1, 1\)/],
      ['[[1e999]]', /queries contains NaN or infinity/],
      ['1,Infinity', /queries contains NaN or infinity/],
      [JSON.stringify(Array(25).fill([1])), /24 tokens.*got \(25, 1\)/],
      ['1,2\n'.repeat(30), /24 tokens.*got \(30, 2\)/],
      [JSON.stringify(Array(5).fill([[1]])), /4 samples.*got \(5, 1, 1\)/],
      [`${'['.repeat(5000)}1${']'.repeat(5000)}`, /24 tokens.*got \(1, 1, 1, 1\)/],
      [`{"${'x'.repeat(1e5)}":1}`, /got x{60}\.$/],
      ['1,'.repeat(5_000_000), /at most 4096 numbers.*row 1 has 10000000/],
    ]) {
      assert.throws(() => readNumbers(pasted), { message: explained }, pasted.slice(0, 60));
    }
  });
});

describe('a file', () => {
  const read = (name, bytes) => readUserFile(new File([bytes], name));
  const layer = new MultiHeadAttention({
    ...{ numHiddens: 12, numHeads: 3, querySize: 8, keySize: 6, valueSize: 6, bias: true, seed: 5 },
  });
  const parameters = layer.stateDict();
  const underName = (prefix) =>
    Object.fromEntries(Object.entries(parameters).map(([name, tensor]) => [prefix + name, tensor]));

  test('has queries, keys and values', async () => {
    const X = Tensor.randn([2, 7, 3], 1);
    const npy = await read('x.npy', saveNpy(X));
    assert.equal(npy.name, 'x.npy');
    assert.deepEqual(shapesOf(npy), Array(3).fill([2, 7, 3]));
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

  test('has parameters, wherever in a model, of which random input is seen', async () => {
    const embedding = { 'embedding.weight': Tensor.ones([2, 2]) };
    for (const [prefix, beside] of [
      ['', {}],
      ['encoder.0.attention.', embedding],
    ]) {
      const file = await read(
        'm.safetensors',
        saveSafetensors({ ...beside, ...underName(prefix) }),
      );
      assert.equal(file.prefix, prefix.slice(0, -1));
      assert.deepEqual(
        [file.numHiddens, file.querySize, file.keySize, file.valueSize],
        [12, 8, 6, 6],
      );
      const input = userFileInput(file, 4);
      assert.deepEqual(shapesOf(input), [
        [2, 6, 8],
        [2, 6, 6],
        [2, 6, 6],
      ]);
      assert.equal(input.values, input.keys);
      assert.deepEqual(input.keys.data, Tensor.randn([2, 6, 6], 8).data);
      assert.deepEqual(input.queries.data, Tensor.randn([2, 6, 8], 9).data);
      const { weights, output } = attend(input, { ...settings, heads: 3, validLens: [6, 6] });
      const { queries, keys, values } = input;
      const own = layer.forward(queries, keys, values, { returnWeights: true });
      near([...weights.data], [...own.attentionWeights.data], 1e-6);
      near([...output.data], [...own.output.data], 1e-5);
      const state = stateOf({ input: 'own', file });
      assert.deepEqual(sizesOf(state), {
        batch: 2,
        keys: 6,
        lens: [6, 6],
        headCounts: [1, 2, 3, 4, 6, 12],
      });
    }
  });

  test('that is none of these is refused with what was expected', async () => {
    const additive = new MultiHeadAttention({
      ...{
        numHiddens: 4,
        numHeads: 1,
        querySize: 4,
        keySize: 4,
        valueSize: 4,
        pooling: 'additive',
      },
    });
    const named = (name) => saveSafetensors({ [name]: Tensor.ones([2, 2]) });
    for (const [name, bytes, explained] of [
      ['picture.png', Buffer.from([1, 2, 3]), /picture\.png/],
      ['flat.npy', saveNpy(Tensor.ones([5])), /got \(5\)/],
      ['cut.npy', saveNpy(Tensor.ones([4, 2])).slice(0, 90), /./],
      ['garbage.safetensors', Buffer.alloc(64, 255), /./],
      ['pointer.safetensors', Buffer.from('version https://git-lfs'), /a Git LFS pointer/],
      // Names on which a search that backtracks would take hours.
      ['qkv.safetensors', named(`${'qkv'.repeat(3e4)}.x.`), /got (qkv){20}\.$/],
      ['deep.safetensors', named(`${'a.'.repeat(3e4)}query`), /./],
      ['other.safetensors', saveSafetensors({ bias: Tensor.ones([2]) }), /got bias/],
      ['additive.safetensors', saveSafetensors(additive.stateDict()), /./],
      ['rows.csv', '1,2\n'.repeat(30), /got \(30, 2\)/],
    ]) {
      await assert.rejects(read(name, bytes), { message: explained }, name);
    }
    const unread = { text: assert.fail, arrayBuffer: assert.fail };
    for (const [name, megabytes, explained] of [
      ['large.csv', 32.5, /32 MB; got 33 MB/],
      ['large.npy', 257, /256 MB; got 257 MB/],
    ]) {
      const file = { name, size: megabytes * 2 ** 20, ...unread };
      await assert.rejects(readUserFile(file), { message: explained });
    }
  });
});

test('as many heads are offered as divide the size and can be drawn', () => {
  assert.deepEqual(headCountsOf(100, 48), [1, 2, 4, 5, 10, 20]);
  assert.deepEqual(headCountsOf(100, 2 * 16 ** 2), [1, 2, 4, 5, 10, 20]);
  assert.deepEqual(headCountsOf(100, 4 * 24 ** 2), [1, 2, 4]);
  assert.deepEqual(headCountsOf(12, 20_000), [1]);
});

describe('planted patterns', () => {
  const viewOf = (heads, seed, part = {}) =>
    attend(buildInput(stateOf({ input: 'patterns', heads, seed })), {
      ...{ ...settings, heads, seed, validLens: [10, 10] },
      ...part,
    });

  test('are followed by the heads that the seed decides, one of them three back', () => {
    const wanted = ['copy', 'previousToken', 'firstToken', 'diagonal', 'even'];
    const looking = new Set();
    for (const seed of [1, 2, 3, 4]) {
      const planted = plantedIn(5, seed);
      assert.deepEqual(planted.toSorted(), wanted.toSorted());
      const view = viewOf(5, seed);
      planted.forEach((pattern, head) => {
        const found = evidenceOf(view, head);
        assert.equal(found.pattern, pattern);
        // By the weights alone: the mean over all queries that have such a key.
        const cells = range(2).flatMap((sample) =>
          range(10).flatMap((query) => {
            const key = targetOf(pattern, query);
            return key === undefined ? [] : [view.weights.at(sample, head, query, key)];
          }),
        );
        if (pattern !== 'even') near(found.weight, sum(cells) / cells.length, 1e-6);
        if (pattern !== 'even') assert.ok(found.weight > 0.5);
        near(found.onCopy, weightOn(view, head, 'copy'), 0);
      });
      looking.add(planted.indexOf('copy'));
    }
    assert.ok(looking.size > 1, 'not always the same head');
    for (const heads of [1, 2, 4, 10, 20]) assert.ok(plantedIn(heads, 1).includes('copy'));
  });

  test('are none where weights are even, or one key is left', () => {
    const head = plantedIn(5, 1).indexOf('copy');
    assert.equal(evidenceOf(viewOf(5, 1, { scale: 0 }), head).pattern, 'even');
    assert.equal(evidenceOf(viewOf(5, 1, { validLens: [1, 1] }), head).pattern, 'firstToken');
    assert.equal(weightOn(viewOf(5, 1, { validLens: [0, 0] }), head, 'copy'), undefined);
    assert.deepEqual(
      range(5).map((query) => targetOf('copy', query)),
      [undefined, undefined, undefined, 0, 1],
    );
  });
});
