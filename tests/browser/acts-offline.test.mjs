// The page without its host after one visit, in Chromium, Firefox and WebKit; offline.test.mjs has
// more of it, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useActs } from './lib/acts.mjs';
import { engineName } from './lib/engines.mjs';
import { isReady } from './lib/pages.mjs';

const open = useActs();

test(`an act can be opened without a network, in ${engineName}`, async (t) => {
  // Whether there is a newer service worker nobody can say.
  const act = await open(t, '#toy', { causes: /service-worker\.js/ });
  await act.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  const url = await act.endServer();
  await act.open('about:blank');
  await act.open(`${url}?toy-input=random#toy`);
  await act.waitFor(isReady);
  const weights = (await act.cellsOf('toy')).map(({ weight }) => weight);
  assert.equal(weights.length, 2 * 5 * 4 * 6);
  assert.ok(new Set(weights).size > 50);
});
