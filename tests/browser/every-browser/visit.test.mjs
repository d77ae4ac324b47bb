// What belongs to no single act: the address, saved and dropped files, links, the network; in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, saveNpy, Tensor } from 'headwise';
import { openAct } from '../lib/acts.mjs';
import { readSaved } from '../lib/downloads.mjs';
import { engineName } from '../lib/engines.mjs';
import { isReady } from '../lib/pages.mjs';
import { servePage } from '../lib/server.mjs';
import { until } from '../lib/until.mjs';

const weightsOf = async (act) => (await act.cellsOf('heads')).map(({ weight }) => weight);

test(`the address holds a view, and back and forward walk through views, in ${engineName}`, async (t) => {
  const act = await openAct(t, '#heads');
  const views = [];
  const keepView = async (search) => {
    await act.waitForSearch(search);
    views.push({ search, weights: await weightsOf(act) });
  };
  await keepView('');
  await act.click('#heads .segment', 'Patterns');
  await keepView('?input=patterns');
  await act.click('#heads .segment', '4');
  await keepView('?input=patterns&heads=4');
  await act.drag('#heads .gates .slider', 'Gate of head 2', 1, 0);
  await keepView('?input=patterns&heads=4&gates=1,0,1,1&head=2');

  const go = async (steps, { search, weights }) => {
    await act.evaluate((by) => window.history.go(by), steps);
    await act.waitForSearch(search);
    assert.deepEqual(await weightsOf(act), weights);
  };
  // One drag is one entry, whatever values it passed.
  await go(-1, views[2]);
  assert.match(await act.textOf('#heads .gates-moved'), /^All gates are open/);
  await go(-1, views[1]);
  await go(-1, views[0]);
  assert.ok(await act.evaluate(() => document.querySelector('#heads [value="random"]').checked));
  await go(3, views[3]);
  assert.match(await act.textOf('#heads .gates-moved'), /by [1-9]/);

  const again = await openAct(t, `${views[3].search}#heads`);
  assert.deepEqual(await weightsOf(again), views[3].weights);
});

test(`maps are saved as SVG, PNG and JSON, in ${engineName}`, async (t) => {
  const act = await openAct(t, '#heads');
  const save = async (label, format) => {
    await act.click('#heads button', 'Save');
    await act.click('#heads button', `Save ${label} as ${format}`);
    return readSaved(act.downloads, `headwise-the-maps-of-all-heads.${format.toLowerCase()}`);
  };
  const svg = String(await save('the maps of all heads', 'SVG'));
  const cells = await act.cellsOf('heads');
  assert.ok(svg.split('<rect').length > cells.length);
  assert.doesNotMatch(svg, /class=|var\(/);

  const png = await save('the maps of all heads', 'PNG');
  assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
  const [, , width, height] = /viewBox="([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)"/.exec(svg).slice(1);
  // Three pixels per unit; IHDR, the first chunk, has the size.
  assert.ok(Math.abs(png.readUInt32BE(16) - 3 * width) <= 3, `${png.readUInt32BE(16)}`);
  assert.ok(Math.abs(png.readUInt32BE(20) - 3 * height) <= 3, `${png.readUInt32BE(20)}`);

  const { weights, validLens } = JSON.parse(
    await save('the numbers of the maps of all heads', 'JSON'),
  );
  assert.deepEqual(weights.shape, [2, 5, 4, 6]);
  assert.deepEqual(
    weights.data,
    cells.map(({ weight }) => weight),
  );
  assert.deepEqual(validLens, [3, 2]);
});

test(`dropped files are loaded, or refused with a message, in ${engineName}`, async (t) => {
  const act = await openAct(t, '?input=own#heads');
  const sizes = async () => {
    const cells = await act.cellsOf('heads');
    const axes = ['sample', 'head', 'query', 'key'];
    return axes.map((axis) => new Set(cells.map((cell) => cell[axis])).size).join();
  };
  const drop = (name, bytes) =>
    act.evaluate(
      (called, numbers) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(numbers)], called));
        for (const kind of ['dragover', 'drop']) {
          const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector('#heads .stage').dispatchEvent(event);
        }
      },
      name,
      Array.from(bytes),
    );
  await init({ threads: 1 });
  const npy = saveNpy(Tensor.randn([3, 4], 1));
  for (const [name, bytes] of [
    ['cut.npy', npy.slice(0, 90)],
    ['garbage.safetensors', new Uint8Array(64).fill(255)],
  ]) {
    await drop(name, bytes);
    await act.waitForText('#heads .input-details', new RegExp(`${name} was not loaded`));
  }
  assert.equal(await sizes(), '1,5,4,4');
  await drop('mine.npy', npy);
  await until(async () => (await sizes()) === '1,5,3,3', 'mine.npy is loaded');
  assert.match(await act.search(), /file=mine\.npy/);
});

test(`after one visit the page works without a network, in ${engineName}`, async (t) => {
  const server = await servePage();
  // The browser asks whether there is a newer service worker, and nobody answers.
  const act = await openAct(t, '#toy', { causes: /service-worker\.js/, server });
  assert.equal(await act.evaluate(() => crossOriginIsolated), true);
  const wasm = await act.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.wasm')),
  );
  assert.equal(wasm.length, 1, wasm.join());
  assert.match(wasm[0], /simd-(?!threads)/);
  await act.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await server.close();
  await act.open('about:blank');
  await act.open(`${server.url}?toy-input=random#toy`);
  await act.waitFor(isReady);
  const weights = (await act.cellsOf('toy')).map(({ weight }) => weight);
  assert.equal(weights.length, 2 * 5 * 4 * 6);
  assert.ok(new Set(weights).size > 50);
});
