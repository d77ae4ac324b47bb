// Each act as a person sees it, light and dark, wide and narrow, kept for people to look at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOf, artefact, overflowOf, usePages } from './lib/pages.mjs';

const { open } = usePages();

for (const scheme of ['light', 'dark']) {
  for (const width of [360, 768, 1280, 2560]) {
    test(`${width} pixels, ${scheme}`, async (t) => {
      const { page } = await open(t, '', { media: { scheme }, width });
      assert.ok((await overflowOf(page)) <= 0);
      const paper = await page.$eval('body', (body) => getComputedStyle(body).backgroundColor);
      assert.equal(paper, scheme === 'dark' ? 'rgb(21, 24, 29)' : 'rgb(255, 255, 255)');
      const keep = async (name, section) => {
        const { y, height } = await (await page.$(section)).boundingBox();
        assert.ok(height > 40, `${section} is ${height} high`);
        const path = artefact(`${name}-${width}-${scheme}.png`);
        await page.screenshot({
          path,
          clip: { x: 0, y, width, height },
          captureBeyondViewport: true,
        });
      };
      await keep('header', '.masthead');
      for (const act of await actsOf(page)) await keep(act, `#${act}`);
      await keep('footer', '.colophon');
    });
  }
}
