// The quantized model as a GGUF file of the architecture `llama`.
import { ggufFile, typed } from '../../../examples/language-model/gguf.mjs';
import { epsilon, rotaryBase } from '../language-model.mjs';
import { quantizedWeights } from '../quantized-model.mjs';

/** Parts of headwise's names, and those of GGUF files. */
const names = [
  [/^layers/, 'blk'],
  ['embedding', 'token_embd'],
  [/^norm/, 'output_norm'],
  ['.norm', '.attn_norm'],
  ['attention.W_q', 'attn_q'],
  ['attention.W_k', 'attn_k'],
  ['attention.W_v', 'attn_v'],
  ['attention.W_o', 'attn_output'],
  ['ffn.gate', 'ffn_gate'],
  ['ffn.dense1', 'ffn_up'],
  ['ffn.dense2', 'ffn_down'],
];
const nameOf = (name) => names.reduce((changed, [from, to]) => changed.replace(from, to), name);

/** Rows of queries or keys in the order of this architecture: each pair that is rotated side by side. */
function pairedRows({ codes, shape: [rows, columns] }, numHeads) {
  const size = rows / numHeads;
  const paired = new Int8Array(codes.length);
  for (let row = 0; row < rows; row++) {
    const place = row % size;
    const from = row - place + (place % 2) * (size / 2) + Math.floor(place / 2);
    paired.set(codes.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return paired;
}

/** Blocks of 32 codes behind a float16 scale. Source: `block_q8_0` and `block_q4_0` in ggml-common.h. */
function blocksOf(type, codes, scale) {
  const size = type === 'Q8_0' ? 34 : 18;
  const bytes = new Uint8Array((codes.length / 32) * size);
  const scaleBits = (Math.log2(scale) + 15) << 10;
  for (let from = 0, at = 0; from < codes.length; from += 32, at += size) {
    bytes[at] = scaleBits & 255;
    bytes[at + 1] = scaleBits >> 8;
    if (type === 'Q8_0') bytes.set(codes.subarray(from, from + 32), at + 2);
    else {
      for (let i = 0; i < 16; i++) {
        bytes[at + 2 + i] = (codes[from + i] + 8) | ((codes[from + i + 16] + 8) << 4);
      }
    }
  }
  return bytes;
}

/** Tokens 33 to 126 are the characters of these codes in ASCII, so that a text can be a prompt. */
function vocabularyOf(size) {
  return Array.from({ length: size }, (_, id) =>
    id > 32 && id < 127 ? String.fromCharCode(id) : `<${id}>`,
  );
}

/** The bytes of the file. */
export function ggufModel(problem) {
  const { weightType: type, vocabularySize, numHeads } = problem;
  const tensors = Object.entries(quantizedWeights(problem)).map(([name, weight]) => {
    const { shape, codes, scale } = weight;
    if (!codes) return [nameOf(name), weight];
    const rows = /W_[qk]/.test(name) ? pairedRows(weight, numHeads) : codes;
    return [nameOf(name), { type, shape, bytes: blocksOf(type, rows, scale) }];
  });
  const metadata = {
    'general.architecture': 'llama',
    'llama.context_length': problem.maxLength,
    'llama.embedding_length': problem.numHiddens,
    'llama.block_count': problem.numLayers,
    'llama.feed_forward_length': problem.ffnHiddens,
    'llama.attention.head_count': numHeads,
    'llama.attention.layer_norm_rms_epsilon': epsilon,
    'llama.rope.freq_base': typed('f32', rotaryBase),
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': vocabularyOf(vocabularySize),
    // Of characters that no prompt has.
    'tokenizer.ggml.merges': ['<0> <1>'],
    'tokenizer.ggml.eos_token_id': 0,
    'tokenizer.ggml.add_bos_token': false,
  };
  return ggufFile(metadata, Object.fromEntries(tensors));
}
