// What the page opens with: a sentence under four heads of a trained model.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import * as headwise from '../../../dist/models.js';
import { textTokens } from '../../../examples/language-model/tokens.mjs';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { violations } from '../lib/axe.mjs';
import { fitsAcross, isReady, open, searchOf, waitForSearch } from '../lib/pages.mjs';
import { headers, serveFolder, servePage } from '../lib/server.mjs';

const { heads, query, text, words } = JSON.parse(
  readFileSync(fromRoot('web/src/first/sentence.json'), 'utf8'),
);

/** The numbers below the words: of the shown heads' weights, the largest; empty for words that have none. */
const numbers = (page) =>
  page.$eval('attention-heads', ({ shadowRoot }) =>
    Array.from(shadowRoot.querySelectorAll('.word .number'), ({ textContent }) => textContent),
  );

const expected = (from, shown = heads) =>
  words.map((_word, key) => {
    const largest = Math.max(...shown.map(({ weights }) => weights[from][key]));
    const told = largest < 0.005 ? '' : (Math.round(100 * largest) / 100).toFixed(2);
    return key > from ? '' : told;
  });

const word = async (page, index) => {
  const all = await page.$$('attention-heads >>> [role="option"]');
  assert.equal(all.length, words.length);
  return all[index];
};

test('four fans before the layer has loaded, without a layout that shifts', async (t) => {
  const { page } = await open(t, '', {
    prepare: (tab) =>
      tab.evaluateOnNewDocument(() => {
        window.shifts = [];
        new PerformanceObserver((list) => {
          window.shifts.push(...list.getEntries().map(({ value }) => value));
        }).observe({ type: 'layout-shift', buffered: true });
        new PerformanceObserver((list, observer) => {
          observer.disconnect();
          const fans = document.querySelector('attention-heads')?.shadowRoot;
          window.atFirstPaint = fans?.querySelectorAll('.curves path').length ?? 0;
        }).observe({ type: 'paint', buffered: true });
      }),
  });
  await page.waitForFunction(() => window.atFirstPaint !== undefined);
  assert.ok((await page.evaluate(() => window.atFirstPaint)) >= heads.length);
  assert.deepEqual(await numbers(page), expected(query));
  for (const index of [1, 8, 4]) await (await word(page, index)).hover();
  // A number below a word may be a fraction of a pixel wider than the one before.
  const shifted = await page.evaluate(() => window.shifts.reduce((sum, each) => sum + each, 0));
  assert.ok(shifted < 0.001, `layout shift ${shifted}`);
});

test('the word under the pointer is the query, a chip shows one head', async (t) => {
  const { page } = await open(t);
  await (await word(page, 8)).hover();
  assert.deepEqual(await numbers(page), expected(8));
  const chips = await page.$$('attention-heads >>> .chip');
  assert.equal(chips.length, heads.length);
  await chips[2].click();
  await (await word(page, 6)).hover();
  assert.deepEqual(await numbers(page), expected(6, [heads[2]]));
});

test('the query is seen by its ground, and chips by their edges', async (t) => {
  const { page } = await open(t);
  const [ground, edge, ink] = await page.$eval('attention-heads', (fans) => {
    const styleOf = (selector) => getComputedStyle(fans.shadowRoot.querySelector(selector));
    return [
      styleOf('[aria-selected="true"] .token').backgroundColor,
      styleOf('.chip').borderTopWidth,
      getComputedStyle(document.body).color,
    ];
  });
  assert.equal(ground, ink);
  assert.equal(edge, '1px');
});

test('and by keyboard', async (t) => {
  const { page } = await open(t);
  await (await word(page, query)).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await numbers(page), expected(1));
});

test('the heads, the sentence and what is asked of it stand in the first screen', async (t) => {
  for (const width of [1440, 390]) {
    const { page } = await open(t, '', { width });
    await page.setViewport({ width, height: width === 390 ? 844 : 900 });
    const bottom = await page.$eval(
      'attention-heads',
      (fans) => fans.getBoundingClientRect().bottom,
    );
    assert.ok(bottom < (await page.evaluate(() => window.innerHeight)), `${width}: ${bottom}`);
  }
});

