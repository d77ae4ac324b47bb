// Whatever the heads can be given: planted patterns, typed text, numbers and files.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { init, MultiHeadAttention, saveNpy, saveSafetensors, Tensor } from 'headwise';
import { cellAt, control, openHeads, press, query, textOf, write } from '../../lib/heads-act.mjs';
import { searchOf } from '../../lib/pages.mjs';
import { readCells } from '../../lib/page-reader.mjs';

const field = 'Numbers, one token per row';

await init();

const sizesOf = async (page) => {
  const cells = await readCells(page, 'heads');
  const count = (name) => new Set(cells.map((cell) => cell[name])).size;
  return [count('sample'), count('head'), count('query'), count('key')];
};

describe('typed text', () => {
  test('keeps joined emoji and letters with marks in one token', async (t) => {
    const { page } = await openHeads(t, '?input=text&heads=1');
    await write(page, 'Text, one sample per line', 'a 👩‍👩‍👧 e\u0301te\u0301 🇫🇷👍🏽');
    assert.deepEqual(await sizesOf(page), [1, 1, 5, 5]);
    await (await control(page, 'Letters', 'radio')).click();
    await page.waitForFunction(() => window.location.search.includes('tokens=letters'));
    // a ␣ 👩‍👩‍👧 ␣ é t é ␣ 🇫🇷 👍🏽
    assert.deepEqual(await sizesOf(page), [1, 1, 10, 10]);
  });

  test('is a sample a line, and shorter lines are masked at their end', async (t) => {
    const { page } = await openHeads(t, '?input=text');
    await write(page, 'Text, one sample per line', 'one two three four\nfive six');
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
    const { page } = await openHeads(t, '?input=text&text=a%20b%20a&positions=0&scale=8');
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
    await press(page, 'Positional encoding', 'switch');
    const withThem = await weightsOf();
    assert.notEqual(withThem(0, 1, 0), withThem(0, 1, 2));
  });

  test('of letters, and no text at all', async (t) => {
    const { page } = await openHeads(t, '?input=text');
    await press(page, 'Letters', 'radio');
    await write(page, 'Text, one sample per line', 'a é😀');
    assert.deepEqual(await sizesOf(page), [1, 5, 4, 4]);
    await write(page, 'Text, one sample per line', ' \n');
    assert.match(await textOf(page, '#heads .written .control-hint'), /Type at least one word/);
    assert.deepEqual(await sizesOf(page), [1, 5, 4, 4], 'the last text is still shown');
  });
});

/** Replaces what a field holds, as pasting does. */
/** A file of tensors with one of integers beside them, as checkpoints have for positions. */
function withIntegers(bytes) {
  const file = Buffer.from(bytes);
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.subarray(8, 8 + length));
  const data = file.subarray(8 + length);
  header['embedding.position_ids'] = {
    dtype: 'I64',
    shape: [1, 3],
    data_offsets: [data.length, data.length + 24],
  };
  const written = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(written.length));
  return Buffer.concat([size, written, data, Buffer.from(BigInt64Array.of(0n, 1n, 2n).buffer)]);
}

async function paste(page, name, words) {
  const area = await control(page, name, 'textbox');
  await area.evaluate((each) => {
    each.focus();
    each.select();
  });
  await page.keyboard.sendCharacter(words);
}

describe('a text longer than the maps', () => {
  const typed = 'Text, one sample per line';
  const hint = '#heads .written .control-hint';

  test('is cut to what they show, in the address too, and says so', async (t) => {
    const { page } = await openHeads(t, '?input=text#heads');
    const line = (first) => Array.from({ length: 30 }, (_, at) => first + at).join(' ');
    await paste(page, typed, `${line('a')}\n\n${line('b')}\n${line('c')}`);
    const used = ['a', 'b']
      .map((first) => line(first).split(' ').slice(0, 16).join(' '))
      .join('\n');
    assert.equal((await query(page)).get('text'), used);
    assert.deepEqual(await sizesOf(page), [2, 5, 16, 16]);
    assert.match(await textOf(page, hint), /2 lines of 16 tokens.*left out/);
    assert.equal(await page.$('#heads [aria-invalid]'), null);

    // Letters need no more of it, and words are not lost on the way there and back.
    await press(page, 'Letters', 'radio');
    await press(page, 'Words', 'radio');
    assert.equal((await query(page)).get('text'), used);
    const shown = await (await control(page, typed, 'textbox')).evaluate((area) => area.value);
    assert.equal(shown, used);
    await paste(page, typed, 'a b c');
    assert.equal(await textOf(page, hint), '');
  });

  test('by far is cut as well', async (t) => {
    const { page } = await openHeads(t, '?input=text#heads');
    await write(page, typed, 'far too long '.repeat(200_000));
    assert.ok((await searchOf(page)).length < 200, await searchOf(page));
    assert.deepEqual(await sizesOf(page), [1, 5, 16, 16]);
    assert.match(await textOf(page, hint), /left out/);
  });

  test('in one word is cut between characters', async (t) => {
    const { page } = await openHeads(t, '?input=text&tokens=letters#heads');
    // A letter that takes two places of a string.
    await write(page, typed, `a${'𐐀'.repeat(400)}`);
    assert.equal((await query(page)).get('text'), `a${'𐐀'.repeat(149)}`);
    assert.match(await textOf(page, hint), /300 characters/);
  });

  test('in an address is cut with a notice', async (t) => {
    const words = Array(20).fill('a').join('+');
    const { page } = await openHeads(t, `?input=text&text=${words}#heads`);
    assert.match(
      await textOf(page, '#heads .notices'),
      /text.*2 lines of 16 tokens.*was truncated/,
    );
    await press(page, 'Causal', 'switch');
    assert.equal((await query(page)).get('text'), Array(16).fill('a').join(' '));
  });
});

