// The page's language, its glossary, its voice for screen readers, and what the address hides.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { violations } from '../lib/axe.mjs';
import { openFlows } from '../lib/flows.mjs';
import { actsOf, isReady, loadAllActs, loadedFiles, open, readSentence } from '../lib/pages.mjs';
import { searchOf, waitForCount, waitForText } from '../lib/pages.mjs';
import { press } from '../lib/press.mjs';

const isDrawn = { until: '#equal-keys .key-map' };
const textOf = (page, selector) => page.$eval(selector, (found) => found.textContent);

/** Aborts requests whose address matches. */
const without = (pattern) => async (page) => {
  await page.setRequestInterception(true);
  page.on('request', (request) =>
    pattern.test(request.url()) ? request.abort() : request.continue(),
  );
};

describe('language', () => {
  const current = (page) =>
    page.$eval('.languages [aria-current]', ({ textContent }) => textContent);

  test('the switch keeps what the page shows', async (t) => {
    const { page } = await open(t, '?hide=export&input=random#equal-keys');
    assert.equal(await current(page), 'English');
    await page.focus('.languages a[lang="zh"]');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.waitForSelector(isReady);
    assert.equal(await current(page), '中文');
    const { search, hash } = new URL(page.url());
    assert.deepEqual(Object.fromEntries(new URLSearchParams(search)), {
      ...{ hide: 'export', lang: 'zh', input: 'random' },
    });
    assert.equal(hash, '#equal-keys');
    await page.focus('.languages a[lang="en"]');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.waitForSelector(isReady);
    assert.equal(await current(page), 'English');
    assert.equal(new URL(page.url()).searchParams.has('lang'), false);
  });

  for (const [name, query, notice, options] of [
    ['an unknown one', '?lang=tlh', /“tlh”.*en, zh, ko, or id/],
    [
      'one that does not load',
      '?lang=zh',
      /中文/,
      { causes: /ERR_FAILED|net::/, prepare: without(/\/assets\/words\.zh-[\w-]*\.js$/) },
    ],
  ]) {
    test(`${name} is reported, and the page is in English`, async (t) => {
      const { page } = await open(t, query, options);
      assert.match(await textOf(page, '.languages .notices'), notice);
      assert.equal(await current(page), 'English');
    });
  }

  test('the worker speaks the language of the page', async (t) => {
    const { page } = await open(t, '?lang=ko#look');
    await readSentence(page);
    await waitForText(page, '#look .look-status[data-state="ready"]', /^작은 언어 모델: 층/);
    await press(page, '#look .rail-more > summary');
    const input = await page.waitForSelector('#look .model-opener input[multiple]');
    await input.uploadFile(fromRoot('examples/language-model/model/config.json'));
    await waitForText(page, '#look .model-status .failure', /tokenizer\.json.*model\.safetensors/);
    assert.match(await textOf(page, '#look .model-status .failure'), /없는 파일/);
  });
});

describe('glossary', () => {
  const term = '#translate .act-lead .term';
  const definition = '.definition:popover-open';

  test('a definition loads when it is opened, moves nothing, and closes', async (t) => {
    const { page } = await open(t, '#translate');
    assert.deepEqual(await loadedFiles(page, /glossary-/), []);
    // From the title: content above it may still load.
    const places = () =>
      page.evaluate(() => {
        const [top, ...tops] = ['h2', '.act-lead', '.notices', '.live'].map(
          (each) => document.querySelector(`#translate ${each}`).getBoundingClientRect().top,
        );
        return tops.map((place) => place - top);
      });
    const before = await places();
    await press(page, term);
    await page.waitForSelector(definition, { visible: true });
    assert.equal((await loadedFiles(page, /glossary-/)).length, 1);
    assert.deepEqual(await places(), before);
    assert.match(await textOf(page, definition), /^An encoder /);

    await page.mouse.click(5, 400);
    await waitForCount(page, definition, 0);
    await press(page, term);
    await page.waitForSelector(definition, { visible: true });
    const described = await page.$eval(term, (each) => {
      const id = each.getAttribute('aria-describedby');
      return [each.ariaExpanded, document.getElementById(id)?.className];
    });
    assert.deepEqual(described, ['true', 'definition']);

    // Another one opens in its place.
    await press(page, '#translate .prose .term');
    await waitForText(page, definition, /^The attention weight /);
    const expandedTerms = await page.$$eval('.term[aria-expanded="true"]', (all) =>
      all.map(({ dataset }) => dataset.term),
    );
    assert.deepEqual(expandedTerms, ['attention weight']);
  });

  test('a definition that does not load says so', async (t) => {
    const causes = /glossary|ERR_FAILED|dynamically imported module/;
    const { page } = await open(t, '#translate', {
      prepare: without(/\/glossary-[^/]+\.js$/),
      causes,
    });
    await press(page, term);
    await page.waitForSelector('#translate .definition[role="alert"]');
  });
});

