// Whatever the second act can be given: planted patterns, typed text, numbers and files.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { init, MultiHeadAttention, saveNpy, saveSafetensors, Tensor } from 'headwise';
import { control, notes, press, query, textOf, write } from './lib/heads-act.mjs';
import { usePages } from './lib/pages.mjs';
import { readCells } from './page-reader.mjs';

const { open } = usePages();
const isDrawn = { until: '#heads .map' };
const field = 'Numbers, a row a token';

before(() => init());

const sizesOf = async (page) => {
  const cells = await readCells(page, 'heads');
  const count = (name) => new Set(cells.map((cell) => cell[name])).size;
  return [count('sample'), count('head'), count('query'), count('key')];
};

describe('planted patterns', () => {
  test('are found by the scores of the heads, whatever the seed', async (t) => {
    const { page } = await open(t, '?input=patterns', isDrawn);
    const planted = ['previous token', 'first token', 'itself', 'three before', 'even'];
    const expected = planted.map((role) => `${role}, as planted`);
    assert.deepEqual(
      (await notes(page)).map(([pattern]) => pattern),
      expected,
    );
    await press(page, 'Draw another', 'button');
    assert.deepEqual(
      (await notes(page)).map(([pattern]) => pattern),
      expected,
    );
    assert.deepEqual(await sizesOf(page), [2, 5, 10, 10]);
  });

  test('show at the very keys they ask for', async (t) => {
    const { page } = await open(t, '?input=patterns&heads=4', isDrawn);
    const targets = [(at) => Math.max(at - 1, 0), () => 0, (at) => at, (at) => Math.max(at - 3, 0)];
    for (const { head, query: at, key, weight } of await readCells(page, 'heads')) {
      if (key === targets[head](at))
        assert.ok(weight > 0.5, `head ${head}, query ${at}: ${weight}`);
    }
  });
});

describe('typed text', () => {
  test('is a sample a line, and shorter lines are masked at their end', async (t) => {
    const { page } = await open(t, '?input=text', isDrawn);
    await write(page, 'Text, a line a sample', 'one two three four\nfive six');
    assert.deepEqual(await sizesOf(page), [2, 5, 4, 4]);
    for (const { sample, key, masked } of await readCells(page, 'heads')) {
      assert.equal(masked, sample === 1 && key >= 2);
    }
    const names = await page.$$eval('#heads .close-up .axis-query', (all) =>
      all.map((name) => name.textContent),
    );
    assert.deepEqual(names, ['one', 'two', 'three', 'four']);
    assert.equal((await query(page)).get('text'), 'one two three four\nfive six');
  });

  test('without positions weighs equal tokens alike, and with them it does not', async (t) => {
    const { page } = await open(t, '?input=text&text=a%20b%20a&positions=0&scale=8', isDrawn);
    const weightsOf = async () => {
      const cells = await readCells(page, 'heads');
      return (head, at, key) =>
        cells.find((cell) => cell.head === head && cell.query === at && cell.key === key).weight;
    };
    const without = await weightsOf();
    for (const head of [0, 1, 2, 3, 4]) {
      assert.equal(without(head, 1, 0), without(head, 1, 2), 'equal keys');
      assert.equal(without(head, 0, 1), without(head, 2, 1), 'equal queries');
    }
    await press(page, 'Add positions', 'switch');
    const withThem = await weightsOf();
    assert.notEqual(withThem(0, 1, 0), withThem(0, 1, 2));
  });

  test('of letters, and no text at all', async (t) => {
    const { page } = await open(t, '?input=text', isDrawn);
    await press(page, 'Letters', 'radio');
    await write(page, 'Text, a line a sample', 'a é😀');
    assert.deepEqual(await sizesOf(page), [1, 5, 4, 4]);
    await write(page, 'Text, a line a sample', ' \n');
    assert.match(await textOf(page, '#heads .written .control-hint'), /Type a word/);
    assert.deepEqual(await sizesOf(page), [1, 5, 4, 4], 'the last text is still shown');
  });
});

describe('pasted numbers', () => {
  const cases = [
    ['CSV', '1, 2\n3, 4\n5, 6', [1, 5, 3, 3]],
    ['one number', '7', [1, 5, 1, 1]],
    ['tabs and semicolons', '1\t2\n3;4', [1, 5, 2, 2]],
    ['JSON of two samples', '[[[1],[2],[3]],[[4],[5],[6]]]', [2, 5, 3, 3]],
    ['queries apart from keys', '{"queries": [[1, 2]], "keys": [[1], [2], [3]]}', [1, 5, 1, 3]],
  ];
  for (const [name, pasted, expected] of cases) {
    test(`as ${name}`, async (t) => {
      const { page } = await open(t, '?input=own', isDrawn);
      await write(page, field, pasted);
      assert.deepEqual(await sizesOf(page), expected);
      assert.equal((await query(page)).get('numbers'), pasted);
    });
  }

  test('that cannot be read are explained, and the last ones stay', async (t) => {
    const { page } = await open(t, '?input=own', isDrawn);
    const wrong = [
      ['', /Paste some numbers/],
      ['1, x', /Row 1 holds “x”/],
      ['1,,2', /Row 1 has an empty place/],
      ['[1, 2', /like JSON, but is none/],
      ['[1, 2]', /shape \(tokens, size\).*got \(2\)/],
      ['1,2\n3', /./],
      ['{"keys": [[1]]}', /Expected an object with queries.*got keys/],
      ['{"queries": [[1]], "keys": [[1]], "values": [[1], [2]]}', /as many values as keys/],
      ['[[1e999]]', /finite/],
      [JSON.stringify(Array(25).fill([1])), /24 tokens.*got \(25, 1\)/],
    ];
    for (const [pasted, explained] of wrong) {
      await write(page, field, pasted);
      assert.match(
        await textOf(page, '#heads .written:has([aria-invalid]) .control-hint'),
        explained,
      );
      assert.deepEqual(await sizesOf(page), [1, 5, 4, 4], pasted);
    }
  });

  test('that the address holds and cannot be read', async (t) => {
    const { page } = await open(t, '?input=own&numbers=1,x', isDrawn);
    assert.match(await textOf(page, '#heads .notices'), /cannot be read\. Row 1 holds “x”/);
  });
});

