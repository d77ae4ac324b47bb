// Models and tokenizers of GGUF files, as llama.cpp's convert_hf_to_gguf.py writes them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Tokenizer } from '@huggingface/tokenizers';
import { init, loadGguf, Tensor, Transformer } from 'headwise';
import { readCheckpoint } from '../lib/checkpoints.mjs';
import { project } from '../lib/child.mjs';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { ggufFile, typed } from '../lib/gguf.mjs';
import { converted } from '../lib/gguf-models.mjs';

await init();

const loadModel = (...file) => Transformer.fromPretrained({ gguf: loadGguf(ggufFile(...file)) });
const loadLater = async (...file) =>
  Transformer.fromPretrained({ gguf: await loadGguf(new Blob([ggufFile(...file)])) });

for (const name of ['llama-a', 'qwen2-a', 'gpt2-a', 'gemma-a', 'gemma2-a']) {
  test(`${name}: a GGUF file gives the model of the safetensors file`, async () => {
    const { config, tensors, input, options } = readCheckpoint(name);
    // A GGUF file has no scale of the scores, and the norms of Gemma with 1 added to them.
    if (name === 'gemma2-a') config.query_pre_attn_scalar = config.head_dim;
    for (const [key, { data }] of Object.entries(tensors)) {
      if (name.startsWith('gemma') && key.endsWith('norm.weight'))
        data.forEach((each, i) => (data[i] = Math.fround(each + 1) - 1));
    }
    const own = Object.entries(tensors).filter(([key]) => !key.endsWith('.attn.bias'));
    const [metadata, dict] = converted({ config, tensors: Object.fromEntries(own) });
    // Converters may write a tied unembedding, too.
    if (name === 'gpt2-a') dict['output.weight'] = dict['token_embd.weight'];
    const bytes = ggufFile(metadata, dict);
    for (const weights of ['float32', 'int8', 'int4']) {
      const expected = Transformer.fromPretrained({ config, tensors, weights });
      for (const gguf of [loadGguf(bytes), await loadGguf(new Blob([bytes]))]) {
        const model = await Transformer.fromPretrained({ gguf, weights });
        assert.deepEqual(model.forward(input, options), expected.forward(input, options));
        const ours = model.stateDict({ names: 'pretrained' });
        for (const [key, tensor] of Object.entries(expected.stateDict({ names: 'pretrained' }))) {
          assert.deepEqual(ours[key] ?? ours[`model.${key}`] ?? ours[`transformer.${key}`], tensor);
        }
        for (const [field, value] of Object.entries(model.config())) {
          if (field in config) assert.equal(value, config[field], field);
        }
      }
    }
  });
}

test('the largest Gemma 2 divides its scores by the root of the width per head', () => {
  const [metadata, own] = converted(readCheckpoint('gemma2-a'));
  const layers = Array.from({ length: 46 }, (_, layer) =>
    Object.entries(own).map(([name, tensor]) => [name.replace(/blk\.\d+/, `blk.${layer}`), tensor]),
  );
  const largest = { ...metadata, 'gemma2.block_count': 46 };
  assert.equal(loadModel(metadata, own).config().query_pre_attn_scalar, 6);
  const model = loadModel(largest, Object.fromEntries(layers.flat()));
  assert.equal(model.config().query_pre_attn_scalar, 12 / 4);
});

const [keys, dict] = converted(readCheckpoint('llama-a'));
/** The small model's file with the frequencies of its heads of 8 numbers divided. */
const divided = (divisors) => ({ ...dict, 'rope_freqs.weight': new Tensor(divisors, [4]) });

/** Metadata that a model cannot have, and the error. */
const refused = `
{ "general.architecture": "mamba" } bytes: expected 'general.architecture' to be one of gpt2, llama, qwen2, qwen3, gemma, gemma2, got "mamba"
{ "general.architecture": "gpt2" } bytes: expected gpt2.context_length, gpt2.embedding_length, gpt2.block_count, gpt2.feed_forward_length, gpt2.attention.head_count, gpt2.attention.layer_norm_epsilon in the metadata, got none
{ "split.count": 2 } bytes: expected a whole model; merge the parts by llama-gguf-split --merge, got split.count 2
{ "llama.expert_count": 8 } bytes: expected llama.expert_count to be 0, or missing, got 8
{ "llama.rope.dimension_count": 4 } bytes: expected llama.rope.dimension_count to be 8, or missing, got 4
{ "llama.attention.head_count": [2, 1] } num_attention_heads
{ "llama.attention.head_count": [2] } num_attention_heads
{ "llama.final_logit_softcapping": 30 } bytes: expected llama.final_logit_softcapping to be 0, or missing, got 30
{ "llama.attention.sliding_window": 13 } bytes: expected llama.attention.sliding_window to be 0, or missing, got 13
{ "split.count": 3, "general.architecture": "" } bytes: expected a whole model; merge the parts by llama-gguf-split --merge, got split.count 3
{ "llama.rope.scaling.type": "longrope" } longrope
`;

