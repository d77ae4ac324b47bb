// What a reader brings along: typed text and dropped files, right and wrong, in Chromium, Firefox and
// WebKit; heads-inputs.test.mjs has more of it, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, saveNpy, Tensor } from 'headwise';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { until } from '../lib/until.mjs';

await init();

/** (samples, heads, queries, keys) of the maps. */
async function sizesOf(act) {
  const cells = await act.cellsOf('heads');
  return ['sample', 'head', 'query', 'key'].map(
    (axis) => new Set(cells.map((cell) => cell[axis])).size,
  );
}

test(`typed text becomes tokens, in ${engineName}`, async (t) => {
  const act = await open(t, '?input=text#heads');
  await act.evaluate(() => {
    const area = document.querySelector('#heads textarea');
    area.value = 'to be or not to be';
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  });
  await until(async () => (await sizesOf(act)).join() === '1,5,6,6', 'six tokens');
  const names = await act.evaluate(() =>
    [...document.querySelectorAll('#heads .close-up .map text')].map((word) => word.textContent),
  );
  for (const word of ['to', 'be', 'or', 'not']) assert.ok(names.includes(word), names.join());
});

test(`dropped files are taken or refused in words, in ${engineName}`, async (t) => {
  const act = await open(t, '?input=own#heads');
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
  const isTold = (name) => async () =>
    (await act.textOf('#heads .input-details')).includes(`${name} was not loaded`);

  const npy = saveNpy(Tensor.randn([3, 4], 1));
  await drop('cut.npy', npy.slice(0, 90));
  await until(isTold('cut.npy'), 'cut.npy is refused');
  await drop('garbage.safetensors', new Uint8Array(64).fill(255));
  await until(isTold('garbage.safetensors'), 'garbage.safetensors is refused');
  assert.deepEqual(await sizesOf(act), [1, 5, 4, 4]);

  await drop('mine.npy', npy);
  await until(async () => (await sizesOf(act)).join() === '1,5,3,3', 'mine.npy is taken');
  assert.match(await act.evaluate(() => window.location.search), /file=mine\.npy/);
});