describe('screen readers', () => {
  const region = '.live-region';
  /** Keeps what the region says from now on, and returns a function that waits for a sentence. */
  async function listen(page) {
    await page.evaluate((where) => {
      window.said = [];
      const spoken = document.querySelector(where);
      new MutationObserver(() => window.said.push(spoken.textContent)).observe(spoken, {
        ...{ childList: true, subtree: true },
      });
    }, region);
    return async (pattern) => {
      await page.waitForFunction(
        (source) => new RegExp(source, 'u').test(window.said.at(-1)),
        {},
        pattern.source,
      );
      return page.evaluate(() => window.said.splice(0));
    };
  }

  test('are told results: saved files, invalid input once, a reached goal, a correction of the address', async (t) => {
    const act = await openFlows(t, 'equal-keys', '?heads=7', isDrawn);
    const { page } = act;
    assert.match(await textOf(page, region), /7/);
    assert.equal(await textOf(page, region), await textOf(page, '#equal-keys .notices'));
    const says = await listen(page);
    await act.save('Save the enlarged map as JSON', 'headwise-the-enlarged-map.json');
    await says(/headwise-the-enlarged-map\.json\.$/);
    await page.focus('#equal-keys .seed-input');
    await page.keyboard.press('Home');
    await page.keyboard.type('-');
    await page.keyboard.type('-');
    assert.equal((await says(/integer/)).length, 1);
    await act.press('Random', 'radio');
    await page.waitForSelector('#equal-keys .goal[data-reached]');
    assert.equal((await says(/./)).at(-1), await act.text('.predict-told'));
  });

  test('hear nothing of a moving pointer, a slider or a run', async (t) => {
    const act = await openFlows(t, 'equal-keys', '', isDrawn);
    const { page } = act;
    await page.$eval('#train', (run) => run.scrollIntoView());
    await page.waitForSelector('#train .head-card');
    const says = await listen(page);
    const play = '#train .playback .primary';
    await press(page, play);
    await page.waitForFunction(() => {
      const step = /^Step (\d+)/.exec(document.querySelector('#train .run-status').textContent);
      return Number(step?.[1]) >= 5;
    });
    await press(page, play);
    const cell = '.close-up .cell[data-query="1"]';
    await act.hover(`${cell}[data-key="0"]`);
    await act.hover(`${cell}[data-key="1"]`);
    assert.match(await act.text('.read-out'), /query 2, key 2/);
    await act.slide('Valid length', 'ArrowLeft', 'ArrowLeft');
    const steps = await page.$eval('#equal-keys .keys-settings .slider', (slider) => {
      const before = history.length;
      for (const value of ['4', '2']) {
        slider.value = value;
        slider.dispatchEvent(new Event('input'));
      }
      return history.length - before;
    });
    assert.equal(steps, 1, 'a drag is one step back');
    await act.save('Save the enlarged map as SVG', 'headwise-the-enlarged-map.svg');
    assert.equal((await says(/headwise-the-enlarged-map\.svg/)).length, 1);
  });
});

test('the address hides what it names and nothing else, and keeps unknown names', async (t) => {
  const selectors = {
    controls: '#equal-keys .controls',
    export: '#equal-keys .export',
    link: '#equal-keys .copy-link',
    reset: '#equal-keys .reset',
    prose: '#equal-keys .prose',
    goal: '#equal-keys .goal',
    questions: '#equal-keys .questions',
    languages: '.languages',
    look: '#look',
  };
  const { page, visit, ...act } = await openFlows(t, 'equal-keys', '', isDrawn);
  const visible = () =>
    page.evaluate(
      (all) =>
        Object.keys(all).filter((name) => document.querySelector(all[name]).checkVisibility()),
      selectors,
    );
  assert.deepEqual(await visible(), Object.keys(selectors));
  for (const name of Object.keys(selectors)) {
    await visit(`?hide=${name}`);
    assert.deepEqual(
      await visible(),
      Object.keys(selectors).filter((each) => each !== name),
    );
  }
  await visit('?hide=export,,<gate>');
  assert.match(await textOf(page, 'main > .notices'), /^[^“]*“<gate>”[^“]*look[^“]*$/);
  await act.press('2', 'radio');
  assert.deepEqual(Object.fromEntries(new URLSearchParams(await searchOf(page))), {
    hide: 'export,,<gate>',
    heads: '2',
  });
});

