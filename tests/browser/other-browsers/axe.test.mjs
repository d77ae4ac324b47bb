// What axe-core finds in the acts, in Firefox and WebKit; page/axe.test.mjs and
// media/axe-in-use.test.mjs look at more of the page, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct as open } from '../lib/acts.mjs';
import { violations } from '../lib/axe.mjs';
import { engineName } from '../lib/engines.mjs';

test(`axe-core finds no violation in any act, in ${engineName}`, async (t) => {
  for (const act of ['toy', 'figure', 'heads', 'why', 'train', 'prune', 'words', 'align']) {
    const page = await open(t, `#${act}`);
    assert.deepEqual(await violations(page, { scope: `#${act}`, run: page.run }), [], act);
  }
});

test(`axe-core finds one that is there, in ${engineName}`, async (t) => {
  const page = await open(t, '#toy');
  await page.evaluate(() =>
    document.querySelector('#toy').append(document.createElement('button')),
  );
  assert.match((await violations(page, { scope: '#toy', run: page.run })).join(), /button-name: /);
});
