// A language model that reads a text: what it predicts, what its heads do, and which files are one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, describe, test } from 'vitest';
import { inductionScores, loadSafetensors, patternScores, Transformer } from 'headwise/models';
import { ggufFile } from '../node/lib/gguf.mjs';
import { converted } from '../node/lib/gguf-models.mjs';
import { textTokens } from '../../examples/language-model/tokens.mjs';
import { roleOf, sayRole } from '../../web/src/acts/look/roles.ts';
import { fitTo } from '../../web/src/acts/look/state.ts';
import { visible, visibleNext } from '../../web/src/reading/tokens.ts';
import { byteName } from '../../web/src/worker/byte-names.ts';
import { openCheckpoint } from '../../web/src/worker/checkpoint.ts';
import { LanguageModel } from '../../web/src/worker/language-model.ts';
import { near, range, softmax } from './lib/float64.mjs';

const folder = 'examples/language-model/model/';
const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
const bytesOf = Object.fromEntries(names.map((name) => [name, readFileSync(folder + name)]));
const json = (name) => JSON.parse(bytesOf[name]);
/** Node's files have no folder. */
const fileOf = (name, content, webkitRelativePath = '') =>
  Object.assign(new File([content], name), { webkitRelativePath });
const files = names.map((name) => fileOf(name, bytesOf[name]));
const text = 'The world is better when the world is';

const { encode } = textTokens(json('tokenizer.json'), json('tokenizer_config.json'));
const { tensors } = loadSafetensors(bytesOf['model.safetensors']);
const reference = Transformer.fromPretrained({ config: json('config.json'), tensors });
const inputOf = (ids) => ({ data: Int32Array.from(ids), shape: [ids.length] });

/** What the package makes of a text: the probability of each next token, and the weights. */
function passOf(text, headGates) {
  const ids = encode(text);
  const { logits, attentionWeights } = reference.forward(inputOf(ids), {
    ...{ returnWeights: true, ...(headGates && { headGates }) },
  });
  const last = softmax([...logits.data.slice(-logits.shape.at(-1))]);
  return { ids, attentionWeights, probabilityOf: (token) => last[encode(token)[0]], last };
}
const gatesWithout = (shut) =>
  reference.numHeads.map((count, layer) =>
    Float32Array.from(range(count), (head) => Number(`${layer}.${head}` !== shut)),
  );

const model = await LanguageModel.from(await openCheckpoint(files));