test('by touch: a tap shows four fans, a chip one of them, and all again', async (t) => {
  const { page } = await open(t, '', {
    prepare: (tab) => tab.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true }),
  });
  await (await word(page, 8)).tap();
  assert.deepEqual(await numbers(page), expected(8));
  const [chip] = await page.$$('attention-heads >>> .chip');
  await chip.tap();
  assert.deepEqual(await numbers(page), expected(8, [heads[0]]));
  await chip.tap();
  assert.deepEqual(await numbers(page), expected(8));
});

test('what was pressed stands in the address, what was pointed at does not', async (t) => {
  const { page } = await open(t);
  await (await word(page, 2)).hover();
  assert.equal(await searchOf(page), '');
  await (await word(page, 8)).click();
  await waitForSearch(page, '?first-query=9');
  const chips = await page.$$('attention-heads >>> .chip');
  await chips[1].click();
  await waitForSearch(page, '?first-query=9&first-head=2');
  await page.mouse.move(0, 0);
  assert.deepEqual(await numbers(page), expected(8, [heads[1]]));
  await page.goBack();
  await waitForSearch(page, '?first-query=9');
  assert.deepEqual(await numbers(page), expected(8));
  await page.reload();
  await page.waitForSelector(isReady);
  assert.deepEqual(await numbers(page), expected(8));
});

const field = '.first-text';
const status = '.first-status';
const example = 'I am what I am and you are what you are';

const json = (name) => JSON.parse(readFileSync(fromRoot('examples/language-model/model', name)));

/** The tokens of a text and the weights of the four heads, by a forward pass in Node. */
async function forward(written) {
  await headwise.init({ threads: 1 });
  const { encode, decode } = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
  const ids = encode(` ${written}`);
  const { tensors } = headwise.loadSafetensors(
    readFileSync(fromRoot('examples/language-model/model/model.safetensors')),
  );
  const model = headwise.Transformer.fromPretrained({ config: json('config.json'), tensors });
  const { attentionWeights } = model.forward(
    { data: Int32Array.from(ids), shape: [ids.length] },
    { returnWeights: true },
  );
  model.dispose();
  const area = ids.length ** 2;
  return {
    tokens: ids.map((id) => decode([id]).trim()),
    weights: heads.flatMap(({ layer, head }) => [
      ...attentionWeights[layer].data.subarray(head * area, (head + 1) * area),
    ]),
  };
}

/** Until these tokens are shown; then the weights have to be the model's. */
async function waitForReading(page, written) {
  const { tokens, weights } = await forward(written);
  const fans = 'attention-heads.first-fans';
  await page.waitForFunction(
    (at, wanted) => document.querySelector(at).tokens.join('|') === wanted,
    {},
    fans,
    tokens.join('|'),
  );
  const shown = await page.$eval(fans, (view) => [...view.weights.data]);
  assert.equal(shown.length, weights.length);
  shown.forEach((weight, i) => assert.ok(Math.abs(weight - weights[i]) < 1e-5, `${i}: ${weight}`));
}

const statusOf = (page) => page.$eval(status, ({ textContent }) => textContent);
const waitForStatus = (page, pattern) =>
  page.waitForFunction(
    (at, source) => new RegExp(source).test(document.querySelector(at).textContent),
    {},
    status,
    pattern.source,
  );
const modelFiles = (page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => /live-model|model-worker/.test(name)),
  );

