// Pages that live long: one that comes back from the back-forward cache, one that is frozen meanwhile, and one with two
// copies of the package. Needs build/packed.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';
import { toolchain } from '../../../scripts/lib/toolchain.mjs';
import { launchBrowser, newPage } from '../../browser/lib/browser.mjs';
import { isolation } from '../../browser/lib/package-server.mjs';
import { watchForProblems } from '../../browser/lib/problems.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';
import { until } from '../../browser/lib/until.mjs';

const folder = fromRoot('build/matrix/lifetime');
const page = (title) => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>${title}</title><link rel="icon" href="data:," /></head>
  <body></body>
</html>
`;

let chromium;
before(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const copy of ['a', 'b']) {
    const dist = fromRoot(packedProject, 'node_modules/headwise/dist');
    cpSync(dist, `${folder}/${copy}`, { recursive: true });
  }
  writeFileSync(`${folder}/index.html`, page('headwise'));
  writeFileSync(`${folder}/other.html`, page('another page'));
  chromium = await launchBrowser('headlessChrome');
});
after(() => chromium?.close());

async function open(t, browser, headers) {
  const server = await serveFolder(folder, { headers });
  const opened = await newPage(browser);
  const problems = watchForProblems(opened);
  t.after(async () => {
    await opened.close();
    await server.close();
    // Firefox asks for an icon, whatever the page says, and stops asking when it leaves.
    assert.deepEqual(
      problems.filter((each) => !each.includes('/favicon.ico')),
      [],
    );
  });
  await opened.goto(server.url);
  return { page: opened, url: server.url };
}

/** Has the page make a layer and compute; what `compute` gives there is to stay as it is. */
const begin = (opened, threads) =>
  opened.evaluate(async (count) => {
    const { init, MultiHeadAttention, Tensor } = await import('/a/index.js');
    const said = await init({ threads: count });
    const layer = new MultiHeadAttention({ numHiddens: 128, numHeads: 4, seed: 1 });
    const X = Tensor.randn([2, 300, 128], 1);
    window.compute = () => [...layer.forward(X, X, X).output.data];
    window.addEventListener('pageshow', ({ persisted }) => (window.wasKept = persisted));
    return { threads: said.threads, numbers: window.compute() };
  }, threads);
const compute = (opened) => opened.evaluate(() => window.compute());

const { firefox } = toolchain();
for (const [name, headers, threads] of [
  ['on one thread', {}, 1],
  ['on two threads', isolation, 2],
]) {
  // Headless Chromium of Debian keeps no page.
  const skip = firefox === undefined && 'no Firefox';
  test(
    `Firefox: a page that was kept while another was open computes, ${name}`,
    { skip },
    async (t) => {
      const browser = await launchBrowser('firefox');
      t.after(() => browser.close());
      const { page: opened, url } = await open(t, browser, headers);
      const first = await begin(opened, threads);
      assert.equal(first.threads, threads);
      await opened.goto(`${url}other.html`);
      // A page that was kept does not load, which is what `goBack` would wait for.
      const leaving = opened.evaluate(() => history.back()).catch(() => undefined);
      const back = await until(
        () =>
          opened
            .evaluate(
              () =>
                document.title === 'headwise' &&
                ('wasKept' in window || !('compute' in window)) && {
                  wasKept: window.wasKept ?? false,
                },
            )
            .catch(() => undefined),
        'the page did not come back',
      );
      await leaving;
      assert.deepEqual(back, { wasKept: true }, 'it was loaded again');
      assert.deepEqual(await compute(opened), first.numbers);
    },
  );

  test(`Chromium: a page that was frozen computes, ${name}`, async (t) => {
    const { page: opened } = await open(t, chromium, headers);
    const first = await begin(opened, threads);
    assert.equal(first.threads, threads);
    await opened.evaluate(() => {
      for (const type of ['freeze', 'resume']) {
        document.addEventListener(type, () => (window.last = type));
      }
    });
    const session = await opened.createCDPSession();
    await session.send('Page.setWebLifecycleState', { state: 'frozen' });
    await session.send('Page.setWebLifecycleState', { state: 'active' });
    await opened.waitForFunction(() => window.last === 'resume');
    assert.deepEqual(await compute(opened), first.numbers);
  });
}

test('two copies of the package in one page take each other for what they give', async (t) => {
  const { page: opened } = await open(t, chromium, isolation);
  const found = await opened.evaluate(async () => {
    const copies = await Promise.all([import('/a/index.js'), import('/b/index.js')]);
    const said = await Promise.all(copies.map(({ init }) => init({ threads: 2 })));
    const [first, second] = copies.map(
      ({ MultiHeadAttention }) => new MultiHeadAttention({ numHiddens: 128, numHeads: 4, seed: 1 }),
    );
    const X = copies[0].Tensor.randn([1, 300, 128], 1);
    const resident = new copies[1].ResidentTensor([1, 300, 128]);
    resident.data.set(X.data);
    const [own, others] = [first.forward(resident, X, resident), second.forward(X, X, X)];
    return {
      threads: said.map(({ threads }) => threads),
      same: own.output.data.every((number, i) => Object.is(number, others.output.data[i])),
      count: own.output.data.length,
    };
  });
  assert.deepEqual(found, { threads: [2, 2], same: true, count: 300 * 128 });
});