test('what a model cannot have is an error that names it, from memory and from a Blob', async () => {
  for (const line of refused.trim().split('\n')) {
    const [, json, text] = /^(\{.*?\}) (.*)$/.exec(line);
    const metadata = { ...keys, ...JSON.parse(json) };
    const code = text.endsWith('none') ? 'invalid-file' : 'invalid-option';
    const message = text.startsWith('bytes') ? text : new RegExp(text);
    assertFails(() => loadModel(metadata, dict), code, message);
    await assertRejects(() => loadLater(metadata, dict), code, message);
  }
  const experts = { ...dict, 'blk.0.ffn_gate_inp.weight': Tensor.ones([2, 16]) };
  const unexpected = /'blk.0.ffn_gate_inp.weight' is unexpected/;
  await assertRejects(() => loadLater(keys, experts), 'invalid-state-dict', unexpected);
  const gguf = loadGguf(ggufFile(keys, dict));
  const read = (given) => () => Transformer.fromPretrained(given);
  const both = /^gguf: expected no config or tensors beside it/;
  assertFails(read({ gguf, tensors: gguf.tensors }), 'invalid-option', both);
  assertFails(read({ gguf: { ...gguf } }), 'invalid-type', /^gguf: expected what loadGguf returns/);
});

test('keys that change nothing are read', () => {
  const expected = loadModel(keys, dict).forward([1, 2, 3]);
  for (const changed of [
    { 'split.count': 0 },
    { 'llama.attention.head_count': [2, 2], 'llama.feed_forward_length': [36, 36] },
    { 'llama.attention.sliding_window': 14 },
    { 'llama.rope.scaling.type': 'linear', 'llama.rope.scaling.factor': 0 },
    { 'llama.rope.scaling.type': 'yarn', 'llama.rope.scaling.original_context_length': 4 },
  ]) {
    assert.deepEqual(loadModel({ ...keys, ...changed }, dict).forward([1, 2, 3]), expected);
  }
});

test('biases of queries, keys and values alone are those of Qwen2', () => {
  const zeros = ['q', 'k', 'v'].map((name) => [
    `blk.0.attn_${name}.bias`,
    Tensor.zeros([name === 'q' ? 16 : 8]),
  ]);
  const others = zeros.map(([name, zero]) => [name.replace('0', '1'), zero]);
  const biased = loadModel(keys, { ...dict, ...Object.fromEntries([...zeros, ...others]) });
  assert.equal(biased.config().model_type, 'qwen2');
  assert.deepEqual(biased.forward([1, 2, 3]), loadModel(keys, dict).forward([1, 2, 3]));
});

test('scaled rotary positions become rope_scaling', async () => {
  const neutral = { ...keys, 'llama.expert_count': 0, 'llama.rope.scaling.type': 'none' };
  assert.equal(loadModel(neutral, divided([1, 1, 1, 1])).config().rope_scaling, undefined);
  const others = /'rope_freqs.weight' as in Llama 3, got other frequencies$/;
  await assertRejects(() => loadLater(keys, divided([1, 1, 2, 8])), 'invalid-option', others);
  const ofLlama3 = Array.from({ length: 4 }, (_, i) => {
    const smooth = (8192 / (2 * Math.PI * 5e5 ** (i / 4)) - 1) / 3;
    const part = Math.min(Math.max(smooth, 0), 1);
    return 1 / ((1 - part) / 32 + part);
  });
  const factor = { 'llama.rope.scaling.factor': 2 };
  const old = { 'llama.rope.scale_linear': 2 };
  const linear = { 'llama.rope.scaling.type': 'linear' };
  for (const [type, metadata, tensors] of [
    ...[{ ...linear, ...factor }, { ...linear, ...old }, factor, old].map((each) => {
      return ['linear', { ...keys, ...each }, dict];
    }),
    ['llama3', { ...keys, 'llama.rope.freq_base': typed('f32', 5e5) }, divided(ofLlama3)],
  ]) {
    assert.equal(loadModel(metadata, tensors).config().rope_scaling.rope_type, type);
  }
});

test('a head of Qwen3 is as wide as the width / heads, unless a key says otherwise', () => {
  const qwen3 = JSON.parse(JSON.stringify(keys).replaceAll('llama', 'qwen3'));
  const names = Object.keys(dict).filter((name) => /attn_[qk]\./.test(name));
  const norms = names.map((name) => [name.replace('.weight', '_norm.weight'), Tensor.ones([8])]);
  const model = loadModel(qwen3, { ...dict, ...Object.fromEntries(norms) });
  assert.equal(model.config().head_dim, 8);
});

