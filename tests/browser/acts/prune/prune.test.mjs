// Pruning in Chromium: planted heads are measured, and the others pruned.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { holdWorkers, runOutOfPatience } from '../../lib/late-worker.mjs';
import { searchOf } from '../../lib/pages.mjs';
import {
  named,
  openPrune as openAct,
  press,
  textOf,
  waitForStatus,
  waitForText,
} from '../../lib/prune-act.mjs';

const statusOf = (page) => textOf(page, '#prune .session-status');
/** Until the first seed is measured and its model can be pruned. */
const waitForSession = (page) => waitForStatus(page, /heads left/);
const waitForSeeds = (page, count) =>
  waitForText(page, '#prune .plant-status', new RegExp(`from ${count} seed|, ${count + 1} of 5`));
const barsOf = (page, measure) =>
  page.$$eval(`#prune [data-measure="${measure}"] .bar`, (bars) =>
    bars.map(({ dataset }) => ({ ...dataset, value: Number(dataset.value) })),
  );
const prunedHeads = (page) =>
  page.$$eval('#prune .tile[data-standing="pruned"]', (tiles) => tiles.map((t) => t.dataset.head));
/** What the pruned model predicts for the shown sequence, and whether it is marked as wrong. */
const answersOf = (page) =>
  page.$$eval('#prune .answers .tokens > li', (items) =>
    items.flatMap((item, position) => {
      const answer = item.querySelector('.answer');
      if (answer === null) return [];
      const next = items[position + 1]?.querySelector('.token').textContent;
      const label = answer.getAttribute('aria-label');
      const [, said, percent, verdict] = /^predicts (\w), (\d+)\s%, (correct|wrong)$/.exec(label);
      const marked = answer.firstChild.textContent.endsWith('×');
      return [{ said, next, percent: Number(percent), isRight: verdict === 'correct', marked }];
    }),
  );
/** Of the full or the pruned model: heads, loss, accuracy, milliseconds of a forward. */
const columnOf = (page, name) =>
  page.$eval(
    '#prune .quality',
    (table, wanted) => {
      const rows = Array.from(table.rows, ({ cells }) => Array.from(cells, (c) => c.textContent));
      const [head, ...others] = rows;
      return others.map((row) => row[head.indexOf(wanted)]);
    },
    name,
  );

/** All that seed 1 does not plant. */
const others = ['1.1', '1.4', '1.5', '1.6', '2.1', '2.2', '2.4', '2.5'];
const prune = async (page, name) => {
  const [layer, head] = name.split('.');
  await press(page, `Prune head ${head} of layer ${layer}`);
};

/** A model whose truth is shown without a guess. */
async function planted(t, query = '', options = {}) {
  const shown = `?prune-check=1${query.replace('?', '&')}`;
  const { page, ...rest } = await openAct(t, shown, options);
  await press(page, 'Plant and train');
  await waitForSession(page);
  return { page, ...rest };
}

const numbers = 'No One Two Three Four Five Six Seven Eight Nine'.split(' ');

const sentence = '#prune .answers .sequence-name';

const restoreAll = async (page) => {
  await press(page, 'Restore all');
  await waitForStatus(page, /^12 heads left/);
};

/** Presses without waiting, and moves a gate by as much, if one is given. */
const pressAtOnce = (page, names, gate = undefined) =>
  page.evaluate(
    (labels, moved) => {
      const labelled = (label) => document.querySelector(`#prune [aria-label="${label}"]`);
      for (const label of labels) labelled(label).click();
      if (moved === undefined) return;
      const slider = labelled(moved.label);
      slider.value = moved.percent;
      slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
    },
    names,
    gate,
  );
const two = ['Prune head 1 of layer 1', 'Prune head 4 of layer 1'];

