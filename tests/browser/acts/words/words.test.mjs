// The language model in Chromium: a trained model reads a text, and its heads are shut, ranked and timed.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as headwise from '../../../../dist/models.js';
import { textTokens } from '../../../../examples/language-model/tokens.mjs';
import { fromRoot } from '../../../../scripts/lib/files.mjs';
import { ofColours, violations } from '../../lib/axe.mjs';
import { useDownloads } from '../../lib/downloads.mjs';
import { save } from '../../lib/heads-act.mjs';
import { fitsAcross, isReady, open, prefer, waitForSearch } from '../../lib/pages.mjs';
import { servePage } from '../../lib/server.mjs';

const folder = fromRoot('examples/language-model/model');
const json = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const tile = '#words .words-tile';
const openWords = async (t, query = '', options = {}) => {
  const opened = await open(t, `${query}#words`, options);
  await opened.page.waitForSelector(options.until ?? tile);
  return opened;
};

const textOf = (page, selector) => page.$eval(`#words ${selector}`, (found) => found.textContent);
const waitForText = (page, selector, pattern) =>
  page.waitForFunction(
    (at, source) => new RegExp(source).test(document.querySelector(at)?.textContent),
    {},
    `#words ${selector}`,
    pattern.source,
  );
/** The head of layer and place, from 1: its two buttons. */
const named = (page, name) => page.waitForSelector(`#words ::-p-aria([name="${name}"])`);
const gateOf = (page, layer, head) => named(page, `Gate of layer ${layer}, head ${head}`);
const button = (page, name) => named(page, name);
/** Each next token with its shares in words: "better: 57.7 %". */
const barsOf = (page) =>
  page.$$eval('#words .candidate', (all) => all.map((li) => li.getAttribute('aria-label')));
const leaderOf = (page) => textOf(page, '.candidate[data-leads] .candidate-token');
const type = async (page, text) => {
  await page.click('#words textarea', { count: 3 });
  await page.keyboard.type(text);
};

/** A forward pass over a text, in Node. */
async function passOf(text, options) {
  await headwise.init({ threads: 1 });
  const { encode } = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
  const ids = encode(` ${text}`);
  const { tensors } = headwise.loadSafetensors(readFileSync(join(folder, 'model.safetensors')));
  const model = headwise.Transformer.fromPretrained({ config: json('config.json'), tensors });
  const input = { data: Int32Array.from(ids), shape: [ids.length] };
  const result = model.forward(input, options);
  model.dispose();
  return { ...result, encode };
}

async function probabilityOf(text, token, headGates) {
  const { logits, encode } = await passOf(text, headGates && { headGates });
  const last = logits.data.slice(-logits.shape.at(-1));
  const exponents = last.map(Math.exp);
  return exponents[encode(token)[0]] / exponents.reduce((sum, each) => sum + each);
}

/** The weights of one head, query by query. */
async function weightsOf(text, layer, head) {
  const { attentionWeights } = await passOf(text, { returnWeights: true });
  const { data, shape } = attentionWeights[layer];
  const size = shape.at(-1) * shape.at(-2);
  return data.slice(head * size, (head + 1) * size);
}

const asShare = (probability) => `${(100 * probability).toFixed(1).replace(/\.0$/, '')}\u00a0%`;
const text = 'The world is better when the world is';

