// What axe-core finds in every act, light and dark.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { actsOf, usePages } from './lib/pages.mjs';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const { open } = usePages();

/** Each violation as a line: the rule, and where. Those of `scope`, or of the page. */
async function violations(page, scope) {
  const { violations: found } = await page.evaluate(
    (context) => globalThis.axe.run(context ?? document, { resultTypes: ['violations'] }),
    scope,
  );
  return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes[0].target})`);
}

for (const scheme of ['light', 'dark']) {
  describe(`axe-core, ${scheme},`, () => {
    test('finds no violation in the page or any act', async (t) => {
      const { page } = await open(t, '', { media: { scheme } });
      await page.evaluate(axe);
      assert.deepEqual(await violations(page), []);
      for (const act of await actsOf(page)) {
        await t.test(act, async () => assert.deepEqual(await violations(page, `#${act}`), []));
      }
    });

    test('finds none where the layer cannot run', async (t) => {
      const prepare = (page) =>
        page.evaluateOnNewDocument(() => {
          WebAssembly.validate = () => false;
        });
      const { page } = await open(t, '', { media: { scheme }, prepare, until: '.failure' });
      await page.evaluate(axe);
      assert.deepEqual(await violations(page), []);
    });

    test('finds none on a phone', async (t) => {
      const { page } = await open(t, '', { media: { scheme }, width: 360 });
      await page.evaluate(axe);
      assert.deepEqual(await violations(page), []);
    });
  });
}

test('axe-core finds a violation that is there', async (t) => {
  const { page } = await open(t);
  await page.evaluate(axe);
  await page.evaluate(() =>
    document.querySelector('main').append(document.createElement('button')),
  );
  assert.match((await violations(page)).join(), /button-name: /);
});