describe('more numbers than an address holds', () => {
  const row = (length) => Array.from({ length }, (_, at) => (at / 7).toFixed(4)).join(',');
  const many = Array.from({ length: 6 }, () => row(100)).join('\n');
  const held = (page) => textOf(page, '#heads .control:has(.file-input) + .note');
  const isDrawnFrom = (page) => async () => (await sizesOf(page)).join() === '1,5,6,6';

  test('are shown and stay out of it, which the page says', async (t) => {
    const { page } = await openHeads(t, '?input=own#heads');
    assert.ok(many.length > 1500);
    await paste(page, field, many);
    assert.deepEqual(await sizesOf(page), [1, 5, 6, 6]);
    assert.equal(await searchOf(page), '?input=own&file=pasted+numbers');
    assert.match(await held(page), /exceed the 1500 characters that a link can hold/);
    const first = await (await cellAt(page, 0, 0, 0, 0)).evaluate((cell) => cell.dataset.weight);

    // Another paste as long is another input, though the address names both alike.
    await paste(page, field, many.replace('0.0000', '9.0000'));
    const second = await (await cellAt(page, 0, 0, 0, 0)).evaluate((cell) => cell.dataset.weight);
    assert.notEqual(second, first);
    const shown = await (await control(page, field, 'textbox')).evaluate((area) => area.value);
    assert.match(shown, /^9\.0000/);
  });

  test('stay when the reader goes to another act, and back', async (t) => {
    const { page } = await openHeads(t, '?input=own#heads');
    await paste(page, field, many);
    await (await page.$('nav a[href="#train"]')).click();
    await page.waitForFunction(() => window.location.hash === '#train');
    assert.ok(await isDrawnFrom(page)());
    await page.goBack();
    await page.waitForFunction(() => window.location.hash === '#heads');
    assert.ok(await isDrawnFrom(page)());
    await page.goBack();
    await page.waitForFunction(() => window.location.search === '?input=own');
    assert.deepEqual(await sizesOf(page), [1, 5, 4, 4]);
    await page.goForward();
    await page.waitForFunction(() => /pasted/.test(window.location.search));
    assert.ok(await isDrawnFrom(page)());
  });

  test('are asked for again by a link to them', async (t) => {
    const { page } = await openHeads(t, '?input=own&file=pasted+numbers#heads');
    assert.match(await textOf(page, '#heads .notices'), /numbers.*Paste them again/);
  });

  test('are not taken from one that holds them all the same', async (t) => {
    const address = `?input=own&numbers=${encodeURIComponent(many)}#heads`;
    const { page } = await openHeads(t, address);
    assert.match(await textOf(page, '#heads .notices'), /longer than 1500 characters/);
    assert.deepEqual(await sizesOf(page), [1, 5, 4, 4]);
  });

  test('and than any page can read at once are refused before they are read', async (t) => {
    const { page } = await openHeads(t, '?input=own#heads');
    await page.evaluate(() => {
      const real = JSON.parse;
      JSON.parse = (written, ...rest) => {
        window.longestRead = Math.max(window.longestRead ?? 0, written.length);
        return real(written, ...rest);
      };
    });
    await write(page, field, `[${'[1,2],'.repeat(100_000)}[1,2]]`);
    assert.match(
      await textOf(page, '#heads .written:has([aria-invalid]) .control-hint'),
      /at most 200000 characters; got 600007.*file/,
    );
    assert.equal(await page.evaluate(() => window.longestRead), undefined);
    assert.equal(await searchOf(page), '?input=own');
    assert.deepEqual(await sizesOf(page), [1, 5, 4, 4]);
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
      const { page } = await openHeads(t, '?input=own');
      await write(page, field, pasted);
      assert.deepEqual(await sizesOf(page), expected);
      assert.equal((await query(page)).get('numbers'), pasted);
    });
  }

  test('that cannot be read are explained, and the last ones stay', async (t) => {
    const { page } = await openHeads(t, '?input=own');
    const wrong = [
      ['', /Paste rows of numbers/],
      ['1, x', /Row 1 has “x”/],
      ['1,,2', /Row 1 has an empty cell/],
      ['[1, 2', /like JSON but is not/],
      ['[1, 2]', /shape \(tokens, size\).*got \(2\)/],
      ['1,2\n3', /rows of equal length; those of queries differ/],
      ['[[1, 2], 3]', /rows of equal length/],
      ['[[1, [2]]]', /Expected numbers; queries contains something else/],
      ['[["1", null]]', /Expected numbers; queries/],
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
    const { page } = await openHeads(t, '?input=own&numbers=1,x');
    assert.match(await textOf(page, '#heads .notices'), /cannot be read\. Row 1 has “x”/);
  });
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwise-'));
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
    const { page } = await openHeads(t, '?input=own');
    await choose(page, 'x.npy', saveNpy(Tensor.randn([2, 7, 3], 1)));
    assert.deepEqual(await sizesOf(page), [2, 5, 7, 7]);
    assert.equal((await query(page)).get('file'), 'x.npy');
  });

  test('.safetensors of queries, keys and values', async (t) => {
    const { page } = await openHeads(t, '?input=own');
    const tensors = {
      queries: Tensor.randn([3, 4], 1),
      keys: Tensor.randn([5, 6], 2),
      values: Tensor.randn([5, 2], 3),
    };
    await choose(page, 'qkv.safetensors', saveSafetensors(tensors));
    assert.deepEqual(await sizesOf(page), [1, 5, 3, 5]);
  });

  test('.safetensors of parameters, wherever in a model', async (t) => {
    const { page } = await openHeads(t, '?input=own&heads=2');
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
    await choose(page, 'model.safetensors', withIntegers(saveSafetensors(tensors)));
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
    const { page } = await openHeads(t, '?input=own');
    const wrong = [
      ['picture.png', Buffer.from([1, 2, 3]), /Expected a \.npy, \.safetensors.*picture\.png/],
      ['wide.csv', '1,'.repeat(5_000_000), /at most 4096 numbers .* row 1 has 10000000 characters/],
      [
        'cut.npy',
        saveNpy(Tensor.ones([4, 2])).slice(0, 90),
        /cut\.npy was not loaded\. It is damaged.* Details: ./,
      ],
      [
        'garbage.safetensors',
        Buffer.alloc(64, 255),
        /garbage\.safetensors was not loaded\. It is damaged.* Details: ./,
      ],
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

  test('of which the last one chosen is shown, however long the others take to read', async (t) => {
    const { page } = await openHeads(t, '?input=own');
    await page.evaluate(() => {
      const real = Blob.prototype.text;
      Blob.prototype.text = async function () {
        if (this.name === 'slow.csv') await new Promise((resolve) => (window.readSlow = resolve));
        return real.call(this);
      };
    });
    const slow = join(folder, 'slow.csv');
    writeFileSync(slow, '1\n2\n3');
    await (await page.$('#heads .file-input')).uploadFile(slow);
    await page.waitForFunction(() => window.readSlow !== undefined);
    await choose(page, 'quick.csv', '1\n2');
    assert.deepEqual(await sizesOf(page), [1, 5, 2, 2]);
    await page.evaluate(async () => {
      window.readSlow();
      await new Promise((resolve) => setTimeout(resolve));
    });
    assert.equal((await query(page)).get('file'), 'quick.csv');
    assert.deepEqual(await sizesOf(page), [1, 5, 2, 2]);
  });

  test('with more rows than can be drawn, or of more than can be read at once, are refused', async (t) => {
    const { page } = await openHeads(t, '?input=own');
    await choose(page, 'rows.csv', '1,2\n'.repeat(30));
    assert.match(await message(page), /24 tokens.*got \(30, 2\)/);
    await choose(page, 'large.csv', Buffer.alloc(33 * 2 ** 20, '1,'));
    assert.match(await message(page), /at most 32 MB; got 33 MB/);
  });

  test('of long names are shown, and back and forward find them', async (t) => {
    const { page } = await openHeads(t, '?input=own');
    const name = `${'x'.repeat(230)}.csv`;
    const path = join(folder, name);
    writeFileSync(path, '1\n2\n3');
    await (await page.$('#heads .file-input')).uploadFile(path);
    await page.waitForFunction(() => /xxx/.test(window.location.search));
    assert.deepEqual(await sizesOf(page), [1, 5, 3, 3]);
    await page.goBack();
    await page.waitForFunction(() => window.location.search === '?input=own');
    await page.goForward();
    await page.waitForFunction(() => /xxx/.test(window.location.search));
    assert.deepEqual(await sizesOf(page), [1, 5, 3, 3]);
    assert.equal(await textOf(page, '#heads .notices'), '');
  });

  test('are in no address, which says so', async (t) => {
    const { page } = await openHeads(t, '?input=own&file=mine.npy');
    assert.match(await textOf(page, '#heads .notices'), /“mine\.npy”, which a link cannot contain/);
    await control(page, field, 'textbox');
  });
});
