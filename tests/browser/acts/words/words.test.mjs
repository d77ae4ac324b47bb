// The language model: a text is read, its heads are shut, ranked and timed, and other models are opened.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromRoot } from '../../../../scripts/lib/files.mjs';
import { openFlows } from '../../lib/flows.mjs';
import { fitsAcross } from '../../lib/pages.mjs';
import { range } from '../../../page/lib/float64.mjs';

const folder = fromRoot('examples/language-model/model');
const status = '.words-status';

test('a text', async (t) => {
  const act = await openFlows(t, 'words', '', { until: '#words .words-tile' });
  const { page } = act;
  const leader = () => act.text('.candidate[data-leads] .candidate-token');
  const waitForLeader = (token) =>
    page.waitForFunction(
      (wanted) =>
        document
          .querySelector('#words .candidate[data-leads] .candidate-token')
          ?.textContent.trim() === wanted,
      {},
      token,
    );
  const waitFor = (name, value) => act.waitForValue(status, `data-${name}`, value);
  const shown = () =>
    page.$eval('#words attention-heads', ({ layer, head, query }) => [layer, head, query]);
  const shut = async () =>
    (await act.all('.words-tile', 'data-shut')).flatMap((is, at) => (is === null ? [] : [at]));

  await t.test('is read anew while it is typed, up to an end, and may be empty', async () => {
    await waitFor('tokens', 8);
    assert.equal(await act.count('.words-tile'), 16);
    assert.equal(await act.count('.candidate'), 8);
    assert.equal(await leader(), 'better');
    const drawn = await act.each('.words-tile svg', (map) =>
      [...map.querySelectorAll('.tile-weights')].some((path) => path.getAttribute('d')),
    );
    assert.deepEqual(drawn, Array(16).fill(true));
    await page.click('#words textarea', { count: 3 });
    await page.keyboard.type('We must work for peace because we must work for');
    await waitForLeader('peace');
    await waitFor('tokens', 10);
    assert.match(await act.parameter('words-text'), /^We must work/);
    await act.write('textarea', 'war '.repeat(2000));
    await waitFor('tokens', 40);
    assert.ok((await act.numbers(status)).includes(40));
    await act.write('textarea', ' ');
    await waitFor('tokens', 0);
    await act.write('textarea', 'peace');
    await waitFor('tokens', 1);
    await act.visit('');
    await waitForLeader('better');
  });

  await t.test('has heads that are shut, and selected by pointer, keys and the view', async () => {
    const shares = () => act.all('.candidate', 'aria-label');
    const before = await shares();
    await act.press('Gate of layer 2, head 2', 'switch');
    await waitForLeader('a');
    await act.waitFor('.goal[data-reached]');
    await act.waitForSearch('?words-shut=2.2');
    const [[now, open]] = (await shares()).map((label) =>
      label.match(/[\d.]+(?=\s%)/g).map(Number),
    );
    assert.ok(now < open && before[0].includes(String(open)));
    await act.press('Open all heads');
    await waitForLeader('better');
    assert.deepEqual(await shares(), before);
    await act.visit('?words-shut=2.2,9.9,x');
    await waitForLeader('a');
    await waitFor('shut', 1);
    assert.deepEqual([await act.notices(), await shut()], [1, [5]]);
    assert.equal((await act.all('.tile-gate', 'aria-checked'))[5], 'false');

    await act.visit('?words-head=1.1');
    await page.waitForFunction(() => document.querySelector('#words attention-heads').layer === 0);
    assert.deepEqual(await shown(), [0, 0, 7]);
    await act.keys('.tile-show', 'ArrowDown', 'ArrowRight', 'Enter');
    await act.waitForSearch('');
    await page.waitForFunction(() => document.querySelector('#words attention-heads').head === 1);
    assert.deepEqual(await shown(), [1, 1, 7]);
    const selected = async () => (await act.all('.tile-show', 'aria-pressed')).indexOf('true');
    assert.equal(await selected(), 5);
    await page.$eval('#words attention-heads', (view) =>
      view.dispatchEvent(
        new CustomEvent('attention-select', { detail: { layer: 2, head: 3, query: 4, key: 0 } }),
      ),
    );
    await act.waitForSearch('?words-head=3.4&words-query=5');
    await act.waitFor('.words-tile:nth-child(4)[data-selected]');
    assert.equal(await selected(), 11);
  });

  await t.test(
    'ranks its heads, shuts the least important, and is timed without them',
    async () => {
      await act.visit('');
      await waitForLeader('better');
      await act.press('Rank heads by ablation');
      await act.waitFor('.study input');
      await page.waitForFunction(
        () => !document.querySelector('#words .study .slider').closest('[hidden]'),
      );
      const rises = (await act.texts('.tile-state')).map((told) => Number(told.replace('−', '-')));
      assert.ok(rises.every(Number.isFinite));
      await act.write('.study input', '3');
      await waitFor('shut', 3);
      const least = range(16)
        .sort((a, b) => rises[a] - rises[b])
        .slice(0, 3);
      assert.deepEqual(
        await shut(),
        least.sort((a, b) => a - b),
      );
      const time = 'Time without the shut heads';
      await act.press(time);
      await page.waitForFunction(() =>
        /:.*ratio/.test(document.querySelector('#words .study-status').textContent),
      );
      const [tokens, , , ratio, , lower, upper, pairs] = await act.numbers('.study-status');
      assert.ok(
        tokens > 40 && pairs >= 15 && lower <= ratio && ratio <= upper,
        await act.text('.study-status'),
      );
      await act.visit('?words-shut=2.1,2.2,2.3,2.4');
      await waitFor('shut', 4);
      assert.deepEqual(await act.numbers('.study-status'), [2]);
      assert.deepEqual(await act.all('.study-buttons button', 'aria-disabled'), [null, 'true']);
    },
  );

  await t.test('is read by a checkpoint of the reader’s, of any number of heads', async () => {
    const choose = async (from) => {
      await act.each('.rail-more', (more) => (more.open = true));
      const input = await act.waitFor('.checkpoint input[multiple]');
      await input.uploadFile(
        ...['config.json', 'model.safetensors', 'tokenizer.json'].map((name) => join(from, name)),
      );
    };
    const made = mkdtempSync(join(tmpdir(), 'headwise-checkpoint-'));
    t.after(() => rmSync(made, { recursive: true }));
    const config = JSON.parse(readFileSync(fromRoot('tests/data/models/llama-a.json'), 'utf8'));
    const write = (name, value) => writeFileSync(join(made, name), JSON.stringify(value));
    cpSync(fromRoot('tests/data/models/llama-a.safetensors'), join(made, 'model.safetensors'));
    write('config.json', { ...config, num_attention_heads: 8, num_key_value_heads: 4 });
    write('tokenizer.json', {
      ...{ version: '1.0', added_tokens: [], pre_tokenizer: { type: 'Whitespace' } },
      ...{ normalizer: null, post_processor: null, decoder: null },
      model: { type: 'WordLevel', vocab: { '<unk>': 0, world: 1 }, unk_token: '<unk>' },
    });
    await act.visit('?words-text=The+world+is+better');
    await choose(made);
    await page.waitForFunction(
      () =>
        document.querySelectorAll('#words .words-tile').length === 16 &&
        document.querySelectorAll('#words .board-row').length === 2,
    );
    const tokens = await page.$eval('#words attention-heads', (view) => view.tokens);
    assert.deepEqual(tokens, ['<unk>', 'world', '<unk>', '<unk>']);
    for (const width of [1440, 390]) {
      await page.setViewport({ width, height: 900 });
      const isWhole = await act.each('.tile-role', (role) => {
        // As long as any.
        role.textContent = 'induction .98';
        const range = document.createRange();
        range.selectNodeContents(role);
        const [own, text] = [role, range].map((each) => each.getBoundingClientRect());
        return text.right <= own.right + 0.5 && text.bottom <= own.bottom + 0.5;
      });
      assert.deepEqual(isWhole, Array(16).fill(true), `${width} pixels`);
    }
    write('config.json', { model_type: 'rwkv' });
    await choose(made);
    await act.waitFor('.checkpoint .control-hint:not(:empty)');
    assert.match(await act.text('.checkpoint .control-hint'), /rwkv/);
    assert.equal(await act.count('.board-row'), 2, 'the model before stays');
    await choose(folder);
    await page.waitForFunction(() => document.querySelectorAll('#words .board-row').length === 4);
    await act.visit('');
    await waitForLeader('better');
    await act.press('Back to the small model');
    await page.waitForFunction(() => document.querySelector('#words .checkpoint button').hidden);
    await act.visit('?words-shut=2.2');
    await waitForLeader('a');
    await page.setViewport({ width: 360, height: 900 });
    await fitsAcross(page);
    await page.setViewport({ width: 1280, height: 900 });
    await act.isForEveryone();
  });
});