describe('a sentence of the reader’s', () => {
  test('is read by the model, which is not loaded before', async (t) => {
    const { page } = await open(t);
    assert.deepEqual(await modelFiles(page), []);
    assert.equal(page.workers().length, 0);
    assert.match(await statusOf(page), /1\.9.MB/);
    await page.focus(field);
    assert.deepEqual(await modelFiles(page), [], 'whoever only passes by Tab');
    await page.keyboard.type('war and peace, war and');
    await waitForReading(page, 'war and peace, war and');
    await waitForStatus(page, /6 tokens\.$/);
    // The last word is the query, and its weights are told.
    assert.equal((await numbers(page)).length, 6);
    await waitForSearch(page, '?first-text=war+and+peace,+war+and');
    assert.deepEqual(await violations(page, { scope: '.first' }), []);
  });

  test('may be pressed instead; then comes the first one again, and each is a step back', async (t) => {
    const { page } = await open(t);
    const [first, other] = await page.$$('.first-own button');
    await other.click();
    await waitForReading(page, example);
    assert.equal(await page.$eval(field, ({ value }) => value), example);
    await first.click();
    assert.deepEqual(await numbers(page), expected(query));
    assert.equal(await searchOf(page), '');
    await page.goBack();
    await waitForReading(page, example);
  });

  test('that the address has is read as the page opens', async (t) => {
    const address = '?first-text=peace+is+peace&first-head=1&first-query=2';
    const { page } = await open(t, address);
    await waitForReading(page, 'peace is peace');
    const told = await numbers(page);
    assert.deepEqual(told, ['1.00', '', '']);
    assert.equal(await page.$eval(field, ({ value }) => value), 'peace is peace');
  });

  test('is cut to 12 words, and not within joined emoji', async (t) => {
    const { page } = await open(t);
    await page.focus(field);
    await page.keyboard.sendCharacter('a '.repeat(20));
    await waitForStatus(page, /Cut to 12 words and 100 characters\.$/);
    await waitForSearch(page, `?first-text=${'a+'.repeat(12)}`);
    await page.$eval(field, (input) => (input.value = ''));
    // Of signs of 11 code units after two letters, eight are no more than 100.
    const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}';
    await page.keyboard.sendCharacter(`ab${family.repeat(12)}`);
    await page.waitForFunction(
      (wanted) => new URLSearchParams(window.location.search).get('first-text') === wanted,
      {},
      `ab${family.repeat(8)}`,
    );
  });

  test('is corrected in words where the address asks for more', async (t) => {
    const { page } = await open(t, `?first-text=${'a+'.repeat(20)}&first-head=9`);
    const told = await page.$eval('.first .notices', ({ textContent }) => textContent);
    assert.match(told, /Invalid first-text .*Invalid first-head/);
  });

  test('without a repeated token, and of words it does not know, says so', async (t) => {
    const { page } = await open(t, '?first-text=heads+quickly+go');
    await waitForStatus(page, /pieces\..*“what followed before” has nothing to look up/);
  });

  test('does not move the field it is written in, however many lines it has', async (t) => {
    const { page } = await open(t, '', { width: 390 });
    await page.focus(field);
    const top = () => page.$eval(field, (input) => input.getBoundingClientRect().top);
    const before = await top();
    const long = 'something extraordinarily complicated becomes increasingly uncomfortable';
    await page.keyboard.type(long);
    await waitForReading(page, long);
    assert.ok(Math.abs((await top()) - before) <= 1, `${await top()}, before ${before}`);
    await fitsAcross(page);
  });

  test('is read without a network, once one has been', async (t) => {
    const server = await servePage();
    const { page } = await open(t, '', {
      server,
      withServiceWorker: true,
      causes: /service-worker\.js/,
    });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.type(field, 'peace');
    await waitForReading(page, 'peace');
    await page.waitForFunction(async () => {
      const cache = await caches.open('language-model');
      return (await cache.keys()).length >= 4;
    });
    await server.close();
    await page.goto(`${server.url}?first-text=war+and+peace`);
    await page.waitForSelector(isReady);
    await waitForReading(page, 'war and peace');
  });

  test('waits for a model that did not come, and is read once it does', async (t) => {
    const copy = fromRoot('build/page-without-model');
    rmSync(copy, { recursive: true, force: true });
    cpSync(fromRoot('build/page'), copy, { recursive: true });
    renameSync(`${copy}/model`, `${copy}/later`);
    const server = await serveFolder(copy, { headers: headers.security });
    t.after(() => server.close());
    // Read once: each letter typed would be read anew, and end the notice of the one before.
    const causes = /404|ERR_ABORTED/;
    const { page } = await open(t, '?first-text=peace', { server, causes });
    await page.waitForSelector('.first .failure button');
    renameSync(`${copy}/later`, `${copy}/model`);
    await page.click('.first .failure button');
    await waitForReading(page, 'peace');
    assert.equal(await page.$('.first .failure'), null);
  });

  test('that says what the page opens with needs no model', async (t) => {
    const { page } = await open(t, `?first-text=${text.replaceAll(' ', '+')}`);
    assert.deepEqual(await numbers(page), expected(query));
    assert.deepEqual(await modelFiles(page), []);
  });
});
