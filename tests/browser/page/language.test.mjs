// The page in its other languages: everything is translated, the layout holds, and the switch keeps what is shown.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { fitsAcross, loadAllActs, open } from '../lib/pages.mjs';

const languages = { zh: '中文', ko: '한국어', id: 'Bahasa Indonesia' };

/** What stays as it is in any language: code, names, what models read and write. */
const untranslated = [
  ...[
    'code',
    'pre',
    'svg.layer-figure',
    'attention-heads',
    '[lang="en"]:not(html)',
    '[translate="no"]',
  ],
  ...['.languages', 'textarea', 'input', '.token', 'script', 'style', 'noscript'],
].join();

const book = 'Dive into Deep Learning';

/** Everything that is read or heard, by where it stands; of what languages share three words in a row are looked for. */
const textsOf = (page) =>
  page.evaluate(
    (skipped, book) => {
      const texts = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { textContent, parentElement } = walker.currentNode;
        if (parentElement.closest(skipped) === null && textContent !== book)
          texts.push(textContent.trim());
      }
      for (const each of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
        if (each.closest(skipped) !== null) continue;
        for (const name of ['aria-label', 'title', 'placeholder']) {
          texts.push(each.getAttribute(name) ?? '');
        }
      }
      return texts.filter((text) => text !== '');
    },
    untranslated,
    book,
  );

test('中文: no space follows a mark, which has its own', async (t) => {
  const { page } = await open(t, '?lang=zh');
  await loadAllActs(page);
  const spaced = () =>
    page.$$eval('p, li, td, figcaption', (all) =>
      all
        .filter((each) => each.checkVisibility())
        .map((each) => each.innerText)
        .filter((text) => /[。：；，！？）] +[\u4e00-\u9fff]/u.test(text)),
    );
  assert.deepEqual(await spaced(), []);
});

for (const [tag, name] of Object.entries(languages)) {
  test(`${name}: no text is left in English, and nothing is wider than the window`, async (t) => {
    const { page } = await open(t, '');
    await loadAllActs(page);
    const english = new Set(
      (await textsOf(page)).filter((text) => /[a-z]+ [a-z]+ [a-z]+/i.test(text)),
    );
    assert.ok(english.size > 60, `${english.size}`);

    const termsOf = () => page.$$eval('.term', (all) => all.map(({ dataset }) => dataset.term));
    const terms = new Set(await termsOf());

    await page.goto(new URL(`?lang=${tag}`, page.url()).href);
    await page.waitForSelector('main:not([aria-busy])');
    assert.equal(await page.$eval('html', ({ lang }) => lang), tag);
    await loadAllActs(page);
    const left = (await textsOf(page)).filter((text) => english.has(text));
    assert.deepEqual(left, []);
    // Each opens the definition that it opens in English.
    assert.deepEqual(
      (await termsOf()).filter((term) => !terms.has(term)),
      [],
    );
    for (const width of [1280, 768, 390, 320]) {
      await page.setViewport({ width, height: 844 });
      await fitsAcross(page, `${name} at ${width}:`);
    }
  });
}

test('the switch changes the language and keeps what the page shows', async (t) => {
  const { page } = await open(t, '?hide=export&toy-input=random#toy');
  const current = () => page.$eval('.languages [aria-current]', ({ textContent }) => textContent);
  assert.equal(await current(), 'English');
  await page.focus('.languages a[lang="zh"]');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await page.waitForSelector('main:not([aria-busy])');
  assert.equal(await current(), languages.zh);
  const { search, hash } = new URL(page.url());
  assert.deepEqual(Object.fromEntries(new URLSearchParams(search)), {
    ...{ hide: 'export', lang: 'zh', 'toy-input': 'random' },
  });
  assert.equal(hash, '#toy');
  assert.notEqual(await page.title(), '');

  await page.focus('.languages a[lang="en"]');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await page.waitForSelector('main:not([aria-busy])');
  assert.equal(await current(), 'English');
  assert.equal(new URL(page.url()).searchParams.has('lang'), false);
});

test('an unknown language is told, and the page is in English', async (t) => {
  const { page } = await open(t, '?lang=tlh');
  const notice = await page.$eval('.languages .notices', ({ textContent }) => textContent);
  assert.match(notice, /“tlh”.*en, zh, ko, or id/);
  assert.equal(await page.$eval('html', ({ lang }) => lang), 'en');
});

test('a language that does not load is told, and the page is in English', async (t) => {
  const { page } = await open(t, '?lang=zh', {
    causes: /ERR_FAILED|net::/,
    prepare: async (tab) => {
      await tab.setRequestInterception(true);
      tab.on('request', (request) => {
        const isLanguage = /\/assets\/zh-[\w-]*\.js$/.test(request.url());
        void (isLanguage ? request.abort() : request.continue());
      });
    },
  });
  const notice = await page.$eval('.languages .notices', ({ textContent }) => textContent);
  assert.match(notice, /中文/);
});

test('what the worker has to say is said in the language of the page', async (t) => {
  const { page } = await open(t, '?lang=ko#words');
  const says = (selector, pattern) =>
    page.waitForFunction(
      (where, source) => new RegExp(source).test(document.querySelector(where)?.textContent),
      {},
      selector,
      pattern.source,
    );
  await says('#words .words-status', /^작은 언어 모델: 층 4개/);
  await page.click('#words .rail-more > summary');
  const input = await page.waitForSelector('#words .checkpoint input[multiple]');
  await input.uploadFile(fromRoot('examples/language-model/model/config.json'));
  await says(
    '#words .checkpoint .control-hint',
    /없는 파일: .*tokenizer\.json.*model\.safetensors/,
  );
});