describe('a text', () => {
  test('has the next tokens, weights and roles of a forward pass, with and without a head', () => {
    const open = passOf(` ${text}`);
    const shut = passOf(` ${text}`, gatesWithout('1.1'));
    for (const [gates, now] of [
      [undefined, open],
      [gatesWithout('1.1'), shut],
    ]) {
      const { tokens, omittedWords, weights, candidates, scores } = model.run(` ${text}`, gates);
      assert.deepEqual([tokens.join(''), tokens.length, omittedWords], [` ${text}`, 8, 0]);
      assert.equal(candidates.length, 8);
      for (const { token, probability, before } of candidates) {
        near(probability, now.probabilityOf(token), 1e-5, token);
        near(before, open.probabilityOf(token), 1e-5, token);
      }
      // The most probable ones by either, in the order of all heads open.
      const highest = open.last
        .map((each, id) => Math.max(each, now.last[id]))
        .sort((a, b) => b - a);
      near(
        candidates.map((each) => Math.max(each.probability, each.before)).sort((a, b) => b - a),
        highest.slice(0, 8),
        1e-5,
      );
      assert.deepEqual(
        candidates,
        candidates.toSorted((a, b) => b.before - a.before),
      );
      weights.forEach((own, layer) => near([...own], [...now.attentionWeights[layer].data], 1e-6));
      scores.forEach((ofLayer, layer) => {
        const own = now.attentionWeights[layer];
        const induction = inductionScores(own, now.ids);
        patternScores(own, { causal: true }).forEach((patterns, head) => {
          const wanted = { ...patterns, induction: induction[head] };
          for (const [name, score] of Object.entries(ofLayer[head])) {
            near(score, wanted[name], 1e-5, name);
          }
        });
      });
    }
    const roles = model
      .run(` ${text}`)
      .scores.flat()
      .map((each) => sayRole(roleOf(each)));
    // The previous word of layer 0, and an induction head of layer 1.
    assert.match(roles[0], /^previous /);
    assert.match(roles[reference.numHeads[0] + 1], /^induction /);
    assert.equal(model.run(' peace').scores[0][0].induction, undefined, 'no token is repeated');
  });

  test('reads alike from the GGUF file that the page loads', async () => {
    // Digits, whose tokens an object lists first.
    const numbers = ' Tom had 7 cats and 20 dogs';
    const name = 'language-model.gguf';
    const own = await LanguageModel.from(
      await openCheckpoint([fileOf(name, readFileSync(`build/model/${name}`))]),
    );
    const [ours, expected] = [own, model].map((each) => each.run(numbers));
    assert.deepEqual(ours.tokens, expected.tokens);
    // Its weights are rounded to 8 bits.
    ours.weights.forEach((ofLayer, layer) =>
      near([...ofLayer], [...expected.weights[layer]], 0.05, `layer ${layer}`),
    );
  });

  test('is read up to 40 tokens, and may be empty', () => {
    const { tokens, omittedWords, candidates } = model.run('war '.repeat(50));
    const all = encode('war '.repeat(50).trim());
    assert.deepEqual([tokens.length, omittedWords], [40, all.length - 40]);
    const ids = all.slice(0, 40);
    const { logits } = reference.forward(inputOf(ids));
    near(
      candidates[0].before,
      Math.max(...softmax([...logits.data.slice(-logits.shape.at(-1))])),
      1e-5,
    );
    assert.equal(model.run(' \n'), undefined);
    const { numHeads, isCausal, maxTokens, name } = model.description;
    assert.deepEqual(
      [numHeads, isCausal, maxTokens, name],
      [reference.numHeads, true, 40, 'model.safetensors'],
    );
  });

  test('has predictions behind each of its tokens, and of each layer', () => {
    const tokens = inputOf(passOf(` ${text}`).ids);
    for (const gates of [undefined, gatesWithout('1.1')]) {
      const options = gates && { headGates: gates };
      const { logits } = reference.forward(tokens, options);
      const ofRow = ({ data, shape }, row) => {
        const size = shape.at(-1);
        return softmax([...data.slice(row * size, (row + 1) * size)]);
      };
      const expected = Math.max(...ofRow(logits, 2));
      near(
        Math.max(...model.run(` ${text}`, gates, 2).candidates.map((each) => each.probability)),
        expected,
        1e-5,
      );
      const lens = model.lens(` ${text}`, 2, gates);
      const all = reference.logitLens(tokens, { positions: [2], ...options });
      assert.deepEqual(
        lens.map(({ length }) => length),
        range(reference.numHeads.length + 1).map(() => 3),
      );
      for (const [layer, [{ probability }]] of lens.entries()) {
        near(probability, Math.max(...ofRow(all, layer)), 1e-5);
      }
      near(lens.at(-1)[0].probability, expected, 1e-5);
    }
  });

  test('shows characters of several tokens once, and never as mojibake', () => {
    for (const written of ['it’s', 'na 中文 b', '😀 x', 'café é']) {
      const { tokens } = model.run(` ${written}`);
      assert.equal(tokens.join('').replaceAll('·', ''), ` ${written}`);
    }
    assert.deepEqual(model.run(' 中').tokens, [' ', '中', '·', '·']);
    assert.deepEqual(['âĢ', '<0xE4>', 'Ġa'].map(byteName), ['‹E2 80›', '‹E4›', '‹20 61›']);
  });
});

