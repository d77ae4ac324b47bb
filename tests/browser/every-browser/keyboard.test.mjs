// One visit by keyboard alone, through every act: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { until } from '../lib/until.mjs';

const press = async (visit, ...keys) => {
  for (const key of keys) await visit.press(key);
};

/** The main gestures of each act. */
const walks = {
  async look(visit) {
    await visit.seeHeads();
    await visit.tabTo('#look .board .gate', 'Gate of layer 1, head 1');
    await press(visit, 'ArrowDown', 'ArrowRight');
    assert.ok(await visit.isFocused('#look .board .gate', 'Gate of layer 2, head 2'));
    await press(visit, ' ');
    await visit.waitFor('#look .look-status[data-shut="1"]');
  },
  async inside(visit) {
    await visit.tabTo('#inside .inside-go button', 'Next');
    await press(visit, 'Enter', 'Enter');
    await visit.waitFor('#inside .inside-steps [value="3"]:checked');
    await visit.tabTo('#inside .inside-steps input:checked');
    await press(visit, 'ArrowDown');
    await visit.waitForText('#inside h3', /^Step 4 of 9/);
    await visit.tabTo('#inside .inside-key[tabindex="0"]');
    await press(visit, 'ArrowDown', 'Enter');
    await visit.tabTo('#inside .inside-divisor .slider');
    await press(visit, 'End');
    // Of the model, which the act before has loaded. The slider has the logarithm.
    const most = await visit.evaluate(
      () => 2 ** document.querySelector('#inside .inside-divisor .slider').max,
    );
    await visit.waitForText('#inside .inside-divisor-value', new RegExp(`^${most}$`));
  },
  async 'equal-keys'(visit) {
    await visit.tabTo('#equal-keys [data-option="parameters"]');
    await press(visit, 'Enter');
    await visit.waitFor('#equal-keys [data-option="parameters"][aria-pressed="true"]');
    await visit.tabTo('#equal-keys .segment input', 'Ones');
    await press(visit, 'ArrowRight');
    await visit.waitFor('#equal-keys .predict[data-reached]');
    const weights = await visit.weights();
    await visit.tabTo('#equal-keys .key-tile:nth-child(4)');
    await press(visit, 'Enter');
    await visit.waitForText('#equal-keys .close-up .head-title', /^Head 4/);
    const ofHead = weights.slice(3 * 24, 4 * 24);
    await visit.tabTo(
      '#equal-keys .close-up .cell',
      `Head 4, query 1, key 1: weight ${ofHead[0].toFixed(4)}`,
    );
    await press(visit, 'ArrowDown', 'ArrowDown', 'ArrowRight');
    await visit.waitForText('#equal-keys .arithmetic caption', /^Head 4: query q3, key k2$/);
    const told = await visit.textOf('#equal-keys .arithmetic tbody tr:nth-child(5) .result');
    assert.equal(told, ofHead[2 * 6 + 1].toFixed(4));
    await visit.tabTo('#equal-keys .slider', 'Valid length', { back: true });
    await press(visit, 'Home', 'ArrowRight');
    assert.deepEqual([...new Set(await visit.weights())], [1, 0]);
  },
  async train(visit) {
    const play = '#train .playback .primary';
    await visit.waitForText('#train .run-status', /^Step 0:/);
    await visit.tabTo('#train [value="60"]:checked');
    await press(visit, 'ArrowRight');
    assert.ok(await visit.isFocused('#train [value="full"]'));
    await visit.tabTo('#train button', 'Start', { back: true });
    await press(visit, ' ');
    await visit.waitFor('#train .log [data-kind="goal"]');
    await press(visit, 'Enter');
    await visit.waitForText(play, /^Resume$/);
    assert.ok(await visit.isFocused(play));

    await visit.tabTo('#train .step-handle');
    await press(visit, 'Home');
    await visit.waitForText('#train .run-status', /^Step 0 of \d+:/);
    await press(visit, 'ArrowRight');
    await visit.waitForText('#train .run-status', /^Step 4 of \d+:/);
    await press(visit, 'End');
    await visit.waitForText('#train .run-status', /^Step \d+: /);

    await visit.tabTo('#train .head-card');
    await press(visit, 'Enter');
    await visit.waitForText('#train .enlarged .head-title', /^Layer 1, head 1$/);
    await visit.tabTo('#train .enlarged .cell');
    await visit.waitForText('#train .enlarged .read-out', /^Query 1 .* key 1 .*1\.0000\.$/);
    await press(visit, 'ArrowRight');
    await visit.waitForText('#train .enlarged .read-out', /key 2 .* comes later\.$/);
    await press(visit, 'ArrowDown');
    await visit.waitForText('#train .enlarged .read-out', /^Query 2 .* key 2 /);
  },
  async translate(visit) {
    await visit.waitForText('#translate .run-status', /^Step 0 /);
    const term = '#translate .act-lead .term';
    const isOpen = (expected) =>
      until(
        async () => (await visit.count('.definition:popover-open')) > 0 === expected,
        `a definition is ${expected ? 'closed' : 'open'}`,
      );
    await visit.tabTo(term);
    for (const closing of ['Enter', 'Escape']) {
      await press(visit, 'Enter');
      await isOpen(true);
      await press(visit, closing);
      await isOpen(false);
    }
    assert.ok(await visit.isFocused(term));

    await visit.tabTo('#translate .align-query');
    await press(visit, 'ArrowRight');
    await visit.waitForText('#translate .align-read-out', /^Output 2,/);
    await press(visit, 'Enter');
    await until(
      async () => /translate-query=2/.test(await visit.search()),
      'the address has the chosen query',
    );
  },
  async prune(visit) {
    for (const head of ['1.1', '1.3', '2.2', '2.3']) {
      await visit.tabTo(`#prune .guess-tile[data-head="${head}"]`);
      await press(visit, ' ');
    }
    await visit.tabTo('#prune .guess-panel button', 'Check', { back: true });
    await press(visit, 'Enter');
    await visit.waitForText('#prune .guess-status', /2 of 4/);

    const status = '#prune .cut-status';
    await visit.waitForText(status, /^All \d+ heads/);
    await visit.tabTo('#prune .slider', 'Heads to prune');
    await press(visit, 'ArrowRight');
    await visit.waitForText(status, /^\d+ of \d+ heads pruned/);
    await press(visit, 'Home');
    await visit.waitForText(status, /^All \d+ heads/);
  },
};

test(`every act by keyboard alone, in ${engineName}`, async (t) => {
  const visit = await openAct(t, '');
  await t.test('first screen', async () => {
    const state = () =>
      visit.evaluate(() => {
        const { query, head, shadowRoot } = document.querySelector('attention-heads');
        return `${query}, ${head}, ${shadowRoot.activeElement?.className ?? ''}`;
      });
    for (let presses = 0; presses < 20 && !(await state()).endsWith('chip'); presses++) {
      await press(visit, 'Tab');
    }
    await press(visit, ' ');
    await until(async () => (await state()) === '7, 0, chip', state);
    // Past the other three chips.
    await press(visit, 'Tab', 'Tab', 'Tab', 'Tab', 'ArrowLeft');
    await until(async () => (await state()).startsWith('6, 0, '), state);
  });
  for (const [act, walk] of Object.entries(walks)) {
    await t.test(act, async () => {
      await visit.goTo(act);
      await walk(visit);
    });
  }
  await t.test('axe-core finds nothing in the acts in use', async () => {
    assert.deepEqual(await visit.violations(), []);
  });
});
