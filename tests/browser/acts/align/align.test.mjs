// Cross-attention in Chromium: an encoder–decoder that learns, and the alignment read off its heads.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { violations } from '../../lib/axe.mjs';
import { fitsAcross, open, searchOf, waitForSearch } from '../../lib/pages.mjs';

const openAct = async (t, query = '', options = {}) => {
  const until = '#align .align-figure';
  const opened = await open(t, `${query}#align`, { until, ...options });
  await waitForStatus(opened.page, /^Step 0 /);
  return opened;
};

const textOf = (page, selector) => page.$eval(selector, (found) => found.textContent);
const waitForText = (page, selector, pattern) =>
  page.waitForFunction(
    (where, source) => new RegExp(source).test(document.querySelector(where).textContent),
    {},
    selector,
    pattern.source,
  );
const waitForStatus = (page, pattern) => waitForText(page, '#align .run-status', pattern);
const press = async (page, name) =>
  (await page.$(`#align ::-p-aria([name="${name}"][role="button"])`)).click();
/** Of each head, the colours of its cells, row by row. */
const mapsOf = (page) =>
  page.$$eval('#align .align-map', (maps) =>
    maps.map((map) =>
      [...map.querySelectorAll('g rect:not([class])')].map((r) => r.getAttribute('fill')),
    ),
  );
const signsOf = (page, part) =>
  page.$$eval(`#align .align-figure ${part} .align-sign`, (all) =>
    all.map((sign) => sign.textContent),
  );
const inputOf = async (page) => (await signsOf(page, 'g[aria-hidden]')).join('');
const answerOf = async (page) => (await signsOf(page, '.align-query')).join('');
const curvesOf = (page) =>
  page.$$eval('#align .align-curve', (all) =>
    all.map((curve) => ({ colour: curve.style.stroke, isDim: curve.hasAttribute('data-dim') })),
  );

