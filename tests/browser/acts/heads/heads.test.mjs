// The heads: maps and what they are read by, inputs, the goal, gates, comparison and the figure of the layer.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { init, MultiHeadAttention, saveNpy, Tensor } from 'headwise';
import { openFlows } from '../../lib/flows.mjs';
import { assertDrawnAsWeighed, contrastWithin, readCells } from '../../lib/page-reader.mjs';
import { prefer } from '../../lib/pages.mjs';
import { attention, near, range, rowsOf, sampleOf, sum } from '../../../page/lib/float64.mjs';

await init({ threads: 1 });

/** The page's random input in float64, sample by sample. */
function computed({ seed = 1, numHeads = 5, factor = 1, lens = [3, 2] }) {
  const layer = new MultiHeadAttention({ numHiddens: 100, numHeads, seed });
  const queries = Tensor.randn([2, 4, 100], 2 * seed);
  const keys = Tensor.randn([2, 6, 100], 2 * seed + 1);
  layer.forward(queries, keys, keys);
  const parameters = layer.stateDict();
  layer.dispose();
  const W = Object.fromEntries(
    ['q', 'k', 'v', 'o'].map((name) => [name, rowsOf(parameters[`W_${name}.weight`])]),
  );
  return lens.map((validLen, sample) =>
    attention({
      ...{ X: sampleOf(queries, sample), keys: sampleOf(keys, sample), W, numHeads },
      ...{ scale: factor / Math.sqrt(100 / numHeads), isMasked: (_query, key) => key >= validLen },
    }),
  );
}

