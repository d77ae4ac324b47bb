// All heads of a language model on the reader's sentence: gates, predictions, the logit lens, and other models.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromRoot } from '../../../../scripts/lib/files.mjs';
import { openFlows } from '../../lib/flows.mjs';
import { fitsAcross } from '../../lib/pages.mjs';

const folder = fromRoot('examples/language-model/model');
const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
const layers = config.num_hidden_layers ?? config.n_layer;
const heads = config.num_attention_heads ?? config.n_head;
const status = '.look-status';
const tile = '.board .look-tile';
const text = 'The world is better when the world is';
const opening = JSON.parse(readFileSync(fromRoot('web/src/reading/sentence.json'), 'utf8'));

test('a sentence', async (t) => {
  const act = await openFlows(t, 'look', `?text=${text.replaceAll(' ', '+')}`, {
    until: `#look ${tile}`,
    causes: /no-model/,
  });
  const { page } = act;
  const waitFor = (name, value) => act.waitForValue(status, `data-${name}`, value);
  const shown = () =>
    page.$eval('#look .detail attention-heads', ({ layer, head, query }) => [layer, head, query]);
  const shut = async () =>
    (await act.all(tile, 'data-shut')).flatMap((is, at) => (is === null ? [] : [at]));
  const write = (written) => act.write('.rail .sentence-text', written);

  await t.test('is read anew while it is typed, and says what is left out', async () => {
    await waitFor('tokens', 8);
    assert.equal(await act.count(tile), layers * heads);
    assert.equal(await act.count('.candidate'), 8);
    await act.waitFor('.lens td');
    assert.equal(await act.count('.lens tr'), layers + 1);
    const isDrawn = await act.each(
      `${tile} canvas`,
      (map) => map.getContext('2d').getImageData(0, 0, 1, 1).data[3] === 255,
    );
    assert.deepEqual(isDrawn, Array(layers * heads).fill(true));
    await write('it is what it is '.repeat(12));
    await waitFor('tokens', 40);
    const omitted = await act.first(status, 'data-omitted');
    assert.ok(omitted >= 12 * 5 - 40, `${omitted}`);
    assert.deepEqual((await act.numbers('.rail .sentence-status')).slice(-2), [40, omitted]);
    await write(' ');
    await waitFor('tokens', 0);
    await write('peace');
    await waitFor('tokens', 1);
    assert.equal(await act.parameter('text'), 'peace');
    await act.visit('');
    await waitFor('tokens', opening.words.length);
  });

  await t.test('has heads that are shut, and selected by pointer, keys and the view', async () => {
    const shares = () => act.all('.candidate', 'aria-label');
    const before = await shares();
    await act.press('Gate of layer 2, head 2', 'switch');
    await waitFor('shut', 1);
    await act.waitForSearch('?look-shut=2.2');
    await act.waitForChange('.candidate', 'aria-label', before[0]);
    await act.press('Open all heads');
    await waitFor('shut', 0);
    await act.waitForValue('.candidate', 'aria-label', before[0]);
    await page.$eval('#look .look-tile[data-head="1.1"] > .tile-show', (map) =>
      map.dispatchEvent(new MouseEvent('click', { altKey: true, bubbles: true })),
    );
    await act.waitForSearch('?look-shut=1.1');
    // What the model lacks is told, not ignored.
    await act.visit('?look-shut=2.2,9.9');
    await act.waitFor('.rail .notices p');
    await act.waitForSearch('?look-shut=2.2');
    await act.waitFor('.look-tile[data-head="2.2"][data-shut]');
    assert.deepEqual(await shut(), [heads + 1]);

    await act.visit('?look-head=1.1');
    await page.waitForFunction(
      () => document.querySelector('#look .detail attention-heads').layer === 0,
    );
    assert.deepEqual(await shown(), [0, 0, opening.words.length - 1]);
    await act.keys('.tile-show', 'ArrowDown', 'ArrowRight', 'Enter');
    await act.waitForSearch('');
    await act.waitFor('.look-tile[data-head="2.2"][data-selected]');
    assert.deepEqual(await shown(), [1, 1, opening.words.length - 1]);
    await page.$eval('#look .detail attention-heads', (view) =>
      view.dispatchEvent(
        new CustomEvent('attention-select', { detail: { layer: 2, head: 3, query: 4, key: 0 } }),
      ),
    );
    await act.waitForSearch('?look-query=5&look-head=3.4');
    await act.waitFor('.look-tile[data-head="3.4"][data-selected]');
  });

  await t.test('is read by a model of the reader’s, of any number of heads', async () => {
    const choose = async (from) => {
      await act.each('.rail-more', (more) => (more.open = true));
      const input = await act.waitFor('.model-opener input[multiple]');
      await input.uploadFile(
        ...['config.json', 'model.safetensors', 'tokenizer.json'].map((name) => join(from, name)),
      );
    };
    const made = mkdtempSync(join(tmpdir(), 'headwise-checkpoint-'));
    t.after(() => rmSync(made, { recursive: true }));
    const llama = JSON.parse(readFileSync(fromRoot('tests/data/models/llama-a.json'), 'utf8'));
    const give = (name, value) => writeFileSync(join(made, name), JSON.stringify(value));
    cpSync(fromRoot('tests/data/models/llama-a.safetensors'), join(made, 'model.safetensors'));
    give('config.json', { ...llama, num_attention_heads: 8, num_key_value_heads: 4 });
    give('tokenizer.json', {
      ...{ version: '1.0', added_tokens: [], pre_tokenizer: { type: 'Whitespace' } },
      ...{ normalizer: null, post_processor: null, decoder: null },
      model: { type: 'WordLevel', vocab: { '<unk>': 0, world: 1 }, unk_token: '<unk>' },
    });
    await act.visit('?text=The+world+is+better');
    await choose(made);
    await waitFor('model', 'own');
    await waitFor('tokens', 4);
    await act.waitForCount(tile, 16);
    // The first screen follows.
    for (const view of await page.$$('#look attention-heads')) {
      const tokens = await view.evaluate((each) => each.tokens);
      assert.deepEqual(tokens, ['<unk>', 'world', '<unk>', '<unk>']);
    }
    give('config.json', { model_type: 'rwkv' });
    await choose(made);
    await act.waitFor('.model-opener[data-state="refused"]');
    assert.match(await act.text('.model-status .failure'), /rwkv/);
    assert.equal(await act.count('.board-row'), 2, 'the model before stays');
    const [opener, failure] = await act.each('.model-opener, .model-status .failure', (each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return { top, bottom };
    });
    assert.ok(failure.top >= opener.top && failure.bottom - opener.top < 900, 'told in view');
    await page.type('#look .model-address input', `${new URL('.', page.url())}no-model/`);
    await page.keyboard.press('Enter');
    await act.waitForText('.model-status .failure', /404/);
    await act.press('Back to the small model');
    await waitFor('model', 'built-in');
    await act.waitForCount('.board-row', layers);
    await page.setViewport({ width: 360, height: 900 });
    await fitsAcross(page);
    await page.setViewport({ width: 1280, height: 900 });
    await act.isForEveryone();
  });
});