test('tokens are shown with what cannot be seen, and heads by what most of their weight does', () => {
  assert.deepEqual([' a', '\n', '  ', '\u007f'].map(visible), ['a', '⏎', '␣␣', '‹7F›']);
  assert.deepEqual(
    ['ly', ' a', '.', 'é'].map((token) => visibleNext(token)),
    ['…ly', 'a', '.', '…é'],
  );
  assert.equal(visibleNext('world', ['world', 'is']), 'world', 'words without spaces');
  const scores = { previousToken: 0.29, firstToken: 0.1, diagonal: 0.2, induction: undefined };
  assert.equal(roleOf(scores), undefined);
  const near = { ...scores, previousToken: 0.4, diagonal: 0.59 };
  assert.equal(roleOf(near), undefined, 'less than 20 points ahead');
  assert.deepEqual(roleOf({ ...near, diagonal: 0.61 }), { name: 'diagonal', share: 0.61 });
});

test('heads that a model lacks are left out', () => {
  const heads = [
    { layer: 0, head: 2 },
    { layer: 0, head: 4 },
    { layer: 8, head: 8 },
  ];
  const { selected, shut } = fitTo({ selected: { layer: 9, head: 9 }, shut: heads }, [4, 2]);
  assert.deepEqual([selected, shut], [{ layer: 1, head: 1 }, heads.slice(0, 1)]);
});

