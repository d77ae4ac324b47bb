// The page without its host after one visit, in Firefox and WebKit; page/offline.test.mjs has more of
// it, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { isReady } from '../lib/pages.mjs';
import { servePage } from '../lib/server.mjs';

test(`an act can be opened without a network, in ${engineName}`, async (t) => {
  // Whether there is a newer service worker nobody can say.
  const server = await servePage();
  const act = await open(t, '#toy', { causes: /service-worker\.js/, server });
  await act.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await server.close();
  await act.open('about:blank');
  await act.open(`${server.url}?toy-input=random#toy`);
  await act.waitFor(isReady);
  const weights = (await act.cellsOf('toy')).map(({ weight }) => weight);
  assert.equal(weights.length, 2 * 5 * 4 * 6);
  assert.ok(new Set(weights).size > 50);
});