test('the heads', async (t) => {
  const act = await openFlows(t, 'heads', '', { media: { scheme: 'light' } });
  const { page } = act;
  const cells = () => readCells(page, 'heads');
  const weights = async () => (await cells()).map(({ weight }) => weight);
  const cell = (sample, head, query, key, where = '.samples') =>
    `${where} .cell[data-sample="${sample}"][data-head="${head}"][data-query="${query}"][data-key="${key}"]`;
  const sizes = async () => {
    const all = await cells();
    return ['sample', 'head', 'query', 'key']
      .map((name) => new Set(all.map((each) => each[name])).size)
      .join();
  };
  /** The result of each step of the arithmetic. */
  const results = async () =>
    (await act.texts('.arithmetic tbody .result')).map((told) =>
      Number(told.replace('−∞', '-Infinity').replace('−', '-')),
    );

  await t.test(
    'controls change what is drawn, in the colours and labels of the weights',
    async () => {
      const initial = await weights();
      assertDrawnAsWeighed(await cells(), [3, 2]);
      near(
        initial,
        computed({}).flatMap(({ heads }) => heads.map((head) => head.weights)),
        1e-5,
      );
      await act.write('.seed-input', '27');
      const reseeded = await weights();
      assert.notDeepEqual(reseeded, initial);
      for (const wrong of ['0', '-3', 'seven']) {
        await act.write('.seed-input', wrong);
        assert.deepEqual(await act.numbers('.seed ~ .control-hint'), [1, 999999, 27]);
      }
      assert.deepEqual(await weights(), reseeded);
      await act.press('Random seed');
      assert.notDeepEqual(await weights(), reseeded);
      await act.press('10', 'radio');
      await act.slide('Valid length of sample 1', 'End');
      await act.slide('Valid length of sample 2', 'ArrowLeft');
      const many = await cells();
      assert.equal(many.length, 2 * 10 * 4 * 6);
      assertDrawnAsWeighed(many, [6, 1]);
      await act.press('Reset');
      await act.waitForSearch('');
      assert.deepEqual(await weights(), initial);

      await act.press('Causal', 'switch');
      for (const { sample, query, key, masked } of await cells()) {
        assert.equal(masked, key > query || key >= [3, 2][sample]);
      }
      await act.press('Causal', 'switch');
      await act.slide('Scale factor (× 1/√d)', 'Home');
      assert.deepEqual(new Set(await weights()), new Set([1 / 3, 0, 1 / 2].map(Math.fround)));
      await act.visit('');
      const before = (await cells()).map(({ fill }) => fill);
      await act.press('Contrast per head', 'switch');
      const after = (await cells()).map(({ fill }) => fill);
      assert.notDeepEqual(after, before);
      assert.ok(
        after.includes('rgb(253, 231, 37)'),
        'the largest weight is at the end of the scale',
      );
      await act.visit('?dropout=0.5&valid=6,6');
      const dropped = await act.all('.samples .cell', 'data-dropped');
      assert.ok(dropped.includes('') && dropped.includes(null));
      await act.visit('?valid=0,0');
      assertDrawnAsWeighed(await cells(), [0, 0]);
      assert.deepEqual(new Set(await act.texts('.samples .head-note')), new Set(['no valid key']));
    },
  );

  await t.test(
    'a cell is read out under the pointer and by keys, with its arithmetic',
    async () => {
      await act.visit('');
      const samples = computed({});
      for (const [sample, head, at, key] of [
        [0, 3, 2, 1],
        [1, 1, 1, 5],
      ]) {
        await act.hover(cell(sample, head, at, key));
        const { scores, scaled, masked, weights } = samples[sample].heads[head];
        const exponential = Math.exp(masked[at][key] - Math.max(...masked[at]));
        const expected = [scores, scaled, masked].map((of) => of[at][key]);
        near((await results()).slice(0, 5), [...expected, exponential, weights[at][key]], 1e-4);
        const readOut = [sample + 1, head + 1, at + 1, key + 1, weights[at][key]];
        near(await act.numbers('.read-out'), readOut, 1e-4);
        assert.equal(await act.count('.samples .ring[data-shown]'), 5);
        assert.equal(await act.count('.samples .ring[data-shown][data-here]'), 1);
      }
      await page.mouse.move(1, 1);
      assert.deepEqual(await act.numbers('.read-out'), []);
      await act.visit('?valid=0,2');
      await act.hover(cell(0, 0, 0, 0));
      assert.deepEqual((await results()).slice(2, 5), [-Infinity, 0, 0]);

      await act.visit('?input=ones');
      await act.keys(cell(0, 0, 0, 0));
      // Head, query and key that are read out.
      for (const [keys, expected] of [
        ['ArrowUp ArrowLeft', '1 1 1'],
        ['ArrowDown ArrowDown ArrowRight', '1 3 2'],
        ['Tab', '2 3 2'],
        ['End ArrowRight ArrowDown ArrowDown', '2 4 6'],
        ['Home ArrowUp', '2 3 1'],
      ]) {
        await act.keys(undefined, ...keys.split(' '));
        assert.equal((await act.numbers('.read-out')).slice(1, 4).join(' '), expected);
      }
      await act.keys(undefined, 'Tab');
      assert.equal((await act.numbers('.read-out'))[1], 3);
      assert.equal(await act.parameter('head'), '2', 'Tab passes by and chooses nothing');
      await act.keys(undefined, 'Enter');
      await act.waitForSearch('?input=ones&head=3');
      assert.deepEqual(await act.numbers('.close-up .head-title'), [3, 1]);
      await act.keys(undefined, 'Escape');
      assert.deepEqual(await act.numbers('.read-out'), []);
      assert.equal(await act.count('.samples .cell[tabindex="0"]'), 10, 'one stop a map');
    },
  );

  await t.test('the enlarged map is that of the chosen head, and is walked by keys', async () => {
    await act.visit('');
    await page.click(`#heads ${cell(1, 3, 0, 0)}`);
    assert.deepEqual([await act.parameter('head'), await act.parameter('sample')], ['4', '2']);
    const own = (await cells()).filter(({ sample, head }) => sample === 1 && head === 3);
    const large = await act.all('.close-up .cell', 'data-weight');
    assert.deepEqual(
      large,
      own.map(({ weight }) => weight),
    );
    const edges = (await act.texts('.close-up .axis-sum')).map(Number);
    near(
      edges,
      [1, 1, 1, 1, ...range(6).map((key) => sum(range(4).map((query) => large[6 * query + key])))],
      6e-3,
    );
    await act.keys('.close-up .cell[tabindex="0"]', 'ArrowDown', 'ArrowRight', 'ArrowRight');
    assert.match(await act.text('.arithmetic caption'), /4.*2.*q2.*k3/);
    await act.visit('?input=text&text=one+two+three%0Afour');
    assert.deepEqual(await act.texts('.close-up .axis-query'), ['one', 'two', 'three']);
    assert.ok(
      (await cells()).every(({ sample, key, masked }) => masked === (sample === 1 && key > 0)),
    );
  });

  await t.test('the head that looks three back is found by its map', async () => {
    await act.visit('');
    assert.equal(await act.isSeen('.head-answers'), false);
    await act.press('Patterns', 'radio');
    assert.equal(await sizes(), '2,5,10,10');
    const all = await cells();
    const onCopy = range(5).map((head) => {
      const asked = all.filter((each) => each.head === head && each.key === each.query - 3);
      return sum(asked.map(({ weight }) => weight)) / asked.length;
    });
    const wanted = onCopy.indexOf(Math.max(...onCopy));
    const unnamed = async () => new Set(await act.texts('.samples .head-note > :first-child'));
    assert.deepEqual(await unnamed(), new Set(['pattern: ?']));
    for (const head of [...range(5).filter((each) => each !== wanted), wanted]) {
      await act.press(`Head ${head + 1} looks three back`);
      assert.equal(await act.parameter('answer'), String(head + 1));
      const told = await act.numbers('.head-told');
      const copied = head === wanted ? Math.max(...onCopy.toSpliced(wanted, 1)) : onCopy[head];
      near(
        told.findLast((value) => value !== head + 1),
        copied,
        5.1e-3,
      );
      assert.equal(await act.count('.goal[data-reached]'), Number(head === wanted));
      assert.equal((await unnamed()).size, head === wanted ? 5 : 1);
    }
    await act.press('Random seed');
    assert.equal(await act.parameter('answer'), null);
    assert.deepEqual([await act.text('.head-told'), (await unnamed()).size], ['', 1]);
    await act.press('Show names', 'switch');
    assert.equal((await unnamed()).size, 5);
    await act.visit('?answer=2');
    assert.equal(await act.isSeen('.head-answers'), false);
  });

  await t.test('gates move the output as far as they say, and leave the weights', async () => {
    const share = () => act.first('.gates-moved', 'data-share');
    /** Of each head, in per cent: how far its gate moves the output now, and how far it would shut. */
    const effects = async () =>
      (await act.all('.gate-bar', 'aria-label')).map((label) =>
        label.match(/[\d.]+(?=\s%)/g).map(Number),
      );
    await act.visit('');
    const drawn = await weights();
    await act.slide('Gate of head 2', 'ArrowLeft', 'ArrowLeft');
    assert.equal(await act.parameter('gates'), '1,0.9,1,1,1');
    near(100 * (await share()), (await effects())[1][0], 0.051);
    await act.press('Open all');
    assert.equal(await act.parameter('gates'), null);
    await act.visit('?gates=1,0.25,0,1,0.9');
    assert.deepEqual(await weights(), drawn);
    const told = await effects();
    near(
      told.map(([now]) => now),
      [0, 0.75, 1, 0, 0.1].map((closed, head) => closed * told[head][1]),
      0.051,
    );
    await act.visit('?gates=0,0,0,0,0&part=output&sample=2');
    assert.equal(await share(), 1);
    assert.deepEqual(new Set(await act.texts('.numbers td:not([aria-hidden])')), new Set(['0']));
    await act.visit('?heads=1');
    assert.equal(await act.text('.gates-loud'), '', 'one head: nothing to compare');
  });

  await t.test(
    'two heads are compared, and parts of the layer have shapes and numbers',
    async () => {
      await act.visit('?head=2&sample=1');
      await (await act.control('Head to compare with', 'combobox')).select('5');
      await act.waitForSearch('?head=2&compare=5');
      const [{ heads }] = computed({});
      const differences = range(4).flatMap((at) =>
        range(6).map((key) => heads[1].weights[at][key] - heads[4].weights[at][key]),
      );
      near(await act.all('.compare .cell', 'data-weight'), differences, 1e-5);

      await act.visit('?heads=4&sample=2&head=4');
      const { k } = computed({ numHeads: 4 })[1].heads[3];
      const shape = '(2, 4, 6, 25)';
      await act.click(`[aria-label="k of the head, ${shape}: show numbers"]`);
      assert.equal(await act.text('.numbers-shape'), shape);
      const numbers = (await act.texts('.numbers td:not([aria-hidden])')).map((told) =>
        Number(told.replace('−', '-')),
      );
      near(
        numbers,
        k.flatMap((row) => row.slice(0, 8)),
        1e-4,
      );
      await act.click('.layer [type="radio"][value="1"]');
      assert.equal(await act.parameter('sample'), null);
      await act.click('.layer-head:nth-of-type(2)');
      assert.equal(await act.count('.layer-head'), 4);
    },
  );

  await t.test(
    'every head has one colour, answers fit a screen, and hatches stand out',
    async () => {
      await act.visit('?input=patterns&head=2&compare=4&part=q');
      const colours = (selector, property) =>
        act.each(selector, `(each) => getComputedStyle(each).${property}`);
      const title = 'borderInlineStartColor';
      const own = await colours('.sample:first-child .head-title', title);
      assert.equal(new Set(own).size, 5);
      for (const [selector, property, expected] of [
        ['.head-answers button', 'borderBlockEndColor', own],
        ['.gate-bar .bar', 'fill', own],
        ['.layer-head > rect', 'stroke', own],
        ['.compare-pair .head-title', title, [own[1], own[3]]],
        ['.close-up .head-title', title, [own[1]]],
      ]) {
        assert.deepEqual(await colours(selector, property), expected, selector);
      }
      await page.setViewport({ width: 1440, height: 900 });
      for (const answer of range(6)) {
        await act.visit(`?input=patterns&answer=${answer}`);
        await act.fitsScreen('.heads-maps');
        const [hidden] = await act.each(
          '.heads-maps .rail',
          (rail) => rail.scrollHeight - rail.clientHeight,
        );
        assert.equal(hidden, 0, `answer ${answer}`);
      }
      await page.setViewport({ width: 1280, height: 900 });
      await act.visit('?heads=1&valid=2,2&compare=0');
      for (const scheme of ['light', 'dark']) {
        await prefer(page, { scheme });
        const masked = await page.$(`#heads ${cell(0, 0, 0, 3)}`);
        assert.ok((await contrastWithin(page, masked)) >= 3, `hatched when ${scheme}`);
      }
      await prefer(page);
      await act.isForEveryone();
    },
  );
});