describe('a checkpoint', () => {
  const around = {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    post_processor: null,
    decoder: null,
  };
  const llama = {
    'config.json': readFileSync('tests/data/models/llama-a.json'),
    'model.safetensors': readFileSync('tests/data/models/llama-a.safetensors'),
  };
  /** Of whole words, of which one may stand for all others. */
  const withWords = (unknown) =>
    JSON.stringify({
      ...{ ...around, pre_tokenizer: { type: 'Whitespace' } },
      model: { type: 'WordLevel', vocab: { '<unk>': 0, world: 1, is: 2, far: 9999 }, ...unknown },
    });
  const opened = async (given) =>
    LanguageModel.from(
      await openCheckpoint(Object.entries(given).map(([name, content]) => fileOf(name, content))),
    );

  test('may have a tokenizer of whole words, and one for those that it does not know', async () => {
    const known = await opened({ ...llama, 'tokenizer.json': withWords({ unk_token: '<unk>' }) });
    assert.deepEqual(known.run('The world is better').tokens, ['<unk>', 'world', 'is', '<unk>']);
    assert.throws(() => known.run('far'), {
      reason: 'tokens',
      args: [9999, known.description.vocabularySize],
    });
    const unknown = await opened({ ...llama, 'tokenizer.json': withWords({}) });
    assert.throws(() => unknown.run('The world'), { reason: 'unknown', args: ['The'] });
  });

  test('is the outermost of several folders, and is named after its own', async () => {
    const { name, tokenizer } = await openCheckpoint([
      fileOf('config.json', '{}', 'outer/config.json'),
      fileOf('tokenizer.json', '{"a":1}', 'outer/tokenizer.json'),
      fileOf('tokenizer.json', '{"a":2}', 'outer/inner/tokenizer.json'),
      fileOf('other.safetensors', '', 'outer/other.safetensors'),
    ]);
    assert.deepEqual([name, tokenizer], ['outer', { a: 1 }]);
  });

  test('may be one GGUF file', async () => {
    const config = JSON.parse(readFileSync('tests/data/models/gpt2-a.json', 'utf8'));
    const { tensors } = loadSafetensors(readFileSync('tests/data/models/gpt2-a.safetensors'));
    // Without the buffers of masks.
    const kept = Object.entries(tensors).filter(
      ([name]) => !/\.attn\.(?:masked_)?bias$/.test(name),
    );
    const [metadata, written] = converted({ config, tensors: Object.fromEntries(kept) });
    const letters = range(config.vocab_size).map((i) => String.fromCharCode(97 + i));
    const file = ggufFile(
      {
        ...metadata,
        ...{ 'tokenizer.ggml.model': 'gpt2', 'tokenizer.ggml.pre': 'gpt-2' },
        ...{ 'tokenizer.ggml.tokens': letters, 'tokenizer.ggml.merges': ['a b'] },
      },
      written,
    );
    const own = await LanguageModel.from(await openCheckpoint([fileOf('small.gguf', file)]));
    assert.deepEqual(own.run('cad').tokens, ['c', 'a', 'd']);
    assert.equal(own.description.name, 'small.gguf');
  });

  test('may be at an address, read by ranges where the server knows them, and be given up', async () => {
    const asked = [];
    const server = createServer(({ url, headers: { range: asks } }, response) => {
      const [, kind, name] = url.split('/');
      const bytes = bytesOf[name];
      if (bytes === undefined) return void response.writeHead(404).end();
      const [, begin, end] = /^bytes=(\d+)-(\d+)$/.exec(asks ?? '') ?? [];
      if (name === 'model.safetensors') asked.push(asks);
      if (kind !== 'ranges' || begin === undefined) return void response.writeHead(200).end(bytes);
      response.writeHead(206, { 'Content-Range': `bytes ${begin}-${end}/${bytes.length}` });
      response.end(bytes.subarray(Number(begin), Number(end) + 1));
    });
    await new Promise((listen) => server.listen(0, '127.0.0.1', listen));
    afterAll(() => server.close());
    const at = `http://127.0.0.1:${server.address().port}`;
    for (const address of [`${at}/ranges/`, `${at}/plain/config.json`]) {
      const progress = [];
      const { signal } = new AbortController();
      const own = await LanguageModel.from(await openCheckpoint(address, signal), {
        signal,
        onProgress: (...numbers) => progress.push(numbers),
      });
      assert.deepEqual(own.run(` ${text}`).candidates, model.run(` ${text}`).candidates);
      const size = bytesOf['model.safetensors'].length;
      assert.deepEqual(progress.at(-1), [size, size]);
    }
    assert.ok(asked.length > 3 && asked.every(Boolean), 'by ranges');
    const controller = new AbortController();
    const checkpoint = await openCheckpoint(`${at}/ranges`, controller.signal);
    controller.abort();
    await assert.rejects(
      checkpoint.makeModel({ signal: controller.signal, onProgress: () => undefined }),
    );
    for (const [address, reason, args] of [
      [`${at}/ranges/other/`, 'download', ['config.json', 404]],
      ['http://127.0.0.1:1/', 'unreachable', ['config.json']],
      ['my model', 'address', ['my model']],
    ]) {
      await assert.rejects(openCheckpoint(address), { name: 'CheckpointError', reason, args });
    }
  });

  test('is refused with what it lacks', async () => {
    const of = (...given) => given.map((name) => fileOf(name, bytesOf[name] ?? '{}'));
    const large = { name: 'model.safetensors', size: 800_000_001, webkitRelativePath: '' };
    for (const [given, reason, args] of [
      [of('config.json'), 'missing', [['tokenizer.json', 'model.safetensors']]],
      [
        of('a.safetensors', 'b.safetensors', 'config.json', 'tokenizer.json'),
        'missing',
        [['model.safetensors']],
      ],
      [of('model.safetensors.index.json', 'config.json', 'tokenizer.json'), 'sharded', []],
      [[...of('config.json', 'tokenizer.json'), large], 'large', [800_000_001, 800_000_000]],
      [
        [...of('config.json', 'model.safetensors'), fileOf('tokenizer.json', 'PK')],
        'malformed',
        ['tokenizer.json'],
      ],
      [
        [...of('tokenizer.json', 'model.safetensors'), fileOf('config.json', '3')],
        'malformed',
        ['config.json'],
      ],
    ]) {
      await assert.rejects(openCheckpoint(given), { name: 'CheckpointError', reason, args });
    }
    const { 'tokenizer.json': tokenizer } = bytesOf;
    for (const [name, reason] of [
      ['bart-a', 'hasEncoder'],
      ['vit-a', 'noText'],
    ]) {
      const ofModel = (ending) => readFileSync(`tests/data/models/${name}.${ending}`);
      const given = { 'config.json': ofModel('json'), 'model.safetensors': ofModel('safetensors') };
      await assert.rejects(opened({ ...given, 'tokenizer.json': tokenizer }), { reason });
    }
  });
});
