// What belongs to no single act: saved and dropped files, the network; in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, saveNpy, Tensor } from 'headwise';
import { openAct } from '../lib/acts.mjs';
import { readSaved } from '../lib/downloads.mjs';
import { engineName } from '../lib/engines.mjs';
import { loadedFiles } from '../lib/pages.mjs';
import { servePage } from '../lib/server.mjs';
import { until } from '../lib/until.mjs';

test(`maps are saved as SVG, PNG and JSON, in ${engineName}`, async (t) => {
  const act = await openAct(t, '#equal-keys');
  const save = async (label, format) => {
    await act.click('#equal-keys button', 'Save');
    await act.click('#equal-keys button', `Save ${label} as ${format}`);
    return readSaved(act.downloads, `headwise-the-maps-of-all-heads.${format.toLowerCase()}`);
  };
  const svg = String(await save('the maps of all heads', 'SVG'));
  const drawn = await act.weights();
  assert.ok(svg.split('<rect').length > drawn.length);
  assert.doesNotMatch(svg, /class=|var\(/);

  const png = await save('the maps of all heads', 'PNG');
  assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
  const [, , width, height] = /viewBox="([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)"/.exec(svg).slice(1);
  // Three pixels per unit; IHDR, the first chunk, has the size.
  assert.ok(Math.abs(png.readUInt32BE(16) - 3 * width) <= 3, `${png.readUInt32BE(16)}`);
  assert.ok(Math.abs(png.readUInt32BE(20) - 3 * height) <= 3, `${png.readUInt32BE(20)}`);

  const { weights, validLens } = JSON.parse(await save('the maps of all heads', 'JSON'));
  assert.deepEqual(weights.shape, [1, 5, 4, 6]);
  assert.deepEqual(weights.data, drawn);
  assert.deepEqual(validLens, [3]);
});

test(`dropped files are loaded, or refused with a message, in ${engineName}`, async (t) => {
  const act = await openAct(t, '?input=own#equal-keys');
  const size = async () => (await act.weights()).length;
  const drop = (name, bytes) =>
    act.evaluate(
      (called, numbers) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(numbers)], called));
        for (const kind of ['dragover', 'drop']) {
          const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector('#equal-keys .keys').dispatchEvent(event);
        }
      },
      name,
      Array.from(bytes),
    );
  await init({ threads: 1 });
  const npy = saveNpy(Tensor.randn([3, 4], 1));
  for (const [name, bytes] of [
    ['<b>cut.npy', npy.slice(0, 90)],
    ['garbage.safetensors', new Uint8Array(64).fill(255)],
  ]) {
    await drop(name, bytes);
    await act.waitForText(
      '#equal-keys .control-hint[data-wrong]',
      new RegExp(`${name} was not loaded`),
    );
  }
  assert.equal(await size(), 5 * 4 * 4);
  await drop('mine.npy', npy);
  await until(async () => (await size()) === 5 * 3 * 3, 'mine.npy is loaded');
  assert.match(await act.search(), /file=mine\.npy/);
});

test(`after one visit the page works without a network, in ${engineName}`, async (t) => {
  const server = await servePage();
  // The browser asks whether there is a newer service worker, and nobody answers.
  const act = await openAct(t, '#equal-keys', { causes: /service-worker\.js/, server });
  assert.equal(await act.evaluate(() => crossOriginIsolated), true);
  const wasm = await loadedFiles(act, /\.wasm$/);
  assert.equal(wasm.length, 1, wasm.join());
  assert.match(wasm[0], /simd-(?!threads)/);
  await act.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await server.close();
  await act.open('about:blank');
  await act.open(`${server.url}?input=random#equal-keys`);
  await act.waitFor('#equal-keys .key-cell');
  const weights = await act.weights();
  assert.equal(weights.length, 5 * 4 * 6);
  assert.ok(new Set(weights).size > 50);
});