describe('files', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwise-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  async function choose(page, name, bytes) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const input = await page.$('#heads .file-input');
    await input.uploadFile(path);
    await page.waitForFunction(
      (named) => document.querySelector('#heads .input-details').textContent.includes(named),
      {},
      name,
    );
  }
  const message = (page) => textOf(page, '#heads .control:has(.file-input) ~ .control-hint');

  test('.npy is self-attention over its rows', async (t) => {
    const { page } = await open(t, '?input=own', isDrawn);
    await choose(page, 'x.npy', saveNpy(Tensor.randn([2, 7, 3], 1)));
    assert.deepEqual(await sizesOf(page), [2, 5, 7, 7]);
    assert.equal((await query(page)).get('file'), 'x.npy');
  });

  test('.safetensors of queries, keys and values', async (t) => {
    const { page } = await open(t, '?input=own', isDrawn);
    const tensors = {
      queries: Tensor.randn([3, 4], 1),
      keys: Tensor.randn([5, 6], 2),
      values: Tensor.randn([5, 2], 3),
    };
    await choose(page, 'qkv.safetensors', saveSafetensors(tensors));
    assert.deepEqual(await sizesOf(page), [1, 5, 3, 5]);
  });

  test('.safetensors of parameters, wherever in a model', async (t) => {
    const { page } = await open(t, '?input=own&heads=2', isDrawn);
    const layer = new MultiHeadAttention({
      numHiddens: 12,
      numHeads: 3,
      querySize: 12,
      keySize: 12,
      valueSize: 12,
      bias: true,
      seed: 5,
    });
    const named = Object.entries(layer.stateDict()).map(([name, tensor]) => [
      `encoder.0.attention.${name}`,
      tensor,
    ]);
    const tensors = { 'embedding.weight': Tensor.ones([2, 2]), ...Object.fromEntries(named) };
    await choose(page, 'model.safetensors', saveSafetensors(tensors));
    assert.match(await textOf(page, '#heads .input-details'), /under “encoder\.0\.attention”/);
    await press(page, '3', 'radio');
    assert.deepEqual(await sizesOf(page), [2, 3, 6, 6]);

    // The page draws the weights of this very layer, on the input that it says it draws.
    const X = Tensor.randn([2, 6, 12], 2);
    const { attentionWeights } = layer.forward(X, X, X, { returnWeights: true });
    const drawn = (await readCells(page, 'heads')).map(({ weight }) => weight);
    drawn.forEach((weight, at) => {
      assert.ok(Math.abs(weight - attentionWeights.data[at]) < 1e-6);
    });
    layer.dispose();
  });

  test('that are none of these are refused, and say what was expected', async (t) => {
    const { page } = await open(t, '?input=own', isDrawn);
    const wrong = [
      ['picture.png', Buffer.from([1, 2, 3]), /Expected a \.npy, \.safetensors.*picture\.png/],
      ['cut.npy', saveNpy(Tensor.ones([4, 2])).slice(0, 90), /cut\.npy was not taken/],
      ['garbage.safetensors', Buffer.alloc(64, 255), /garbage\.safetensors was not taken/],
      [
        'other.safetensors',
        saveSafetensors({ bias: Tensor.ones([2]) }),
        /parameters of an attention/,
      ],
      ['flat.npy', saveNpy(Tensor.ones([5])), /got \(5\)/],
    ];
    for (const [name, bytes, explained] of wrong) {
      await choose(page, name, bytes);
      assert.match(await message(page), explained);
      assert.deepEqual(await sizesOf(page), [1, 5, 4, 4], name);
    }
  });

  test('are in no address, which says so', async (t) => {
    const { page } = await open(t, '?input=own&file=mine.npy', isDrawn);
    assert.match(await textOf(page, '#heads .notices'), /“mine\.npy”, which no link can hold/);
    await control(page, field, 'textbox');
  });

  test('can be dropped on the maps', async (t) => {
    const { page } = await open(t, '', isDrawn);
    await page.$eval(
      '#heads .stage',
      (stage, bytes) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(bytes)], 'dropped.npy'));
        for (const kind of ['dragover', 'drop']) {
          const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
          stage.dispatchEvent(event);
        }
      },
      Array.from(saveNpy(Tensor.randn([3, 3], 1))),
    );
    await page.waitForFunction(() => /dropped\.npy/.test(window.location.search));
    assert.deepEqual(await sizesOf(page), [1, 5, 3, 3]);
  });
});
