// What leaves an act: its address, back and forward, and the files it hands over; in Chromium, Firefox
// and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct as open } from '../lib/acts.mjs';
import { readSaved } from '../lib/downloads.mjs';
import { engineName } from '../lib/engines.mjs';
import { until } from '../lib/until.mjs';

test(`the address holds a view, and back and forward walk through views, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  const search = () => act.evaluate(() => window.location.search);
  const weights = async () => (await act.cellsOf('heads')).map(({ weight }) => weight);
  const views = [{ search: '', weights: await weights() }];
  const take = async (expected) => {
    assert.equal(await search(), expected);
    views.push({ search: expected, weights: await weights() });
  };
  await act.click('#heads .segment', 'Patterns');
  await take('?input=patterns');
  await act.click('#heads .segment', '4');
  await take('?input=patterns&heads=4');
  await act.drag('#heads .gates .slider', 'Gate of head 2', 1, 0);
  await take('?input=patterns&heads=4&gates=1,0,1,1&head=2');

  const go = async (steps, expected) => {
    await act.evaluate((by) => window.history.go(by), steps);
    await until(
      async () => (await search()) === expected.search,
      async () => `${await search()} instead of ${expected.search}`,
    );
    assert.deepEqual({ search: await search(), weights: await weights() }, expected);
  };
  // One drag is one step, whatever it passed.
  await go(-1, views[2]);
  assert.match(await act.textOf('#heads .gates-moved'), /^All gates are open/);
  await go(-1, views[1]);
  await go(-1, views[0]);
  assert.ok(await act.evaluate(() => document.querySelector('#heads [value="random"]').checked));
  await go(3, views[3]);
  assert.match(await act.textOf('#heads .gates-moved'), /^The output changes by/);

  const again = await open(t, `${views[3].search}#heads`);
  const cells = await again.cellsOf('heads');
  assert.deepEqual(
    cells.map(({ weight }) => weight),
    views[3].weights,
  );
});

test(`a slider may go farther than an address can follow, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  const told = await act.evaluate(() => {
    const slider = [...document.querySelectorAll('#heads .slider')].find(({ labels }) =>
      labels[0]?.textContent.startsWith('Scale'),
    );
    const output = slider.parentElement.querySelector('.slider-value');
    const wrong = [];
    for (let move = 1; move <= 250; move++) {
      slider.value = move === 250 ? 2.5 : (move % 5) + 3;
      slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
      if (output.textContent !== `× ${slider.value}`) wrong.push(move);
    }
    return { wrong, last: output.textContent };
  });
  assert.deepEqual(told, { wrong: [], last: '× 2.5' });
  const weights = (await act.cellsOf('heads')).map(({ weight }) => weight);
  await until(
    async () => (await act.evaluate(() => window.location.search)) === '?scale=2.5',
    async () => act.evaluate(() => window.location.search),
  );
  const again = await open(t, '?scale=2.5#heads');
  const cells = await again.cellsOf('heads');
  assert.deepEqual(
    cells.map(({ weight }) => weight),
    weights,
  );
});

test(`figures and numbers are saved as files, in ${engineName}`, async (t) => {
  const act = await open(t, '#heads');
  const readFile = (name) => readSaved(act.downloads, name);
  await act.click('#heads button', 'Save');
  await act.click('#heads button', 'Save the maps of all heads as SVG');
  const svg = String(await readFile('headwise-the-maps-of-all-heads.svg'));
  const cells = await act.cellsOf('heads');
  assert.ok(svg.split('<rect').length > cells.length);
  assert.doesNotMatch(svg, /class=|var\(/);

  await act.click('#heads button', 'Save');
  await act.click('#heads button', 'Save the maps of all heads as PNG');
  const png = await readFile('headwise-the-maps-of-all-heads.png');
  assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
  const [, , width, height] = /viewBox="([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)"/.exec(svg).slice(1);
  // Three pixels a unit; the size stands behind the signature, in the first chunk.
  assert.ok(Math.abs(png.readUInt32BE(16) - 3 * width) <= 3, `${png.readUInt32BE(16)}`);
  assert.ok(Math.abs(png.readUInt32BE(20) - 3 * height) <= 3, `${png.readUInt32BE(20)}`);

  await act.click('#heads button', 'Save');
  await act.click('#heads button', 'Save the numbers of the maps of all heads as JSON');
  const { weights } = JSON.parse(await readFile('headwise-the-maps-of-all-heads.json'));
  assert.deepEqual(
    weights.data,
    cells.map(({ weight }) => weight),
  );
});
