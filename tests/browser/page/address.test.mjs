// The address where a browser will not have it changed so often, and where it cannot be read.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { control, press, textOf } from '../lib/heads-act.mjs';
import { isReady, open, searchOf, waitForSearch } from '../lib/pages.mjs';
import { readCells } from '../lib/page-reader.mjs';

/** Lets `allowed` changes of the address pass, and refuses others until `window.allowed` grows. */
const refuseAfter = (allowed) => (page) =>
  page.evaluateOnNewDocument((first) => {
    window.allowed = first;
    window.refused = 0;
    for (const name of ['pushState', 'replaceState']) {
      const real = window.history[name].bind(window.history);
      window.history[name] = (...args) => {
        if (window.allowed === 0) {
          window.refused += 1;
          throw new DOMException(`too many calls of ${name}`, 'SecurityError');
        }
        window.allowed -= 1;
        real(...args);
      };
    }
  }, allowed);

/** A slider on its way through many values, as fast as the page takes them. */
const drag = async (page, name, values) =>
  (await control(page, name, 'slider')).evaluate((slider, all) => {
    for (const value of all) {
      slider.value = value;
      slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  }, values);

const weightsOf = async (page) => (await readCells(page, 'heads')).map(({ weight }) => weight);

const weightsAt = async (t, address) => weightsOf((await open(t, address)).page);

describe('a browser that refuses to change the address', () => {
  test('keeps no view from following, and has the address once it allows it again', async (t) => {
    const { page } = await open(t, '#heads', { prepare: refuseAfter(2) });
    const way = [0.25, 0.5, 0.75, 1.25, 1.5, 1.75, 2, 2.25, 2.5];
    for (const [at, scale] of way.entries()) {
      await drag(page, 'Scale factor (× 1/√d)', [scale]);
      assert.equal(
        await page.$eval(
          '#heads .control:has(.slider) .slider-value',
          (value) => value.textContent,
        ),
        `× ${scale}`,
        `value ${at + 1}`,
      );
    }
    const last = '?scale=2.5';
    assert.deepEqual(await weightsOf(page), await weightsAt(t, `${last}#heads`));
    await page.waitForFunction(() => window.refused > 1);
    assert.notEqual(await searchOf(page), last);
    await page.evaluate(() => (window.allowed = Infinity));
    await waitForSearch(page, last);
  });

  test('takes steps back all the same', async (t) => {
    const { page } = await open(t, '#heads', { prepare: refuseAfter(1) });
    const before = await weightsOf(page);
    await press(page, 'Causal', 'switch');
    await press(page, 'Contrast per head', 'switch');
    await page.evaluate(() => (window.allowed = Infinity));
    await waitForSearch(page, '?causal=1&contrast=1');
    await page.goBack();
    await waitForSearch(page, '?causal=1');
    await page.goBack();
    await waitForSearch(page, '');
    assert.deepEqual(await weightsOf(page), before);
  });

  test('copies the link to what is seen, and keeps it on the way to another act', async (t) => {
    const { page, url } = await open(t, '#heads', { prepare: refuseAfter(0) });
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (copied) => {
        window.copied = copied;
      };
    });
    await press(page, 'Causal', 'switch');
    await press(page, 'Copy link', 'button');
    await page.waitForFunction(() => window.copied !== undefined);
    assert.equal(await page.evaluate(() => window.copied), `${url}?causal=1#heads`);
    const causal = await weightsOf(page);

    await (await page.$('nav a[href="#train"]')).click();
    await page.waitForFunction(() => window.location.hash === '#train');
    assert.deepEqual(await weightsOf(page), causal);
    await page.evaluate(() => (window.allowed = Infinity));
    await waitForSearch(page, '?causal=1');
    assert.equal(await page.evaluate(() => window.location.hash), '#train');
  });

  test('is not asked to as often as WebKit refuses, however far a slider goes', async (t) => {
    const prepare = (page) =>
      page.evaluateOnNewDocument(() => {
        window.refused = 0;
        const calls = [];
        for (const name of ['pushState', 'replaceState']) {
          const real = window.history[name].bind(window.history);
          window.history[name] = (...args) => {
            const now = performance.now();
            if (calls.filter((call) => call > now - 30_000).length >= 100) {
              window.refused += 1;
              throw new DOMException('more than 100 times per 30 seconds', 'SecurityError');
            }
            calls.push(now);
            real(...args);
          };
        }
      });
    const { page } = await open(t, '?toy-guess=skipped#toy', { prepare });
    const slider = await control(page, 'Training steps', 'slider', '#toy');
    await slider.evaluate((input) => {
      for (let step = 1; step <= 300; step++) {
        input.value = step % 3;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
      input.value = 5;
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    await waitForSearch(page, '?toy-guess=skipped&toy-steps=5');
    assert.equal(await page.evaluate(() => window.refused), 0);
  });
});

test('what fails to follow a control keeps nothing else from it', async (t) => {
  const { page, problems } = await open(t, '#heads', { causes: /the test breaks this button/ });
  await page.$eval('#heads .reset', (button) => {
    button.setAttribute = button.removeAttribute = () => {
      throw new Error('the test breaks this button');
    };
  });
  await press(page, 'Causal', 'switch');
  assert.deepEqual(await weightsOf(page), await weightsAt(t, '?causal=1#heads'));
  assert.equal(await searchOf(page), '?causal=1');
  assert.match(problems.join(), /the test breaks this button/);
});

describe('a fragment', () => {
  for (const fragment of ['#%', '#%E0%A4%A', '#heads%']) {
    test(`that is no name, ${fragment}, keeps nothing of the page away`, async (t) => {
      const prepare = (page) =>
        page.evaluateOnNewDocument(() => {
          navigator.serviceWorker.register = async () => {
            window.isKept = true;
          };
        });
      const { page } = await open(t, fragment, { prepare });
      await page.waitForFunction(() => window.isKept);
      await page.$eval('#heads', (act) => act.scrollIntoView());
      await page.waitForSelector('#heads .live:not([data-awaited])');
      await press(page, 'Causal', 'switch');
      assert.equal(
        await page.evaluate(() => window.location.search + window.location.hash),
        `?causal=1${fragment}`,
      );
    });
  }

  test('names an act by percent escapes, too', async (t) => {
    const { page } = await open(t, '#he%61ds');
    await page.waitForFunction(
      () => Math.abs(document.querySelector('#heads').getBoundingClientRect().top) < 200,
    );
  });

  test('says where the reader looks for what went wrong, too', async (t) => {
    const prepare = (page) =>
      page.evaluateOnNewDocument(() => {
        WebAssembly.compile = WebAssembly.instantiate = async () => {
          throw new WebAssembly.CompileError('the test has no WebAssembly');
        };
        WebAssembly.compileStreaming = WebAssembly.instantiateStreaming = WebAssembly.compile;
      });
    const { page } = await open(t, '#tr%61in', { prepare, causes: /./ });
    assert.match(await textOf(page, '#train .failure'), /cannot run here/);
  });
});

test('a query with escapes that are none is read as far as it goes', async (t) => {
  const { page } = await open(t, '?input=text&text=50%%20a%E0&hide=%&seed=%#heads', {
    until: isReady,
  });
  assert.match(await textOf(page, '#heads .notices'), /“%”/);
  await press(page, 'Causal', 'switch');
  assert.match(await searchOf(page), /causal=1/);
});
