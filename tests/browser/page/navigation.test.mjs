// The links to the acts where there is little room.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOf, open } from '../lib/pages.mjs';

const views = [320, 360, 412].flatMap((width) =>
  ['', '?lang=zh', '?lang=ko', '?lang=id'].map((query) => [width, query]),
);

for (const [width, query] of views) {
  test(`${width} pixels hold the links to acts in one line, that to the index above, each large enough to read and to tap${query}`, async (t) => {
    const { page } = await open(t, query, { width });
    const links = await page.$$eval('.navigation a', (all) =>
      all.map((link) => {
        const { top, left, right, width: wide, height } = link.getBoundingClientRect();
        const size = parseFloat(getComputedStyle(link).fontSize);
        return { top, left, right, wide, height, size };
      }),
    );
    assert.equal(links.length, (await actsOf(page)).length);
    for (const [at, { top, left, right, wide, height, size }] of links.entries()) {
      if (at < links.length - 1) assert.equal(top, links[0].top);
      else assert.ok(top < links[0].top);
      assert.ok(left >= 0 && right <= width, `from ${left} to ${right}`);
      assert.ok(wide >= 24 && height >= 24, `${wide} × ${height}`);
      assert.ok(size >= 12, `letters of ${size} pixels`);
    }
    const bar = await page.$eval('.navigation', (nav) => nav.getBoundingClientRect().height);
    assert.ok(bar < 80, `${bar} high`);
  });
}
