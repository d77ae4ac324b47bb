// Cross-attention: an encoder–decoder that learns, and the alignment read off its heads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlows } from '../../lib/flows.mjs';
import { waitForLastUpdate } from '../../lib/late-worker.mjs';
import { fitsAcross } from '../../lib/pages.mjs';
import { range } from '../../../page/lib/float64.mjs';

test('an alignment', async (t) => {
  const act = await openFlows(t, 'translate', '?hide=words');
  const { page } = act;
  const hidden = (more) => `?hide=words${more}`;
  const waitForStep = (step) => act.waitForValue('.run-status', 'data-step', step);
  const waitForState = (state) => act.waitForValue('.run-status', 'data-state', state);
  const signs = async (part) => (await act.texts(`.align-figure ${part} .align-sign`)).join('');
  /** Of each head, the colours of its cells, row by row. */
  const maps = () =>
    act.each('.align-map', (map) =>
      [...map.querySelectorAll('g rect:not([class])')].map((cell) => cell.getAttribute('fill')),
    );
  const curves = () =>
    act.each('.align-curve', (curve) => ({
      colour: curve.style.stroke,
      isDim: curve.hasAttribute('data-dim'),
    }));
  const readOut = async () => (await act.numbers('.align-read-out'))[0];
  const boxes = (count) => act.waitForCount('.align-box[data-padding]', count);
  await waitForState('paused');

  await t.test('reads a date that is typed, with padding, and says what is none', async () => {
    assert.equal(await signs('g[aria-hidden]'), 'March␣5,␣2021');
    await boxes(5);
    await page.$eval('#translate .date-input', (input) => input.select());
    await page.type('#translate .date-input', '1 May 2000');
    await boxes(8);
    assert.equal(await signs('g[aria-hidden]'), '1␣May␣2000');
    await act.waitForSearch(hidden('&translate-text=1+May+2000'));
    assert.deepEqual((await act.numbers('.align-padding')).slice(0, 2), [10, 18]);
    const [fills] = await maps();
    assert.equal(fills.filter((fill) => fill.startsWith('url(')).length, 8 * 10);
    // All of it in one step back.
    await page.goBack();
    await boxes(5);
    await act.write('.date-input', '5 May 2021!');
    assert.match(await act.text('.control-hint[id^="date"]'), /“5 May 2021”/);
    const kept = await page.$eval('#translate .date-input', (input) => {
      input.dispatchEvent(new Event('change'));
      return input.value;
    });
    assert.equal(kept, '5 May 2021');
    assert.equal(await act.isSeen('.align-date .note'), false);
    await act.visit(hidden('&translate-text=hello+world'));
    await boxes(18 - 11);
    assert.equal(await act.isSeen('.align-date .note'), true);
    assert.equal(await act.count('[data-wrong]'), 0);
  });

  await t.test('shows a head and an output alone', async () => {
    await act.visit(hidden(''));
    const colours = async () => new Set((await curves()).map(({ colour }) => colour)).size;
    assert.equal(await colours(), 2);
    await act.press('Show head 2 alone');
    await act.waitForSearch(hidden('&translate-head=2'));
    await act.waitFor('.align-chip[aria-pressed="true"]');
    await act.waitForCount('.align-card[data-dim]', 1);
    assert.equal(await colours(), 1);
    await page.click('#translate .align-query:nth-of-type(6)');
    await act.waitForSearch(hidden('&translate-head=2&translate-query=6'));
    await act.waitFor('.align-query[aria-pressed="true"]');
    assert.equal(await act.count('.align-box[data-source]'), 5, 'the month');
    assert.equal(new Set((await curves()).map(({ isDim }) => isDim)).size, 2);
    assert.equal(await readOut(), 6);
    await page.click('#translate .align-query:nth-of-type(6)');
    await act.waitForSearch(hidden('&translate-head=2'));
    await act.visit(hidden(''));
    await page.$eval('#translate .align-map', (map) => map.scrollIntoView({ block: 'center' }));
    const map = await (await page.$('#translate .align-map')).boundingBox();
    await page.mouse.move(map.x + map.width / 2, map.y + map.height * 0.75);
    await act.waitForText('.align-read-out', /^Output 8,/);
    await page.mouse.move(1, 1);
    await act.waitForText('.align-read-out', /^(?!Output)/);
  });

  await t.test('is for everyone, on a screen and on a phone', async () => {
    await page.setViewport({ width: 1440, height: 900 });
    for (const [query, heads] of [
      ['', 2],
      ['&translate-heads=4&translate-head=2&translate-query=3', 4],
    ]) {
      await act.visit(hidden(query));
      await act.waitForCount('.align-map', heads);
      if (heads === 2) await act.fitsScreen();
    }
    await act.isForEveryone();
    const wide = await act.first('.align-figure', 'viewBox');
    await page.setViewport({ width: 360, height: 900 });
    await fitsAcross(page);
    // Corrections of a wrong character have room in the figure, which follows the window.
    await act.waitForChange('.align-figure', 'viewBox', wide);
    const over = await act.each(
      '.align-expected:not(:empty)',
      (each) =>
        each.getBoundingClientRect().right - each.ownerSVGElement.getBoundingClientRect().right,
    );
    assert.ok(over.length > 5 && Math.max(...over) <= 0, `${over}`);
    await page.setViewport({ width: 1280, height: 900 });
  });

  await t.test(
    'is stepped and begun again, the same for a seed, and learns which head reads what',
    async () => {
      // A link to a moment trains as far as that, and going on drops the step from the address.
      await act.visit(hidden('&translate-text=30+Sep+1066&translate-at=3'));
      await waitForStep(3);
      await act.press('Restart');
      await act.waitForSearch(hidden('&translate-text=30+Sep+1066'));
      await waitForStep(0);
      await boxes(7);
      const untrained = await maps();
      await act.press('One step');
      await waitForStep(1);
      assert.notDeepEqual(await maps(), untrained);
      await act.press('Restart');
      await waitForStep(0);
      assert.deepEqual(await maps(), untrained);
      // Its accuracy may waver after the goal is reached.
      do {
        const step = await act.first('.run-status', 'data-step');
        await act.click('.playback .primary');
        await act.waitFor('.goal[data-reached]');
        await page.waitForFunction(
          (before) =>
            Number(document.querySelector('#translate .run-status').dataset.step) > before + 20,
          {},
          step,
        );
        await act.click('.playback .primary');
        await waitForState('paused');
        await waitForLastUpdate(page);
      } while ((await act.first('.run-status', 'data-accuracy')) < 0.95);
      const answer = await signs('.align-query');
      const wrong = range(10).filter((at) => answer[at] !== '1066-09-30'[at]);
      assert.ok(wrong.length < 5, answer);
      assert.equal(await act.count('.align-query[data-wrong]'), wrong.length);
      const shares = await act.each('.align-bar', ({ style }) =>
        parseFloat(style.getPropertyValue('--share')),
      );
      assert.equal(shares.length, 2 * 3);
      const verdict = await act.numbers('.align-verdict');
      for (const part of range(3)) {
        const best = Math.max(shares[part], shares[3 + part]);
        assert.ok(verdict.includes(Math.round(best)), `${verdict}`);
      }
      const alone = range(3).filter((part) => Math.abs(shares[part] - shares[3 + part]) >= 20);
      assert.equal(await act.count('[data-best]'), alone.length);
      const loop = String(
        await act.save('Save the alignment as Loop', 'headwise-the-alignment-loop.svg'),
      );
      assert.ok(loop.match(/<path[^>]*><animate attributeName="stroke-opacity"/g).length > 20);
      assert.ok(
        (await act.first('.align-charts .chart .line[data-series="unseen"]', 'd')).length > 20,
      );
      await page.select('#translate .rail select', 'shared');
      await waitForStep(0);
      assert.equal(await act.text('.align-verdict'), '');
      assert.equal(await act.count('.goal[data-reached]'), 0);
      assert.equal(await act.parameter('translate-model'), 'shared');
    },
  );
});
