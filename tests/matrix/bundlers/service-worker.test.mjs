// A service worker that imports the package and computes: it has no workers of its own, and no later import.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { isolation } from '../../browser/lib/package-server.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';
import { sharedBrowser } from '../../browser/lib/shared.mjs';
import { trialsOf } from '../lib/trials.mjs';
import { installed, layOut } from './lib/applications.mjs';
import { opener } from './lib/pages.mjs';

const trial = trialsOf('bundlers', 'service worker');

for (const isIsolated of [false, true]) {
  trial('loads', `computes on one thread${isIsolated ? ', isolated, too' : ''}`, async (t) => {
    const folder = layOut(`service-worker-${isIsolated}`, ['service-worker']);
    cpSync(installed('node_modules/headwise/dist'), `${folder}/headwise`, { recursive: true });
    const server = await serveFolder(folder, { headers: isIsolated ? isolation : {} });
    t.after(() => server.close());
    const page = await opener(sharedBrowser, () => server.url)(t, { isIsolated });
    assert.deepEqual(await page.evaluate(() => window.headwise.compute()), {
      ...{ threads: 1, weight: Math.fround(1 / 3) },
    });
  });
}