// Planting takes longest of all: what can be done with its model is done with one.
test('a planted model', async (t) => {
  const { page } = await planted(t);
  await waitForSeeds(page, 2);
  await press(page, 'Stop');
  await waitForText(page, '#prune .plant-status', /Stopped.*from 2 seeds/);

  await t.test(
    'importance finds the planted heads by ablation and gradient, not by confidence or entropy',
    async () => {
      const valuesOf = (bars, wanted) =>
        bars.filter(({ truth }) => wanted.includes(truth)).map(({ value }) => value);
      for (const measure of ['ablation', 'gradient']) {
        const bars = await barsOf(page, measure);
        assert.equal(bars.length, 12);
        const least = Math.min(...valuesOf(bars, ['planted']));
        assert.ok(least > Math.max(...valuesOf(bars, ['sharp', 'quiet'])), measure);
      }
      const confidence = await barsOf(page, 'confidence');
      const most = Math.max(...valuesOf(confidence, ['planted']));
      assert.ok(most < Math.min(...valuesOf(confidence, ['sharp'])));
      const entropy = await barsOf(page, 'entropy');
      assert.ok(
        Math.min(...valuesOf(entropy, ['planted'])) > Math.max(...valuesOf(entropy, ['sharp'])),
      );
      const label = await page.$eval('[data-measure="ablation"] svg', (svg) =>
        svg.getAttribute('aria-label'),
      );
      assert.match(
        label,
        /^Ablation of each head\. The four heads it ranks highest are the four planted ones \(seed\u00a01\)\. Over 2 seeds: 8 of 8\.$/,
      );
      assert.match(
        await textOf(page, '[data-measure="entropy"] .verdict'),
        /^None of the four heads it ranks highest was planted \(seed\u00a01\)\. Over 2 seeds: 0 of 8\.$/,
      );
    },
  );

  await t.test(
    'heads are pruned down to the four planted ones, which is undone, and all are restored',
    async () => {
      const whole = await columnOf(page, 'Full');
      assert.deepEqual(await columnOf(page, 'Pruned'), whole);
      assert.equal(whole[3], '–');
      for (const [i, head] of others.entries()) {
        await prune(page, head);
        const words = ['11', '10', 'Nine', 'Eight', 'Seven', 'Six', 'Five', 'Four'];
        await waitForStatus(page, new RegExp(`^${words[i]} heads left`));
      }
      assert.match(
        await textOf(page, '#prune .session .goal-progress'),
        /Reached\. Four heads reach 9\d\s%/,
      );
      assert.deepEqual(await prunedHeads(page), others);
      assert.equal((await columnOf(page, 'Pruned'))[0], '4');
      assert.match(await textOf(page, '.tile[data-head="1.1"]'), /Pruned\. It was quiet/);
      assert.match(await textOf(page, '.tile[data-head="1.4"]'), /Pruned\. It was sharp/);

      await press(page, 'Undo');
      await waitForStatus(page, /^Five heads left/);
      await page.goBack();
      await waitForStatus(page, /^Four heads left/);
      await restoreAll(page);
      assert.deepEqual(await columnOf(page, 'Pruned'), whole);
      assert.deepEqual(await prunedHeads(page), []);
      assert.equal(await searchOf(page), '?prune-check=1');
    },
  );

  await t.test('both models are timed in turn: fewer heads take less time', async (test) => {
    await pressAtOnce(
      page,
      others.map((name) => {
        const [layer, head] = name.split('.');
        return `Prune head ${head} of layer ${layer}`;
      }),
    );
    await waitForStatus(page, /^Four heads left/);
    await waitForText(page, '#prune .session', /medians of 21 pairs/);
    const [, ratio, lower, upper] = /full: ([\d.]+), 95\s% interval ([\d.]+) to ([\d.]+)/
      .exec(await textOf(page, '#prune .session .rail'))
      .map(Number);
    assert.ok(lower <= ratio && ratio <= upper, `${lower} ${ratio} ${upper}`);
    const [whole, left] = [await columnOf(page, 'Full'), await columnOf(page, 'Pruned')].map(
      ([, , , told]) => parseFloat(told),
    );
    const told = `${left} ms of ${whole} ms, ${ratio} (${lower} to ${upper})`;
    test.diagnostic(told);
    // The medians alone: on a busy machine the interval may be wide.
    assert.ok(ratio < 1 && left < whole, told);
    assert.match(
      await textOf(page, '#prune .session .goal-progress'),
      new RegExp(`accuracy in ${Math.round(100 * ratio)}\\s% of the time`),
    );
    await restoreAll(page);
    assert.doesNotMatch(await textOf(page, '#prune .session .rail'), /medians/);
  });

  await t.test('heads pruned quickly are told in no other number than are left', async () => {
    await page.$eval('#prune .session-status', (status) => {
      window.told = [];
      window.telling = new MutationObserver(() => {
        const left = document.querySelectorAll('#prune .tile:not([data-standing="pruned"])').length;
        window.told.push({ left, words: status.textContent });
      });
      window.telling.observe(status, { childList: true });
    });
    await pressAtOnce(page, two);
    await waitForStatus(page, /^10 heads left/);
    assert.equal((await columnOf(page, 'Pruned'))[0], '10');
    await page.evaluate(() => {
      document.querySelector('#prune [aria-label="Prune head 1 of layer 2"]').click();
      document.querySelector('#prune .session-bar button').click();
    });
    await waitForStatus(page, /^10 heads left/);
    const told = await page.evaluate(() => window.told);
    await page.evaluate(() => window.telling.disconnect());
    for (const { left, words } of told) assert.match(words, new RegExp(`^${left} heads left`));
    await restoreAll(page);
  });

  await t.test('whatever is pressed how quickly, all places end up with one number', async () => {
    const draw = (() => {
      // Of Lehmer: the same presses in every run.
      let state = 20;
      return (below) => {
        state = (48271 * state) % 2147483647;
        return state % below;
      };
    })();
    for (let round = 0; round < 12; round++) {
      const presses = Array.from({ length: 2 + draw(5) }, () => draw(16));
      await page.evaluate((wanted) => {
        const [undo, restore] = document.querySelectorAll('#prune .session-bar button');
        const tiles = [...document.querySelectorAll('#prune .tile')];
        for (const which of wanted) {
          const slider = tiles[which % 12].querySelector('.slider');
          if (which < 12) tiles[which].querySelector('button').click();
          else if (which === 12) undo.click();
          else if (which === 13) restore.click();
          else if (!slider.closest('[hidden]')) {
            slider.value = 40;
            slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
            slider.value = 0;
            slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
            slider.dispatchEvent(new Event('change', { bubbles: true }));
          }
        }
      }, presses);
      await page.waitForFunction(
        (inWords) => {
          const tiles = [...document.querySelectorAll('#prune .tile')];
          const left = tiles.filter(({ dataset }) => dataset.standing !== 'pruned').length;
          const status = document.querySelector('#prune .session-status').textContent;
          const inTable = document.querySelector('#prune .quality tbody td:last-child').textContent;
          // The address may lag behind: browsers limit how often it may change.
          const gone = new URLSearchParams(window.location.search).get('prune-gone') ?? '';
          return (
            status.startsWith(`${inWords[left] ?? left} heads left`) &&
            inTable === String(left) &&
            gone.split(',').filter(Boolean).length === 12 - left
          );
        },
        {},
        numbers,
      );
    }
    await restoreAll(page);
  });

  await t.test('gates are tried on what quick pruning leaves, and told last', async () => {
    const gate = { label: 'Gate of head 3 of layer 2', percent: 30 };
    await pressAtOnce(page, two);
    await waitForStatus(page, /^10 heads left/);
    await pressAtOnce(page, [], gate);
    await waitForStatus(page, /^With these gates/);
    const slowly = await statusOf(page);

    await restoreAll(page);
    await pressAtOnce(page, two, gate);
    await page.waitForFunction(
      () => document.querySelector('#prune .quality tbody td:last-child').textContent === '10',
    );
    await page.waitForFunction(
      (wanted) => document.querySelector('#prune .session-status').textContent === wanted,
      {},
      slowly,
    );
    await restoreAll(page);
  });

  await t.test(
    'the answers are all right with all heads, and follow gates and heads that go',
    async () => {
      const whole = await answersOf(page);
      assert.ok(whole.length >= 10, `${whole.length} answers`);
      for (const { said, next, isRight, marked } of whole) {
        assert.ok(isRight && !marked);
        // A sequence that repeats: the answer is the token that follows.
        if (next !== undefined) assert.equal(said, next);
      }
      const count = whole.length;
      assert.equal(
        await textOf(page, sentence),
        `${count} of ${count} predictions for this sequence are correct.`,
      );

      await (await named(page, 'Gate of head 3 of layer 2', 'slider')).focus();
      for (let i = 0; i < 5; i++) await page.keyboard.press('PageDown');
      await waitForStatus(page, /^With these gates/);
      const gated = await answersOf(page);
      assert.notDeepEqual(gated, whole);

      await prune(page, '2.3');
      await prune(page, '2.6');
      await waitForStatus(page, /^10 heads left/);
      const lost = await answersOf(page);
      const right = lost.filter(({ isRight }) => isRight).length;
      assert.ok(right < count / 2, `${right} of ${count} are right`);
      for (const { said, next, isRight, marked } of lost) {
        assert.equal(marked, !isRight);
        if (next !== undefined) assert.equal(said === next, isRight);
      }
      assert.equal(
        await textOf(page, sentence),
        `${right} of ${count} predictions for this sequence are correct.`,
      );

      await restoreAll(page);
      assert.deepEqual(await answersOf(page), whole);
    },
  );

  await t.test('the answers stand below a heading that nothing covers', async () => {
    await page.waitForSelector('#prune .session');
    await page.$eval('#prune .session h3', (title) => title.scrollIntoView({ block: 'center' }));
    const seen = await page.$eval('#prune .session h3', (title) => {
      const { left, top, bottom } = title.getBoundingClientRect();
      return document.elementFromPoint(left + 2, (top + bottom) / 2) === title;
    });
    assert.ok(seen);
  });

  await t.test(
    'the curves show right answers or loss, with the planted heads to the last by ablation',
    async () => {
      const pathOf = (order) =>
        page.$eval(`#prune .chart .line[data-series="${order}"]`, (path) => path.getAttribute('d'));
      for (const metric of ['Loss', 'Accuracy']) {
        const before = await pathOf('ablation');
        await (await named(page, metric, 'radio')).click();
        await page.waitForFunction(
          (was) =>
            document
              .querySelector('#prune .chart .line[data-series="ablation"]')
              .getAttribute('d') !== was,
          {},
          before,
        );
      }
      const heights = (d) => d.match(/,([\d.]+)/g).map((y) => Number(y.slice(1)));
      const [ablation, confidence] = [await pathOf('ablation'), await pathOf('confidence')].map(
        heights,
      );
      assert.equal(ablation.length, 11);
      // Down the page is less: with four heads left, ablation's order has lost nothing.
      assert.ok(ablation[8] - ablation[0] < 10, ablation);
      assert.ok(confidence[8] - confidence[0] > 100, confidence);
    },
  );

  await t.test('the last head of a layer stays', async () => {
    for (const head of ['1.1', '1.2', '1.3', '1.4', '1.5']) await prune(page, head);
    await waitForStatus(page, /^Seven heads left/);
    assert.equal(
      await page.$eval('.tile[data-head="1.6"]', (tile) => tile.dataset.standing),
      'last',
    );
    await prune(page, '1.6');
    await (await named(page, 'Gate of head 6 of layer 1', 'slider')).focus();
    await page.keyboard.press('Home');
    await waitForStatus(page, /^With these gates/);
    assert.equal((await prunedHeads(page)).length, 5);
  });
});