describe('a run', () => {
  test('learns, and tells which head reads which part', async (t) => {
    const { page } = await openAct(t, '?align-text=30%20Sep%201066');
    await press(page, 'Start');
    await waitForText(
      page,
      '#align .goal-outcome',
      /Reached\. At step \d+, with the model “Standard”/,
    );
    await waitForText(
      page,
      '#align .align-verdict',
      /of unseen dates are right.*Head \d reads the/,
    );
    await waitForStatus(page, /^Step 1000 of 1000: .* (?:9[5-9]|100).% of unseen/);
    assert.equal(await answerOf(page), '1066-09-30');
    assert.match(await textOf(page, '#align .align-verdict'), /the year \(\d\d/);
    assert.match(await textOf(page, '#align .playback'), /Finished/);
    const shares = await page.$$eval('#align .align-share', (all) =>
      all.map((each) => parseInt(each.textContent)),
    );
    assert.equal(shares.length, 2 * 3);
    assert.ok(Math.max(shares[0], shares[3]) > 70, shares.join());
    assert.equal(await page.$$eval('#align [data-best]', (all) => all.length), 3);

    // The goal stays reached; the verdict is of the run that is shown.
    await press(page, 'Restart');
    await waitForStatus(page, /^Step 0 /);
    assert.equal(await textOf(page, '#align .align-verdict'), '');
    assert.match(await textOf(page, '#align .goal-outcome'), /Reached/);
  });

  test('can be paused, stepped and begun again, and is the same for a seed', async (t) => {
    const { page } = await openAct(t);
    const untrained = await mapsOf(page);
    await press(page, 'Step');
    await waitForStatus(page, /^Step 1 /);
    await press(page, 'Step');
    await waitForStatus(page, /^Step 2 /);
    const second = await mapsOf(page);
    assert.notDeepEqual(second, untrained);
    await press(page, 'Resume');
    await waitForStatus(page, /^Step \d\d/);
    await press(page, 'Pause');
    await press(page, 'Restart');
    await waitForStatus(page, /^Step 0 /);
    assert.deepEqual(await mapsOf(page), untrained);
    await press(page, 'Step');
    await waitForStatus(page, /^Step 1 /);
    await press(page, 'Step');
    await waitForStatus(page, /^Step 2 /);
    assert.deepEqual(await mapsOf(page), second);
  });

  test('begins anew with another model, and rests where it is not asked to go on', async (t) => {
    const { page } = await openAct(t);
    await press(page, 'Step');
    await waitForStatus(page, /^Step 1 /);
    await page.select('#align .rail select', 'shared');
    await waitForStatus(page, /^Step 0 /);
    assert.equal(await searchOf(page), '?align-model=shared');
    assert.match(await textOf(page, '#align .align-settings'), /one table of embeddings/);
  });

  test('whose worker fails says so, and begins again', async (t) => {
    const { page } = await openAct(t, '?hide=words', { causes: /the test ends this worker/ });
    const [worker] = page.workers().filter((each) => /model-worker/.test(each.url()));
    await worker.evaluate(() => {
      setTimeout(() => {
        throw new Error('the test ends this worker');
      });
    });
    await press(page, 'Start');
    await page.waitForSelector('#align .failure');
    assert.match(await textOf(page, '#align .failure'), /The worker stopped/);
    await (await page.$('#align .failure button')).click();
    await waitForStatus(page, /^Step 0 /);
    assert.equal(await page.$('#align .failure'), null);
  });
});

describe('a date', () => {
  test('can be typed, and is read at once; what is beyond it is padding', async (t) => {
    const { page } = await openAct(t);
    assert.equal(await inputOf(page), 'March␣5,␣2021');
    const boxes = '#align .align-figure .align-box[data-padding]';
    assert.equal((await page.$$(boxes)).length, 5);
    await page.$eval('#align .date-input', (input) => input.select());
    await page.type('#align .date-input', '1 May 2000');
    await page.waitForFunction(
      (selector) => document.querySelectorAll(selector).length === 8,
      {},
      boxes,
    );
    assert.equal(await inputOf(page), '1␣May␣2000');
    await waitForSearch(page, '?align-text=1+May+2000');
    assert.match(await textOf(page, '#align .align-padding'), /10 characters is padded to 18/);
    const fills = (await mapsOf(page))[0].filter((fill) => fill.startsWith('url('));
    assert.equal(fills.length, 8 * 10);
    // All of it in one step back.
    await page.goBack();
    await page.waitForFunction(
      () => document.querySelector('#align .date-input').value === 'March 5, 2021',
    );
  });

  test('that is none, or has other characters, is told', async (t) => {
    const { page } = await openAct(t, '?align-text=hello%20world');
    assert.match(await textOf(page, '#align .align-date'), /no right answer/);
    assert.equal(await page.$('#align [data-wrong]'), null);
    await page.$eval('#align .date-input', (input) => input.select());
    await page.type('#align .date-input', '5 May 2021!');
    assert.match(await textOf(page, '#align .control-hint[id^="date"]'), /reads “5 May 2021”/);
    await page.keyboard.press('Tab');
    assert.equal(await page.$eval('#align .date-input', (input) => input.value), '5 May 2021');
  });

  test('that the address cannot have is replaced, and that is told', async (t) => {
    const { page } = await openAct(
      t,
      `?align-text=${'%E2%98%83'.repeat(500)}&align-head=3&align-query=99&align-heads=3`,
    );
    const notices = await textOf(page, '#align .notices');
    for (const told of ['align-text', '“99”', '“3”', 'no head 3 of 2']) {
      assert.ok(notices.includes(told), `${told} in ${notices}`);
    }
    assert.equal(await inputOf(page), 'March␣5,␣2021');
  });
});

describe('the figure', () => {
  test('draws weights that are nearly uniform pale, the largest the strongest', async (t) => {
    const { page } = await openAct(t);
    const read = () =>
      page.$$eval('#align .align-curve', (all) =>
        all.map((curve) => ({
          opacity: Number(curve.getAttribute('stroke-opacity')),
          width: Number(curve.getAttribute('stroke-width')),
        })),
      );
    const curves = await read();
    assert.ok(curves.length > 200, `${curves.length}`);
    assert.ok(curves.every(({ opacity }) => opacity > 0.2 && opacity < 0.5));
    // Drawn from the thinnest on.
    const opacities = curves.map(({ opacity }) => opacity);
    assert.deepEqual(
      opacities,
      opacities.toSorted((a, b) => a - b),
    );
  });

  test('shows a head alone, and an output alone, and the address holds both', async (t) => {
    const { page } = await openAct(t);
    const colours = async () => new Set((await curvesOf(page)).map(({ colour }) => colour));
    assert.equal((await colours()).size, 2);
    await press(page, 'Show head 2 alone');
    await page.waitForSelector('#align .align-chip[aria-pressed="true"]');
    await waitForSearch(page, '?align-head=2');
    await page.waitForFunction(
      () =>
        new Set([...document.querySelectorAll('#align .align-curve')].map((c) => c.style.stroke))
          .size === 1,
    );
    await page.click('#align .align-query:nth-of-type(6)');
    await waitForSearch(page, '?align-head=2&align-query=6');
    await page.waitForSelector('#align .align-query[aria-pressed="true"]');
    assert.equal(await page.$$eval('#align .align-box[data-source]', (all) => all.length), 5);
    const curves = await curvesOf(page);
    assert.ok(curves.some(({ isDim }) => isDim) && curves.some(({ isDim }) => !isDim));
    assert.match(await textOf(page, '#align .align-read-out'), /^Output 6, .*head 1 gives/);
    // The same again takes it back.
    await page.click('#align .align-query:nth-of-type(6)');
    await waitForSearch(page, '?align-head=2');
  });

  test('is used by keyboard: looking changes nothing in the address, choosing does', async (t) => {
    const { page } = await openAct(t);
    await page.$eval('#align .align-query', (query) => query.focus());
    await page.keyboard.press('ArrowRight');
    await waitForText(page, '#align .align-read-out', /^Output 2,/);
    assert.equal(await searchOf(page), '');
    await page.keyboard.press('End');
    await waitForText(page, '#align .align-read-out', /^Output 10,/);
    await page.keyboard.press('Enter');
    await waitForSearch(page, '?align-query=10');
    const label = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    assert.match(label, /^Output 10, .*head 2 gives/);
    assert.equal(await page.$$eval('#align .align-query[tabindex="0"]', (all) => all.length), 1);
  });

  test('follows the pointer over a map', async (t) => {
    const { page } = await openAct(t);
    const map = await (await page.$('#align .align-map')).boundingBox();
    await page.mouse.move(map.x + map.width / 2, map.y + map.height * 0.98);
    await waitForText(page, '#align .align-read-out', /^Output 10,/);
    await page.mouse.move(1, 1);
    await waitForText(page, '#align .align-read-out', /^Point at/);
  });
});

for (const scheme of ['light', 'dark']) {
  for (const width of [360, 1440]) {
    test(`axe-core finds no violation, ${scheme}, ${width} wide, and nothing overflows`, async (t) => {
      const query = '?align-heads=4&align-head=2&align-query=3';
      const { page } = await openAct(t, query, { media: { scheme }, width });
      await fitsAcross(page);
      await page.click('#align .rail-more summary');
      assert.deepEqual(await violations(page, { scope: '#align' }), []);
    });
  }
}

test('on a phone the buttons stay in view beside what they change', async (t) => {
  const { page } = await openAct(t, '', { width: 390 });
  await page.$eval('#align .align-maps', (maps) => maps.scrollIntoView());
  const { top, bottom } = await page.$eval('#align .align-run', (bar) => {
    const box = bar.getBoundingClientRect();
    return { top: box.top, bottom: box.bottom };
  });
  assert.ok(top >= 0 && bottom < 200, `${top} to ${bottom}`);
});

test('the figure follows the window, and has room for what a wrong character should be', async (t) => {
  const { page } = await openAct(t, '', { width: 1280 });
  const looked = () =>
    page.$eval('#align .align-figure', (figure) => {
      const { right } = figure.getBoundingClientRect();
      const corrections = [...figure.querySelectorAll('.align-expected')];
      return {
        box: figure.getAttribute('viewBox'),
        shown: corrections.filter((each) => each.textContent).length,
        over: Math.max(...corrections.map((each) => each.getBoundingClientRect().right - right)),
      };
    });
  const boxes = [];
  for (const width of [1280, 390, 1280]) {
    await page.setViewport({ width, height: 844 });
    if (boxes.length > 0) {
      const last = boxes.at(-1);
      await page.waitForFunction(
        (before) =>
          document.querySelector('#align .align-figure').getAttribute('viewBox') !== before,
        {},
        last,
      );
    }
    const { box, shown, over } = await looked();
    boxes.push(box);
    assert.ok(shown > 5, `${shown}`);
    assert.ok(over <= 0, `${width}: ${over} pixels beyond the figure`);
  }
  assert.equal(boxes[0], boxes[2]);
});

test('at 1440 by 900 the stage is no higher than a screen', async (t) => {
  const { page } = await openAct(t, '', { width: 1440 });
  const height = await page.$eval(
    '#align .act-stage',
    (stage) => stage.getBoundingClientRect().height,
  );
  assert.ok(height <= 860, `${height}`);
});
