// Writes the model of this folder as one GGUF file, which llama.cpp reads, too: weights in 8 bits, with
// the tokenizer.
//
//   node examples/language-model/to-gguf.mjs OUT [FOLDER]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ggufFile, toQ8 } from './gguf.mjs';

const [, , out = 'model.gguf', folder = fileURLToPath(new URL('model', import.meta.url))] =
  process.argv;

/** Names of tensors in a GGUF file. */
const names = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

const nameOf = (/** @type {string} */ name) =>
  Object.entries(names).reduce(
    (changed, [from, to]) => changed.replace(from, to),
    name.replace('model.layers', 'blk'),
  );

/** A float16's value, by its bits. */
function half(/** @type {number} */ bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size =
    exponent === 0 ? fraction / 1024 / 2 ** 14 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/** Tensors of a safetensors file of float16 numbers; matrices in 8 bits. */
function tensorsIn(/** @type {Buffer} */ file) {
  const begin = 8 + Number(file.readBigUInt64LE());
  /** @type {Record<string, { shape: number[], data_offsets: [number, number] }>} */
  const header = JSON.parse(file.toString('utf8', 8, begin));
  return Object.fromEntries(
    Object.entries(header)
      .filter(([name]) => name !== '__metadata__')
      .map(
        ([
          name,
          {
            shape,
            data_offsets: [from, to],
          },
        ]) => {
          const data = Float32Array.from({ length: (to - from) / 2 }, (_, i) =>
            half(file.readUInt16LE(begin + from + 2 * i)),
          );
          return [nameOf(name), shape.length > 1 ? toQ8(data, shape) : { shape, data }];
        },
      ),
  );
}

const json = (/** @type {string} */ name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const config = json('config.json');
/** @type {{ vocab: Record<string, number>, merges: [string, string][] }} */
const { vocab, merges } = json('tokenizer.json').model;
// An object lists keys such as "7" first, whatever their ids.
const tokens = Object.entries(vocab)
  .sort(([, id], [, other]) => id - other)
  .map(([token]) => token);

/** @type {Record<string, unknown>} */
const metadata = {
  'general.architecture': 'qwen2',
  'general.name': 'headwise language model',
  'general.license': 'apache-2.0',
  'qwen2.context_length': config.max_position_embeddings,
  'qwen2.embedding_length': config.hidden_size,
  'qwen2.block_count': config.num_hidden_layers,
  'qwen2.feed_forward_length': config.intermediate_size,
  'qwen2.attention.head_count': config.num_attention_heads,
  'qwen2.attention.head_count_kv': config.num_key_value_heads,
  'qwen2.attention.layer_norm_rms_epsilon': config.rms_norm_eps,
  'qwen2.rope.freq_base': { type: 'f32', value: config.rope_theta },
  'tokenizer.ggml.model': 'gpt2',
  'tokenizer.ggml.pre': 'gpt-2',
  'tokenizer.ggml.tokens': tokens,
  // The first is a control token, all others are normal ones.
  'tokenizer.ggml.token_type': {
    type: 'array',
    value: { of: 'i32', values: tokens.map((_, id) => (id === 0 ? 3 : 1)) },
  },
  'tokenizer.ggml.merges': merges.map((pair) => pair.join(' ')),
  'tokenizer.ggml.bos_token_id': config.bos_token_id,
  'tokenizer.ggml.eos_token_id': config.eos_token_id,
  'tokenizer.ggml.add_bos_token': false,
};

mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, ggufFile(metadata, tensorsIn(readFileSync(join(folder, 'model.safetensors')))));