test('importance is the same for the same seed', async (t) => {
  const importance = async () => {
    const { page } = await planted(t, '?prune-seed=5');
    await press(page, 'Stop');
    return barsOf(page, 'ablation');
  };
  assert.deepEqual(await importance(), await importance());
});

test('planting can be stopped and begun again', async (t) => {
  const { page } = await openAct(t, '?prune-check=1');
  await press(page, 'Plant and train');
  await waitForText(page, '#prune .plant-status', /Seed 1, 1 of 5/);
  await press(page, 'Stop');
  await waitForText(page, '#prune .plant-status', /No model has been trained yet/);
  assert.equal(await page.$('#prune .bar'), null);
  await press(page, 'Plant and train');
  await waitForSession(page);
});

describe('the address', () => {
  test('keeps what is pruned', async (t) => {
    const { page } = await planted(t, '?prune-gone=1.1,2.2');
    await press(page, 'Stop');
    await waitForStatus(page, /^10 heads left/);
    await prune(page, '1.3');
    assert.equal(new URLSearchParams(await searchOf(page)).get('prune-gone'), '1.1,2.2,1.3');
    assert.deepEqual(await prunedHeads(page), ['1.1', '1.3', '2.2']);
  });

  test('is corrected where it asks for what cannot be', async (t) => {
    const { page } = await openAct(
      t,
      '?prune-gone=1.1,9.9,1.2,1.3,1.4,1.5,1.6,x&prune-seed=-4&prune-metric=beauty',
    );
    const notices = await textOf(page, '#prune .notices');
    for (const told of ['9.9', '“-4”', '“beauty”', '1.1, 1.2, 1.3, 1.4, and 1.5']) {
      assert.ok(notices.includes(told), notices);
    }
  });
});

