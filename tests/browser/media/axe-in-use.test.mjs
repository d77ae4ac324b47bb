// What axe-core finds in every act while it is used, light and dark.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { ofColours, violations } from '../lib/axe.mjs';
import { cellAt, control, press, save, slide, textOf, write } from '../lib/heads-act.mjs';
import { artefact, open, prefer } from '../lib/pages.mjs';

const isShown = (page, selector) => page.waitForSelector(selector, { visible: true });
const button = async (page, act, name) => (await control(page, name, 'button', act)).click();

/** Chooses what the page cannot read. */
async function chooseWrongFile(page) {
  const path = artefact('wrong.npy');
  writeFileSync(path, 'these are no numbers');
  await (await page.$('#heads .file-input')).uploadFile(path);
  await page.waitForFunction(() =>
    /wrong\.npy was not loaded/.test(document.querySelector('#heads').textContent),
  );
}

async function run(page) {
  await isShown(page, '#train .head-card');
  await button(page, '#train', 'Start');
  await page.waitForFunction(
    () => Number(/\d+/.exec(document.querySelector('#train .run-status').textContent)) > 20,
  );
  await page.click('#train .head-card');
  await (await isShown(page, '#train .enlarged .cell')).hover();
}

async function plant(page) {
  await button(page, '#prune', 'Plant and train');
  await isShown(page, '#prune .guess-tile:not([aria-disabled])');
}

/** How each act is used: its address, and what is done there. */
const uses = {
  'toy with other input, a cell chosen': [
    '#toy',
    async (page) => {
      await button(page, '#toy', 'Training');
      await isShown(page, '#toy .experiments-verdict:not(:empty)');
      await (await control(page, 'Random', 'radio', '#toy')).click();
      await page.click('#toy .samples .cell');
      await isShown(page, '#toy .goal[data-reached]');
    },
  ],
  'heads with a cell chosen, two heads compared and a gate shut': [
    '?compare=2&dropout=0.5#heads',
    async (page) => {
      await slide(page, 'Gate of head 1', 'Home');
      await (await cellAt(page, 0, 3, 2, 0)).click();
      await isShown(page, '#heads .arithmetic table');
      await isShown(page, '#heads .compare .cell');
    },
  ],
  'heads with ones and a sample without keys': ['?input=ones&valid=0,6#heads'],
  'heads with patterns, causal, contrast per head': [
    '?input=patterns&causal=1&contrast=1#heads',
    async (page) => {
      await press(page, 'Head 4: select', 'button');
      await save(page, 'Save the layer as SVG');
      await isShown(page, '#heads .export-status:not(:empty)');
      await press(page, 'Save', 'button');
    },
  ],
  'heads with text, and then none': [
    '?input=text#heads',
    async (page) => {
      await write(page, 'Text, one sample per line', '');
      await isShown(page, '#heads [aria-invalid]');
    },
  ],
  'heads with numbers of one’s own, a wrong one and a wrong file': [
    '?input=own&file=mine.npy#heads',
    async (page) => {
      assert.match(await textOf(page, '#heads .notices'), /mine\.npy/);
      await write(page, 'Numbers, one token per row', '1, x');
      await isShown(page, '#heads [aria-invalid]');
      await chooseWrongFile(page);
    },
  ],
  'heads with its link shown': [
    '?seed=0#heads',
    async (page) => {
      await press(page, 'Copy link', 'button');
      await isShown(page, '#heads .export-status:not(:empty)');
    },
  ],
  'train while a run goes on, a head enlarged': ['#train', run],
  'train paused, a head enlarged': [
    '?train-speed=full#train',
    async (page) => {
      await run(page);
      await isShown(page, '#train .log [data-kind="goal"]');
      await button(page, '#train', 'Pause');
      await control(page, 'Resume', 'button', '#train');
    },
  ],
  'prune while heads are planted': [
    '#prune',
    async (page) => {
      await button(page, '#prune', 'Plant and train');
      await control(page, 'Stop', 'button', '#prune');
    },
  ],
  'prune while heads are marked': [
    '#prune',
    async (page) => {
      await plant(page);
      await button(page, '#prune', '1.2 mark');
    },
  ],
  'prune with a guess checked, two heads pruned and a gate half shut': [
    '?prune-marks=1.1,1.2,2.2,2.3&prune-check=1#prune',
    async (page) => {
      await button(page, '#prune', 'Plant and train');
      await isShown(page, '#prune .session');
      await isShown(page, '#prune .guess-loud');
      for (const name of ['Prune head 1 of layer 1', 'Prune head 4 of layer 2']) {
        await button(page, '#prune', name);
      }
      const gate = await control(page, 'Gate of head 3 of layer 1', 'slider', '#prune');
      await gate.focus();
      for (let presses = 0; presses < 5; presses++) await page.keyboard.press('PageDown');
      await page.waitForFunction(() =>
        /^With these gates/.test(document.querySelector('#prune .session-status').textContent),
      );
    },
  ],
};

for (const [name, [address, use]] of Object.entries(uses)) {
  test(`axe-core finds no violation in ${name}`, async (t) => {
    const { page } = await open(t, address);
    const scope = address.slice(address.indexOf('#'));
    await page.waitForSelector(`${scope} .live:not([data-awaited])`);
    await use?.(page);
    assert.deepEqual(await violations(page, { scope }), [], 'light');
    await prefer(page, { scheme: 'dark' });
    assert.deepEqual(await violations(page, { scope, rules: ofColours }), [], 'dark');
  });
}
