// The heads: maps and what they are read by, inputs, the goal, gates, comparison and the figure of the layer.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { init, MultiHeadAttention, saveNpy, saveSafetensors, Tensor } from 'headwise';
import { openFlows } from '../../lib/flows.mjs';
import { assertDrawnAsWeighed, contrastWithin, readCells } from '../../lib/page-reader.mjs';
import { fitsAcross, prefer } from '../../lib/pages.mjs';
import { attention, dot, near, range, rowsOf, sampleOf, sum } from '../../../page/lib/float64.mjs';

await init({ threads: 1 });

/** The page's random input in float64, sample by sample. */
function computed({ seed = 1, numHeads = 5, factor = 1, lens = [3, 2], gates = undefined }) {
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
      ...{ X: sampleOf(queries, sample), keys: sampleOf(keys, sample), W, numHeads, gates },
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
      await act.press('Ones', 'radio');
      assert.deepEqual(new Set(await weights()), new Set([1 / 3, 0, 1 / 2].map(Math.fround)));
      await act.press('Random', 'radio');
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
      for (const { query, ...rest } of [
        { query: '' },
        {
          query: '?seed=7&heads=20&scale=2.5&valid=6,1',
          seed: 7,
          numHeads: 20,
          factor: 2.5,
          lens: [6, 1],
        },
      ]) {
        await act.visit(query);
        const samples = computed(rest);
        for (const [sample, head, at, key] of [
          [0, 0, 0, 0],
          [0, 3, 2, 1],
          [1, 4, 3, 0],
          [1, 1, 1, 5],
        ]) {
          await act.hover(cell(sample, head, at, key));
          const { scores, scaled, masked, weights, v } = samples[sample].heads[head];
          const largest = Math.max(...masked[at]);
          const expected = [
            ...[
              scores[at][key],
              scaled[at][key],
              masked[at][key],
              Math.exp(masked[at][key] - largest),
            ],
            weights[at][key],
          ];
          near((await results()).slice(0, 5), expected, 1e-4);
          const [told] = (await act.texts('.arithmetic tbody .result')).slice(-1);
          near(
            Number(told.replace('−', '-').match(/-?[\d.]+(?:e-\d+)?/)[0]),
            weights[at][key] * v[key][0],
            1e-4,
          );
          const sums = (await act.numbers('.arithmetic table + .note')).slice(-2);
          near(sums, [1, sum(weights.map((row) => row[key]))], 1e-4);
          const readOut = [sample + 1, head + 1, at + 1, key + 1, weights[at][key]];
          near(await act.numbers('.read-out'), readOut, 1e-4);
          const numHeads = rest.numHeads ?? 5;
          assert.equal(await act.count('.samples .ring[data-shown]'), numHeads);
          assert.equal(await act.count('.samples .ring[data-shown][data-here]'), 1);
        }
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
    const meanOn = (head, keyOf) => {
      const asked = all.filter((each) => each.head === head && each.key === keyOf(each.query));
      return sum(asked.map(({ weight }) => weight)) / asked.length;
    };
    const patterns = { 3: (at) => at - 3, 1: (at) => at - 1, first: () => 0, itself: (at) => at };
    const roleOf = (head) =>
      Object.keys(patterns).find((name) => meanOn(head, patterns[name]) > 0.5);
    const roles = range(5).map(roleOf);
    const unnamed = async () => new Set(await act.texts('.samples .head-note > :first-child'));
    assert.deepEqual(await unnamed(), new Set(['pattern: ?']));
    const [wanted] = [roles.indexOf('3')];
    const onCopy = range(5).map((head) => meanOn(head, patterns['3']));
    for (const head of [...range(5).filter((each) => each !== wanted), wanted]) {
      await act.press(`Head ${head + 1} looks three back`);
      assert.equal(await act.parameter('answer'), String(head + 1));
      const told = (await act.numbers('.head-told')).filter((value) => value !== head + 1);
      const expected = [
        ...(roles[head] === undefined ? [] : [meanOn(head, patterns[roles[head]])]),
        head === wanted ? Math.max(...onCopy.filter((_on, each) => each !== wanted)) : onCopy[head],
      ];
      near(told, expected, 5.1e-3);
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
    await act.visit('');
    const drawn = await weights();
    const outputs = (gates) => computed({ gates }).flatMap(({ output }) => output.flat());
    const open = outputs(undefined);
    const lengthOf = (values) => Math.sqrt(dot(values, values));
    const movedBy = (gates) => {
      const shut = outputs(gates);
      return lengthOf(open.map((value, at) => shut[at] - value)) / lengthOf(open);
    };
    const gates = [1, 0.25, 0, 1, 0.9];
    const alone = (value) =>
      range(5).map((head) => movedBy(range(5).map((each) => (each === head ? value[head] : 1))));
    const [moved, without] = [alone(gates), alone([0, 0, 0, 0, 0])];
    await act.slide('Gate of head 2', 'ArrowLeft', 'ArrowLeft');
    assert.equal(await act.parameter('gates'), '1,0.9,1,1,1');
    near(await act.first('.gates-moved', 'data-share'), movedBy([1, 0.9, 1, 1, 1]), 1e-4);
    await act.press('Open all');
    assert.equal(await act.parameter('gates'), null);
    await act.visit(`?gates=${gates}`);
    near(await act.first('.gates-moved', 'data-share'), movedBy(gates), 1e-4);
    assert.deepEqual(await weights(), drawn);
    const [now, whole] = [
      await act.all('.gate-bar .bar', 'width'),
      await act.all('.gate-bar .bar-without', 'width'),
    ];
    const scale = Math.max(...whole) / Math.max(...without);
    near(
      now.map((width) => width / scale),
      moved,
      1e-4,
    );
    near(
      whole.map((width) => width / scale),
      without,
      1e-4,
    );
    const told = (await act.all('.gate-bar', 'aria-label')).map((label) =>
      label.match(/[\d.]+(?=\s%)/g).map(Number),
    );
    near(
      told,
      range(5).map((head) => [100 * moved[head], 100 * without[head]]),
      0.051,
    );
    const [most, least] = [Math.max(...without), Math.min(...without)];
    const loud = [most, least].flatMap((share) => [without.indexOf(share) + 1, 100 * share]);
    near((await act.numbers('.gates-loud')).slice(0, 4), loud, 0.051);
    assert.equal(await act.first('.gates-loud a', 'href'), '#prune');
    await act.visit('?heads=1');
    assert.equal(await act.text('.gates-loud'), '', 'one head: nothing to compare');
    await act.visit('?gates=0,0,0,0,0&part=output&sample=2');
    assert.equal(await act.first('.gates-moved', 'data-share'), 1);
    assert.deepEqual(new Set(await act.texts('.numbers td:not([aria-hidden])')), new Set(['0']));
    const fills = (selector) => act.each(selector, (each) => getComputedStyle(each).fill);
    assert.deepEqual(await fills('.gate-map > rect'), await fills('.sample:nth-child(2) .cell'));
    const ordered = await act.each('.gate-tile', (tile) => {
      const [map, slider, bar] = ['.gate-map', '.slider', '.gate-bar'].map((name) =>
        tile.querySelector(name).getBoundingClientRect(),
      );
      return map.bottom <= slider.top && slider.bottom <= bar.top && map.height > 0;
    });
    assert.deepEqual(ordered, Array(5).fill(true));
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
      const largest = differences.reduce(
        (a, b, at) => (Math.abs(b) > Math.abs(differences[a]) ? at : a),
        0,
      );
      const fills = await act.each('.compare .cell', (each) => getComputedStyle(each).fill);
      assert.equal(fills[largest], differences[largest] > 0 ? 'rgb(127, 59, 8)' : 'rgb(45, 0, 75)');
      assert.match(await act.text('.compare'), /orange: head 2.*violet: head 5/s);

      await act.visit('?heads=4&sample=2&head=4');
      const of = computed({ numHeads: 4 })[1];
      for (const [part, shape, rows] of [
        ['queries', '(2, 4, 100)', sampleOf(Tensor.randn([2, 4, 100], 2), 1)],
        ['k of the head', '(2, 4, 6, 25)', of.heads[3].k],
        ['softmax(q kᵀ ÷ √d)', '(2, 4, 4, 6)', of.heads[3].weights],
        ['Concatenate', '(2, 4, 100)', of.concat],
        ['output', '(2, 4, 100)', of.output],
      ]) {
        await act.click(`[aria-label="${part}, ${shape}: show numbers"]`);
        assert.equal(await act.text('.numbers-shape'), shape);
        const numbers = (await act.texts('.numbers td:not([aria-hidden])')).map((told) =>
          Number(told.replace('−', '-')),
        );
        near(
          numbers,
          rows.flatMap((row) => row.slice(0, 8)),
          1e-4,
          part,
        );
      }
      await act.click('.layer [type="radio"][value="1"]');
      assert.equal(await act.parameter('sample'), null);
      await act.click('.layer-head:nth-of-type(2)');
      assert.equal(await act.count('.layer-head'), 4);
    },
  );

  await t.test(
    'every head has one colour, and stages fit a screen, wide and on a phone',
    async () => {
      await act.visit('?input=patterns&head=2&compare=4&part=q');
      const colours = (selector, property) =>
        act.each(selector, `(each) => getComputedStyle(each).${property}`);
      const title = 'borderInlineStartColor';
      const own = await colours('.sample:first-child .head-title', title);
      assert.equal(new Set(own).size, 5);
      for (const [selector, property, expected] of [
        ['.head-answers button', 'borderBlockEndColor', own],
        ['.gate-tile .head-title', title, own],
        ['.gate-bar .bar', 'fill', own],
        ['.gate-bar .bar-without', 'stroke', own],
        ['.layer-head > rect', 'stroke', own],
        ['.compare-pair .head-title', title, [own[1], own[3]]],
        ['.close-up .head-title', title, [own[1]]],
        ['.layer-numbers h4', title, [own[1]]],
      ]) {
        assert.deepEqual(await colours(selector, property), expected, selector);
      }
      await page.setViewport({ width: 1440, height: 900 });
      for (const query of ['', ...range(6).map((answer) => `?input=patterns&answer=${answer}`)]) {
        await act.visit(query);
        for (const stage of ['.heads-maps', '.gate-panel .act-stage', '.layer .act-stage']) {
          if (query === '' || stage === '.heads-maps') await act.fitsScreen(stage);
        }
        const [hidden] = await act.each(
          '.heads-maps .rail',
          (rail) => rail.scrollHeight - rail.clientHeight,
        );
        assert.equal(hidden, 0, query);
      }
      await page.setViewport({ width: 1024, height: 768 });
      for (const query of ['', '?input=patterns&answer=2', '?input=patterns&answer=3']) {
        await act.visit(query);
        const height = sum(
          await act.each('.heads-maps :is(.rail-pinned, .views)', (each) => each.offsetHeight),
        );
        assert.ok(height > 0 && height <= 768 - 48, `${query}: ${height}`);
      }
      for (const width of [390, 1024]) {
        await page.setViewport({ width, height: 900 });
        for (const query of ['?compare=2', '?input=patterns&heads=20&answer=2&part=concat']) {
          await act.visit(query);
          await fitsAcross(page, query);
        }
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
      await act.write(numbersField, `[${'[1,2],'.repeat(100_000)}[1,2]]`);
      assert.deepEqual((await act.numbers(hint)).slice(0, 2), [200_000, 600_007]);
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
      assert.match(
        await act.text('.input-details > :nth-child(2) .control-hint'),
        /2 lines of 16 tokens/,
      );
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
    const layer = new MultiHeadAttention({
      ...{
        numHiddens: 12,
        numHeads: 3,
        querySize: 12,
        keySize: 12,
        valueSize: 12,
        bias: true,
        seed: 5,
      },
    });
    await choose('model.safetensors', saveSafetensors(layer.stateDict()));
    await shows('model.safetensors');
    await act.press('3', 'radio');
    const X = Tensor.randn([2, 6, 12], 2);
    const { attentionWeights } = layer.forward(X, X, X, { returnWeights: true });
    near(await act.all('.samples .cell', 'data-weight'), [...attentionWeights.data], 1e-6);
    for (const [name, bytes] of [
      ['garbage.safetensors', Buffer.alloc(64, 255)],
      ['picture <b>.png', Buffer.from([1, 2, 3])],
    ]) {
      await choose(name, bytes);
      await shows(name);
      assert.equal(await sizes(), 36);
    }
    await choose('<b>1<b>.csv', 'x');
    await page.waitForFunction(() =>
      document.querySelector('#heads .input-details').textContent.includes('.csv'),
    );
    assert.match(await act.text('.input-details'), /<b>1<b>\.csv/);
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