test('when the worker is lost', async (t) => {
  // Other acts have workers, too.
  const { page } = await planted(t, '?hide=train,words,align', {
    causes: /the test ends this worker/,
  });
  await press(page, 'Stop');
  const endWorker = () =>
    page
      .workers()
      .find((each) => /model-worker/.test(each.url()))
      .evaluate(() => {
        setTimeout(() => {
          throw new Error('the test ends this worker');
        });
      });
  const beginAgain = async () => (await page.$('#prune .failure button')).click();

  await t.test('the page says so and plants anew', async () => {
    await endWorker();
    await prune(page, '1.1');
    await page.waitForSelector('#prune .failure');
    assert.match(await textOf(page, '#prune .failure'), /The worker stopped.*Restart/s);
    await beginAgain();
    await waitForStatus(page, /^11 heads left/);
    assert.equal(await page.$('#prune .failure'), null);
  });

  await t.test('while heads are pruned quickly, it is told as lost', async () => {
    await press(page, 'Stop');
    await page.$eval('#prune', (act) => {
      window.told = [];
      new MutationObserver(() => {
        const failure = act.querySelector('.failure');
        if (failure !== null) window.told.push(failure.textContent);
      }).observe(act, { childList: true, subtree: true });
    });
    await endWorker();
    await pressAtOnce(page, ['Prune head 3 of layer 1', 'Prune head 4 of layer 1']);
    await page.waitForSelector('#prune .failure');
    await beginAgain();
    await waitForStatus(page, /^Nine heads left/);
    assert.deepEqual(
      (await page.evaluate(() => window.told)).filter((words) => !/worker stopped/.test(words)),
      [],
    );
  });
});

test('a worker that takes long to come is told as slow, and used when it comes', async (t) => {
  const { page } = await openAct(t, '?prune-check=1&prune-gone=1.1&hide=train,words,align', {
    prepare: holdWorkers,
  });
  await press(page, 'Plant and train');
  await runOutOfPatience(page);
  await page.waitForSelector('#prune .slow');
  assert.match(await textOf(page, '#prune .slow'), /not answered yet.*when it comes.*Restart/s);
  assert.equal(await page.$('#prune .failure'), null);
  await page.evaluate(() => window.letWorkersCome());
  await waitForStatus(page, /^11 heads left/);
  assert.equal(await page.$('#prune .slow'), null);
  assert.equal(await page.evaluate(() => window.modelWorkers), 1);
});