const texts = ['Once upon a time, 123 cats', "  it's\n\tnever\n 1+1=2", 'é▁ 你好 🙂', ''];
/** The tokenizer of metadata below `tokenizer.ggml`. */
const tokenizerOf = (values) =>
  loadGguf(
    ggufFile(
      Object.fromEntries(
        Object.entries(values).map(([key, each]) => [`tokenizer.ggml.${key}`, each]),
      ),
    ),
  ).tokenizer();

test('byte-level BPE encodes and decodes as the tokenizer.json that it came from', () => {
  const [tokenizer, config] = ['tokenizer.json', 'tokenizer_config.json'].map((name) =>
    JSON.parse(readFileSync(join(project, 'examples/language-model/model', name), 'utf8')),
  );
  const expected = new Tokenizer(tokenizer, config);
  const { vocab, merges } = tokenizer.model;
  const values = {
    ...{ model: 'gpt2', pre: 'gpt-2', merges: merges.map((pair) => pair.join(' ')) },
    tokens: Object.keys(vocab).sort((a, b) => vocab[a] - vocab[b]),
    token_type: Object.keys(vocab).map((_, id) => (id === 0 ? 3 : 1)),
    ...{ bos_token_id: 0, eos_token_id: 0 },
  };
  const of = (changed) => {
    const made = tokenizerOf({ ...values, ...changed });
    return new Tokenizer(made.tokenizer, made.config);
  };
  const ours = of({});
  for (const text of [...texts, '<|endoftext|>a<|endoftext|>']) {
    const { ids } = ours.encode(text);
    assert.deepEqual(ids, expected.encode(text).ids);
    if (text !== '') assert.equal(ours.decode(ids), expected.decode(ids));
  }
  assert.equal(ours.config.bos_token, config.bos_token);
  assert.deepEqual(of({ add_bos_token: true }).encode('a').ids, [0, ...ours.encode('a').ids]);
  const qwen2 = of({ pre: 'qwen2' });
  assert.deepEqual(qwen2.encode('e\u0301').ids, ours.encode('é').ids);
  assert.equal(qwen2.pre_tokenizer("It's 123\n\n a").join('|'), "It|'s|Ġ|1|2|3|ĊĊ|Ġa");
  const [unsupported, invalid] = ['unsupported', 'invalid-file'];
  assertFails(
    () => of({ pre: 'other' }),
    unsupported,
    /'tokenizer.ggml.pre' to be one of .*"other"$/,
  );
  assertFails(() => of({ model: 'bert' }), unsupported, /'gpt2' or 'llama', got "bert"$/);
  assertFails(
    () => of({ token_type: [1] }),
    invalid,
    /of 8192 numbers, one for each token, got 1$/,
  );
  assertFails(() => of({ bos_token_id: 8192 }), invalid, /of a number below 8192, got 8192$/);
});

test("SentencePiece's BPE merges by scores, and falls back to bytes", () => {
  const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, '0');
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${hex(byte)}>`);
  const pieces = '▁a ▁t er in ime me ▁ti ti tim at ▁cat cat 12 123'.split(' ');
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...pieces, ...new Set('▁Onceupatim,123sr')];
  const first = 259;
  const { tokenizer, config } = tokenizerOf({
    ...{ model: 'llama', tokens, bos_token_id: 1, unknown_token_id: 0 },
    scores: typed('array', { of: 'f32', values: tokens.map((_, id) => Math.min(first - id, 0)) }),
    token_type: tokens.map((_, id) => [2, 3, 3][id] ?? (id < first ? 6 : 1)),
  });
  const made = new Tokenizer(tokenizer, config);
  for (const text of texts) {
    let symbols = text === '' ? [] : [...`▁${text.replaceAll(' ', '▁')}`];
    for (;;) {
      // Merges the leftmost pair with the largest score.
      const pairs = symbols.slice(1).map((next, i) => tokens.indexOf(symbols[i] + next, first));
      const best = Math.min(...pairs.filter((id) => id >= 0));
      if (best === Infinity) break;
      const at = pairs.indexOf(best);
      symbols = [...symbols.slice(0, at), tokens[best], ...symbols.slice(at + 2)];
    }
    const ids = symbols.flatMap((symbol) =>
      tokens.includes(symbol)
        ? [tokens.indexOf(symbol)]
        : [...Buffer.from(symbol)].map((byte) => byte + 3),
    );
    assert.deepEqual(made.encode(text).ids, [1, ...ids], text);
    if (text !== '') assert.equal(made.decode(ids), text.replaceAll('▁', ' '));
  }
});
