// The links to the acts where there is little room.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOf, open } from '../lib/pages.mjs';

for (const width of [320, 360, 412]) {
  test(`${width} pixels hold the links to acts in one line, that to the index above, each large enough to tap`, async (t) => {
    const { page } = await open(t, '', { width });
    const links = await page.$$eval('.navigation a', (all) =>
      all.map((link) => {
        const { top, left, right, width: wide, height } = link.getBoundingClientRect();
        return { top, left, right, wide, height };
      }),
    );
    assert.equal(links.length, (await actsOf(page)).length);
    for (const [at, { top, left, right, wide, height }] of links.entries()) {
      if (at < links.length - 1) assert.equal(top, links[0].top);
      else assert.ok(top < links[0].top);
      assert.ok(left >= 0 && right <= width, `from ${left} to ${right}`);
      assert.ok(wide >= 24 && height >= 24, `${wide} × ${height}`);
    }
    const bar = await page.$eval('.navigation', (nav) => nav.getBoundingClientRect().height);
    assert.ok(bar < 80, `${bar} high`);
  });
}