test('nothing empty is left around what is hidden', async (t) => {
  const { page } = await open(t, '?hide=controls,goal,export,link,reset,prose#train');
  await loadAllActs(page);
  const left = await page.evaluate(() =>
    [...document.querySelectorAll('.act :is(details, .rail, .rail-main, .controls)')]
      .filter((part) => part.checkVisibility())
      .filter((part) => [...part.children].every((each) => each.matches('summary, [data-hidden]')))
      .map((part) => `${part.closest('.act').id}: ${part.className}`),
  );
  assert.deepEqual(left, []);
});

test('a presentation shows the act of the address alone, the next by an arrow, and ends with Escape', async (t) => {
  const { page } = await open(t, '?present=1#train');
  const shown = () =>
    page.$$eval('.act', (acts) => acts.filter((act) => act.checkVisibility()).map(({ id }) => id));
  assert.deepEqual(await shown(), ['train']);
  await page.keyboard.press('ArrowRight');
  const acts = await actsOf(page);
  assert.deepEqual(await shown(), [acts[acts.indexOf('train') + 1]]);
  await press(page, '.present-bar [aria-expanded]');
  await page.waitForSelector('[data-presented] .rail', { visible: true });
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.documentElement.hasAttribute('data-present'));
  assert.equal(await searchOf(page), '');
  assert.deepEqual(await shown(), acts);
});

describe('where it cannot run', () => {
  test('an act whose code does not load says so, and the others work', async (t) => {
    const causes = /act-[\w-]+\.(?:js|css)|ERR_FAILED|dynamically imported module/;
    const code = listFiles(['build/page/assets'], (file) => /\/act-[^/]+\.js$/.test(file));
    const isOfTrain = (file) => readFileSync(fromRoot(file), 'utf8').includes('head-card-lines');
    const prepare = without(new RegExp(basename(code.find(isOfTrain))));
    const { page } = await open(t, '#train', { prepare, causes });
    await page.waitForSelector('#train .failure[role="alert"]');
    await loadAllActs(page);
    const failed = await page.$$eval('.failure', (all) =>
      all.map((each) => each.closest('.act').id),
    );
    assert.deepEqual(failed, ['train']);
  });

  test('without JavaScript it says what it is and what it needs', async (t) => {
    // The preloaded script, which nothing runs, is answered after the page has gone.
    const causes = /^request: .*\/assets\/[\w-]+\.js undefined$/;
    const { page } = await open(t, '', {
      prepare: (tab) => tab.setJavaScriptEnabled(false),
      until: 'noscript p',
      causes,
    });
    assert.match(await textOf(page, 'noscript'), /needs JavaScript/);
  });

  test('without WebAssembly SIMD it says so in the act of the address, whose name may have escapes', async (t) => {
    const prepare = (page) =>
      page.evaluateOnNewDocument(() => {
        WebAssembly.validate = () => false;
      });
    const { page } = await open(t, '#equal-k%65ys', { prepare, until: '#equal-keys .failure' });
    const told = await textOf(page, '#equal-keys .failure');
    assert.match(told, /WebAssembly SIMD/);
    assert.match(told, /Chrome and Edge .* 95, Firefox .* 100, Safari .* 16\.4/);
    assert.equal((await page.$$('#equal-keys .live :is(button, input)')).length, 0);
    assert.deepEqual(await violations(page), []);
  });

  test('where the WebAssembly file does not load, it says so', async (t) => {
    const { page } = await open(t, '#equal-keys', {
      ...{ until: '.failure', prepare: without(/\.wasm$/), causes: /ERR_FAILED/ },
    });
    assert.match(await textOf(page, '.failure'), /\(load-failed\)/);
  });
});