describe('a text', () => {
  test('is read: its next tokens are those of a forward pass, and every head has its map', async (t) => {
    const { page } = await openWords(t);
    assert.equal((await page.$$(tile)).length, 16);
    const [first] = await barsOf(page);
    assert.equal(first, `better: ${asShare(await probabilityOf(text, ' better'))}`);
    assert.equal((await barsOf(page)).length, 8);
    assert.match(await textOf(page, '.words-status'), /4 layers, 16 heads\. 8 tokens\./);
    const roles = await page.$$eval('#words .tile-role', (all) => all.map((it) => it.textContent));
    assert.match(roles[0], /^previous 1$/);
    assert.match(roles[5], /^induction \.99$/);
    const drawn = await page.$$eval(`${tile} svg`, (all) =>
      all.map((map) =>
        [...map.querySelectorAll('.tile-weights')].some((path) => path.getAttribute('d')),
      ),
    );
    assert.ok(drawn.every(Boolean));
  });

  test('is read anew while it is typed, and stands in the address', async (t) => {
    const { page } = await openWords(t);
    await type(page, 'We must work for peace because we must work for');
    await waitForText(page, '.candidate[data-leads] .candidate-token', /^peace$/);
    await waitForText(page, '.words-status', /10 tokens/);
    await page.waitForFunction(() => window.location.search.includes('words-text=We+must+work'));
  });

  test('has an end: 200 characters, 40 tokens', async (t) => {
    const { page } = await openWords(t);
    await page.$eval('#words textarea', (area) => {
      area.value = 'war '.repeat(2000);
      area.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await waitForText(page, '.control-hint', /^Cut to 200 characters\.$/);
    await waitForText(page, '.words-status', /The first 40 tokens of the text/);
    const length = await page.evaluate(
      () => new URLSearchParams(window.location.search).get('words-text').length,
    );
    assert.equal(length, 200);
  });

  test('is cut before a character of several joined ones, not within it', async (t) => {
    const { page } = await openWords(t);
    const family = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}';
    await page.$eval(
      '#words textarea',
      (area, written) => {
        area.value = written;
        area.dispatchEvent(new Event('input', { bubbles: true }));
      },
      'a'.repeat(196) + family,
    );
    await waitForText(page, '.control-hint', /^Cut to 200 characters\.$/);
    await page.waitForFunction(() => window.location.search.includes('words-text=aaa'));
    const text = await page.evaluate(() =>
      new URLSearchParams(window.location.search).get('words-text'),
    );
    assert.equal(text, 'a'.repeat(196));
  });

  test('may be empty, and says what to do then', async (t) => {
    const { page } = await openWords(t, '?words-text=+', { until: '#words .words-status' });
    await waitForText(page, '.words-status', /Type a word to begin/);
    await type(page, 'peace');
    await waitForText(page, '.words-status', /heads\. 1 token\./);
  });
});

describe('a gate', () => {
  test('shuts its head: the bars change, the marks stay, the goal is reached', async (t) => {
    const { page } = await openWords(t);
    await (await gateOf(page, 2, 2)).click();
    await waitForText(page, '.goal-outcome', /1 head shut: “a” leads in place of “better”/);
    const gates = [0, 1, 2, 3].map((layer) => Float32Array.from([1, layer === 1 ? 0 : 1, 1, 1]));
    const [before, now] = await Promise.all([
      probabilityOf(text, ' better'),
      probabilityOf(text, ' better', gates),
    ]);
    const [first] = await barsOf(page);
    assert.equal(first, `better: ${asShare(now)}, with all heads open ${asShare(before)}`);
    await waitForSearch(page, '?words-shut=2.2');
    await (await button(page, 'Open all heads')).click();
    await waitForText(page, '.candidate[data-leads] .candidate-token', /^better$/);
    await waitForSearch(page, '');
  });

  test('comes from the address, which names what it cannot take', async (t) => {
    const { page } = await openWords(t, '?words-shut=2.2,9.9,x');
    await waitForText(page, '.words-status', /1 head shut/);
    assert.equal(await leaderOf(page), 'a');
    assert.match(await textOf(page, '.notices'), /Invalid words-shut “2\.2,9\.9,x”/);
    const checked = await (await gateOf(page, 2, 2)).evaluate((gate) => gate.ariaChecked);
    assert.equal(checked, 'false');
  });
});

describe('a head', () => {
  test('is selected by its map, by keys and by the address', async (t) => {
    const { page } = await openWords(t, '?words-head=1.1');
    const shown = () =>
      page.$eval('#words attention-heads', ({ layer, head, query }) => [layer, head, query]);
    assert.deepEqual(await shown(), [0, 0, 7]);
    await (await button(page, 'Show layer 1, head 1: previous 1')).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await waitForSearch(page, '');
    await page.waitForFunction(() => document.querySelector('#words attention-heads').head === 1);
    assert.deepEqual(await shown(), [1, 1, 7]);
    const pressed = await page.$$eval('#words .tile-show[aria-pressed="true"]', (all) =>
      all.map((each) => each.ariaLabel),
    );
    assert.deepEqual(pressed, ['Show layer 2, head 2: induction .99']);
  });

  test('is followed where <attention-heads> leads', async (t) => {
    const { page } = await openWords(t);
    await page.$eval('#words attention-heads', (view) =>
      view.dispatchEvent(
        new CustomEvent('attention-select', { detail: { layer: 2, head: 3, query: 4, key: 0 } }),
      ),
    );
    await waitForSearch(page, '?words-head=3.4&words-query=5');
    await waitForText(page, '.words-tile[data-selected] .tile-role', /previous/);
  });
});

describe('the study', () => {
  test('ranks heads, shuts the least important, and times the model without them', async (t) => {
    const { page } = await openWords(t);
    await (await button(page, 'Rank heads by ablation')).click();
    await waitForText(page, '.study-status', /^Beside each gate/);
    const rises = await page.$$eval('#words .tile-state', (all) =>
      all.map((it) => Number(it.textContent.replace('−', '-'))),
    );
    assert.ok(rises.every(Number.isFinite), rises.join());
    await page.$eval('#words .study input', (slider) => {
      slider.value = 3;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await waitForText(page, '.words-status', /3 heads shut/);
    const shut = await page.$$eval('#words .words-tile', (all) =>
      all.flatMap((each, i) => ('shut' in each.dataset ? [i] : [])),
    );
    const least = rises
      .map((rise, i) => [rise, i])
      .sort(([a], [b]) => a - b)
      .slice(0, 3)
      .map(([, i]) => i);
    assert.deepEqual(
      shut,
      least.sort((a, b) => a - b),
    );

    await (await button(page, 'Time without the shut heads')).click();
    await waitForText(page, '.study-status', /^One forward pass over 256 tokens: /);
    const [, ratio, lower, upper, pairs, verdict] =
      /Median ratio ([\d.]+), 95\s% interval ([\d.]+) to ([\d.]+), of (\d+) alternating pairs: (.+)$/.exec(
        await textOf(page, '.study-status'),
      );
    assert.ok(Number(lower) <= Number(ratio) && Number(ratio) <= Number(upper));
    assert.ok(Number(pairs) >= 15);
    // Rounded to two decimals, 1 may be on either side.
    if (Number(upper) < 1) assert.equal(verdict, 'faster.');
    if (Number(lower) > 1) assert.equal(verdict, 'slower.');
    if (Number(lower) < 1 && Number(upper) > 1) assert.match(verdict, /^no measurable difference/);
  });

  test('can be stopped', async (t) => {
    const { page } = await openWords(t, '?words-shut=2.2');
    await (await button(page, 'Time without the shut heads')).click();
    await (await button(page, 'Stop')).click();
    await waitForText(page, '.study-status', /^Stopped\.$/);
  });

  test('keeps a head in every layer', async (t) => {
    const { page } = await openWords(t, '?words-shut=2.1,2.2,2.3,2.4');
    await waitForText(page, '.study-status', /^Every layer has to keep one head: .* layer 2\.$/);
    const time = await button(page, 'Time without the shut heads');
    assert.equal(await time.evaluate((each) => each.ariaDisabled), 'true');
  });
});

describe('a checkpoint of the reader’s', () => {
  const choose = async (page, files) => {
    await page.click('#words .rail-more > summary');
    const input = await page.waitForSelector('#words .checkpoint input[multiple]');
    await input.uploadFile(...files);
  };

  test('is opened from its files', async (t) => {
    const { page } = await openWords(t);
    const files = ['config.json', 'model.safetensors', 'tokenizer.json'];
    await choose(
      page,
      files.map((name) => join(folder, name)),
    );
    await waitForText(page, '.words-status', /^model\.safetensors: 4 layers, 16 heads/);
    assert.equal(await leaderOf(page), 'better');
    await (await button(page, 'Back to the small model')).click();
    await waitForText(page, '.words-status', /^Small language model/);
  });

  test('may have a tokenizer of whole words, of which one stands for all that it does not know', async (t) => {
    const { page } = await openWords(t, '?words-text=The+world+is+better');
    const made = mkdtempSync(join(tmpdir(), 'headwise-checkpoint-'));
    cpSync(fromRoot('tests/data/models/llama-a.json'), join(made, 'config.json'));
    cpSync(fromRoot('tests/data/models/llama-a.safetensors'), join(made, 'model.safetensors'));
    const files = ['config.json', 'model.safetensors', 'tokenizer.json'];
    const chooseWith = async (model) => {
      writeFileSync(
        join(made, 'tokenizer.json'),
        JSON.stringify({ ...around, model: { type: 'WordLevel', ...model } }),
      );
      await choose(
        page,
        files.map((name) => join(made, name)),
      );
    };
    const around = {
      ...{ version: '1.0', added_tokens: [], pre_tokenizer: { type: 'Whitespace' } },
      ...{ normalizer: null, post_processor: null, decoder: null },
    };
    const vocab = { '<unk>': 0, world: 1, is: 2 };
    await chooseWith({ vocab, unk_token: '<unk>' });
    await waitForText(page, '.words-status', /2 layers, 4 heads\. 4 tokens/);
    const shown = await page.$eval('#words attention-heads', ({ tokens }) => tokens);
    assert.deepEqual(shown, ['<unk>', 'world', 'is', '<unk>']);
    await page.click('#words .rail-more > summary');
    await chooseWith({ vocab });
    await waitForText(page, '.words-status', /^The tokenizer has no token for “The”\.$/);
  });

  test('of eight heads a layer has what each does told whole, wide and on a phone', async (t) => {
    const { page } = await openWords(t, '?words-text=The+world+is+better');
    const made = mkdtempSync(join(tmpdir(), 'headwise-checkpoint-'));
    const config = JSON.parse(readFileSync(fromRoot('tests/data/models/llama-a.json'), 'utf8'));
    const heads = { num_attention_heads: 8, num_key_value_heads: 4 };
    writeFileSync(join(made, 'config.json'), JSON.stringify({ ...config, ...heads }));
    cpSync(fromRoot('tests/data/models/llama-a.safetensors'), join(made, 'model.safetensors'));
    const model = { type: 'WordLevel', vocab: { '<unk>': 0, world: 1 }, unk_token: '<unk>' };
    const parts = { added_tokens: [], pre_tokenizer: { type: 'Whitespace' } };
    const none = { normalizer: null, post_processor: null, decoder: null };
    writeFileSync(
      join(made, 'tokenizer.json'),
      JSON.stringify({ version: '1.0', ...parts, ...none, model }),
    );
    await choose(
      page,
      ['config.json', 'model.safetensors', 'tokenizer.json'].map((name) => join(made, name)),
    );
    await waitForText(page, '.words-status', /2 layers, 16 heads/);
    for (const width of [1440, 390]) {
      await page.setViewport({ width, height: 900 });
      const told = await page.$$eval('#words .tile-role', (all) =>
        all.map((role) => {
          // As long as any.
          role.textContent = 'induction .98';
          const { right, bottom } = role.getBoundingClientRect();
          const range = document.createRange();
          range.selectNodeContents(role);
          const text = range.getBoundingClientRect();
          return text.right <= right + 0.5 && text.bottom <= bottom + 0.5;
        }),
      );
      assert.deepEqual(told, Array(16).fill(true), `${width} pixels`);
    }
  });

  for (const [what, change, reason] of [
    ['lacks files', () => ['config.json'], /Missing: tokenizer\.json and model\.safetensors/],
    [
      'is of another family',
      (made) => {
        writeFileSync(join(made, 'config.json'), JSON.stringify({ model_type: 'rwkv' }));
        return ['config.json', 'model.safetensors', 'tokenizer.json'];
      },
      /model_type.*rwkv/,
    ],
    [
      'is not JSON',
      (made) => {
        writeFileSync(join(made, 'tokenizer.json'), 'PK');
        return ['config.json', 'model.safetensors', 'tokenizer.json'];
      },
      /tokenizer\.json is not a JSON object/,
    ],
  ]) {
    test(`that ${what} is refused with its reason, and the model before stays`, async (t) => {
      const { page } = await openWords(t);
      const made = mkdtempSync(join(tmpdir(), 'headwise-checkpoint-'));
      cpSync(folder, made, { recursive: true });
      await choose(
        page,
        change(made).map((name) => join(made, name)),
      );
      await waitForText(page, '.checkpoint .control-hint', /^Not opened\. /);
      assert.match(await textOf(page, '.checkpoint .control-hint'), reason);
      await (await gateOf(page, 2, 2)).click();
      await waitForText(page, '.candidate[data-leads] .candidate-token', /^a$/);
    });
  }
});

test('the maps of all heads are saved, as a drawing and as numbers', async (t) => {
  const { page } = await openWords(t, '?words-shut=2.2');
  await waitForText(page, '.candidate[data-leads] .candidate-token', /^a$/);
  const readFile = await useDownloads(t, page);
  await save(page, 'Save the heads of a text as SVG', '#words');
  const drawn = await page.evaluate(
    (source) => {
      const { documentElement } = new DOMParser().parseFromString(source, 'image/svg+xml');
      const maps = [...documentElement.querySelectorAll('svg:has(> path)')];
      return {
        boxes: maps.map((map) => map.getAttribute('viewBox')),
        colours: new Set(
          maps.map((map) => map.querySelector('path:last-child').getAttribute('fill')),
        ).size,
        titles: [...documentElement.querySelectorAll('text')].map((each) => each.textContent),
      };
    },
    (await readFile('headwise-the-heads-of-a-text.svg')).toString(),
  );
  await save(page, 'Save the numbers of the heads of a text as JSON', '#words');
  const { shut, tokens, weights } = JSON.parse(
    (await readFile('headwise-the-heads-of-a-text.json')).toString(),
  );
  assert.deepEqual(shut, [{ layer: 1, head: 1 }]);
  assert.deepEqual(drawn.boxes, Array(16).fill(`0 0 ${tokens.length} ${tokens.length}`));
  assert.equal(drawn.colours, 4, 'a colour per head');
  for (const name of ['1.1', '4.4']) assert.ok(drawn.titles.includes(name), `${drawn.titles}`);
  // Each query's weights, of each head of each layer, sum to 1.
  assert.equal(weights.length, 4);
  for (const { shape, data } of weights) {
    assert.deepEqual(shape, [4, tokens.length, tokens.length]);
    assert.equal(data.length, 4 * tokens.length ** 2);
    for (let row = 0; row < data.length; row += tokens.length) {
      const sum = data.slice(row, row + tokens.length).reduce((a, b) => a + b);
      assert.ok(Math.abs(sum - 1) < 1e-5, `${sum}`);
    }
  }
});

test('so is the selected head, as it is shown, with its weights', async (t) => {
  const { page } = await openWords(t);
  await waitForText(page, '.candidate[data-leads] .candidate-token', /^better$/);
  for (const view of ['arcs', 'map']) {
    const readFile = await useDownloads(t, page);
    await page.click(`#words .selected-bar input[value="${view}"]`);
    await save(page, 'Save the selected head as SVG', '#words');
    const { box, told, shapes } = await page.evaluate(
      (source) => {
        const { documentElement } = new DOMParser().parseFromString(source, 'image/svg+xml');
        return {
          box: documentElement.getAttribute('viewBox'),
          told: documentElement.textContent,
          shapes: documentElement.querySelectorAll('path, rect').length,
        };
      },
      (await readFile('headwise-the-selected-head.svg')).toString(),
    );
    assert.match(box, /^-?\d+ -?\d+ \d+ \d+$/);
    assert.match(told, /better/);
    assert.ok(shapes > 8, `${shapes} of ${view}`);
  }
  const readFile = await useDownloads(t, page);
  await save(page, 'Save the selected head as PNG', '#words');
  const png = await readFile('headwise-the-selected-head.png');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  await save(page, 'Save the numbers of the selected head as JSON', '#words');
  const { layer, head, query, tokens, weights } = JSON.parse(
    (await readFile('headwise-the-selected-head.json')).toString(),
  );
  assert.deepEqual({ layer, head, query }, { layer: 1, head: 1, query: tokens.length - 1 });
  assert.deepEqual(weights.shape, [tokens.length, tokens.length]);
  const expected = await weightsOf(text, layer, head);
  assert.equal(weights.data.length, expected.length);
  weights.data.forEach((weight, at) => {
    assert.ok(Math.abs(weight - expected[at]) < 1e-5, `${weight}, not ${expected[at]}`);
  });
});

describe('everyone', () => {
  test('finds no violation of axe-core, light and dark', async (t) => {
    const { page } = await openWords(t, '?words-shut=2.2');
    await page.click('#words .rail-more > summary');
    assert.deepEqual(await violations(page, { scope: '#words' }), []);
    await prefer(page, { scheme: 'dark' });
    assert.deepEqual(await violations(page, { scope: '#words', rules: ofColours }), []);
  });

  test('can use it 360 pixels wide', async (t) => {
    const { page } = await openWords(t, '', { width: 360 });
    await fitsAcross(page);
  });

  test('keeps the model when the network goes', async (t) => {
    const server = await servePage();
    const { page } = await openWords(t, '', {
      server,
      withServiceWorker: true,
      // The browser asks whether there is a newer one, and there is nobody to answer.
      causes: /service-worker\.js/,
    });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await server.close();
    await page.goto(`${server.url}?words-shut=2.2#words`);
    await page.waitForSelector(isReady);
    await page.waitForSelector(tile);
    assert.equal(await leaderOf(page), 'a');
  });
});

test('nothing of the model is loaded before a reader comes near', async (t) => {
  const { page } = await open(t);
  const asked = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name),
  );
  assert.deepEqual(
    asked.filter((name) => /\/model\/|language-model|act-/.test(name)),
    [],
  );
});