test('inputs of the reader’s own', async (t) => {
  const act = await openFlows(t, 'heads', '?input=own');
  const { page } = act;
  const folder = mkdtempSync(join(tmpdir(), 'headwise-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const sizes = async () =>
    (await act.count('.samples .cell')) / (await act.count('.samples .map'));
  const [textField, numbersField] = [
    `.input-details > :nth-child(2) textarea`,
    `.input-details > :nth-child(3) textarea`,
  ];
  const hint = '.written:has([aria-invalid]) .control-hint';
  const many = range(6)
    .map(() =>
      range(100)
        .map((at) => (at / 7).toFixed(4))
        .join(),
    )
    .join('\n');
  const fileOf = (name, bytes) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const choose = async (name, bytes) =>
    (await page.$('#heads .file-input')).uploadFile(fileOf(name, bytes));
  const shows = (name) =>
    page.waitForFunction(
      (named) => document.querySelector('#heads .input-details').textContent.includes(named),
      {},
      name,
    );

  await t.test(
    'text and numbers are typed; what cannot be read is explained, and the last stays',
    async () => {
      await act.write(numbersField, '{"queries": [[1, 2]], "keys": [[1], [2], [3]]}');
      assert.equal(await sizes(), 3);
      await act.write(numbersField, '1, x');
      assert.match(await act.text(hint), /“x”/);
      assert.equal(await sizes(), 3);
      await act.press('Text', 'radio');
      await act.write(textField, 'a b c d e');
      assert.equal(await act.parameter('text'), 'a b c d e');
      assert.equal(await sizes(), 25);
      await act.write(textField, ' \n');
      assert.notEqual(await act.text(hint), '');
      assert.equal(await sizes(), 25);
      await act.press('Letters', 'radio');
      assert.equal(await sizes(), 81);
      await act.write(textField, 'far too long '.repeat(20_000));
      assert.ok((await act.parameter('text')).length < 300);
    },
  );

  await t.test(
    'more numbers than an address holds are shown, and found again by back and forward',
    async () => {
      await act.visit('?input=own');
      await act.write(numbersField, many);
      await act.waitForSearch('?input=own&file=pasted+numbers');
      assert.equal(await sizes(), 36);
      const first = await act.first('.samples .cell', 'data-weight');
      await act.write(numbersField, many.replace('0.0000', '9.0000'));
      assert.notEqual(await act.first('.samples .cell', 'data-weight'), first);
      await page.goBack();
      await act.waitForSearch('?input=own');
      assert.equal(await sizes(), 16);
      await page.goForward();
      await act.waitForSearch('?input=own&file=pasted+numbers');
      assert.equal(await sizes(), 36);
      await act.visit('?input=own&file=mine.npy');
      assert.equal(await act.notices(), 1);
    },
  );

  await t.test('files are shown or refused, and the last one chosen counts', async () => {
    await act.visit('?input=own');
    await choose('x.npy', saveNpy(Tensor.randn([2, 7, 3], 1)));
    await shows('x.npy');
    assert.deepEqual([await sizes(), await act.parameter('file')], [49, 'x.npy']);
    for (const [name, ending] of [
      ['garbage.safetensors', '.safetensors'],
      ['<b>1<b>.csv', '.csv'],
    ]) {
      await choose(name, 'x');
      await shows(ending);
      assert.ok((await act.text('.input-details')).includes(name));
      assert.equal(await sizes(), 49);
    }
    await page.evaluate(() => {
      const real = Blob.prototype.text;
      Blob.prototype.text = async function () {
        if (this.name === 'slow.csv') await new Promise((resolve) => (window.readSlow = resolve));
        return real.call(this);
      };
    });
    await choose('slow.csv', '1\n2\n3');
    await page.waitForFunction(() => window.readSlow !== undefined);
    await choose('quick.csv', '1\n2');
    await shows('quick.csv');
    await page.evaluate(async () => {
      window.readSlow();
      await new Promise((resolve) => setTimeout(resolve));
    });
    assert.deepEqual([await sizes(), await act.parameter('file')], [4, 'quick.csv']);
  });
});
