// What axe-core finds in every act, light and dark.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { violations } from '../lib/axe.mjs';
import { loadAllActs, open } from '../lib/pages.mjs';

for (const scheme of ['light', 'dark']) {
  describe(`axe-core, ${scheme},`, () => {
    test('finds no violation in the page', async (t) => {
      const { page } = await open(t, '', { media: { scheme } });
      await loadAllActs(page);
      assert.deepEqual(await violations(page), []);
    });

    test('finds none where the layer cannot run', async (t) => {
      const prepare = (page) =>
        page.evaluateOnNewDocument(() => {
          WebAssembly.validate = () => false;
        });
      const { page } = await open(t, '', { media: { scheme }, prepare, until: '.failure' });
      assert.deepEqual(await violations(page), []);
    });

    test('finds none on a phone', async (t) => {
      const { page } = await open(t, '', { media: { scheme }, width: 360 });
      await loadAllActs(page);
      assert.deepEqual(await violations(page), []);
    });
  });
}

test('axe-core finds a violation that is there', async (t) => {
  const { page } = await open(t);
  await page.evaluate(() =>
    document.querySelector('main').append(document.createElement('button')),
  );
  assert.match((await violations(page)).join(), /button-name: /);
});
