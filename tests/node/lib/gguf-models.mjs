// GGUF files of checkpoints, with the names and layouts of llama.cpp's convert_hf_to_gguf.py.
import { Tensor } from 'headwise';
import { typed } from './gguf.mjs';

/** Keys and their fields in the configs of Llama and GPT-2. */
const fields = {
  context_length: ['max_position_embeddings', 'n_positions'],
  embedding_length: ['hidden_size', 'n_embd'],
  block_count: ['num_hidden_layers', 'n_layer'],
  feed_forward_length: ['intermediate_size', 'n_inner'],
  'attention.head_count': ['num_attention_heads', 'n_head'],
  'attention.head_count_kv': ['num_key_value_heads'],
  'attention.layer_norm_rms_epsilon': ['rms_norm_eps'],
  'attention.layer_norm_epsilon': ['', 'layer_norm_epsilon'],
  'rope.freq_base': ['rope_theta'],
  'attention.key_length': ['head_dim'],
  'attention.sliding_window': ['sliding_window'],
  attn_logit_softcapping: ['attn_logit_softcapping'],
  final_logit_softcapping: ['final_logit_softcapping'],
};
const parts = {
  ...{ embed_tokens: 'token_embd', wte: 'token_embd', wpe: 'position_embd', lm_head: 'output' },
  ...{ input_layernorm: 'attn_norm', ln_1: 'attn_norm', 'self_attn.q_proj': 'attn_q' },
  ...{ 'self_attn.k_proj': 'attn_k', 'self_attn.v_proj': 'attn_v', 'attn.c_attn': 'attn_qkv' },
  ...{ 'self_attn.o_proj': 'attn_output', 'attn.c_proj': 'attn_output', 'mlp.c_fc': 'ffn_up' },
  ...{ post_attention_layernorm: 'ffn_norm', pre_feedforward_layernorm: 'ffn_norm' },
  ...{ post_feedforward_layernorm: 'post_ffw_norm', ln_2: 'ffn_norm', 'mlp.gate_proj': 'ffn_gate' },
  ...{ 'mlp.up_proj': 'ffn_up', 'mlp.down_proj': 'ffn_down', 'mlp.c_proj': 'ffn_down' },
  ...{ ln_f: 'output_norm', norm: 'output_norm' },
};
const pattern = /^(?:\D+\.(\d+)\.|model\.|transformer\.)?([\w.]+)\.(\w+)$/;
const ofGemma2 = { post_attention_layernorm: 'post_attention_norm' };
const ggufName = (name, type) =>
  name.replace(pattern, (_, layer, part, kind) => {
    const own = (type === 'gemma2' && ofGemma2[part]) || parts[part];
    return `${layer ? `blk.${layer}.` : ''}${own}.${kind}`;
  });

/** Rows of heads whose halves alternate: reshape(heads, 2, rows / heads / 2, …).swapaxes(1, 2). */
function interleaved(tensor, heads) {
  const rows = tensor.toArray();
  const half = rows.length / heads / 2;
  const from = (i) => i - (i % (2 * half)) + (i % 2) * half + Math.floor((i % (2 * half)) / 2);
  return Tensor.from(rows.map((_, i) => rows[from(i)]));
}
const transposed = (tensor) =>
  Tensor.from(tensor.toArray()[0].map((_, i) => tensor.toArray().map((row) => row[i])));

/** Metadata and tensors of a checkpoint's file. */
export function converted({ config, tensors }) {
  const { model_type: type, num_attention_heads: heads, num_key_value_heads: keyHeads } = config;
  const isGpt2 = type === 'gpt2';
  const all = { n_inner: 4 * config.n_embd, ...config };
  const keys = Object.entries(fields)
    .map(([key, names]) => [key, all[names[Number(isGpt2)]]])
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const isFloat = /eps|base|cap/.test(key);
      return [`${type}.${key}`, isFloat ? typed('f32', value) : value];
    });
  const written = Object.entries(tensors).map(([name, tensor]) => {
    const [, head] = /\.([qk])_proj\./.exec(name) ?? [];
    const theirs = ggufName(name, type);
    if (isGpt2 && /\.c_\w+\.weight$/.test(name)) return [theirs, transposed(tensor)];
    if (type.startsWith('gemma') && name.endsWith('norm.weight'))
      return [
        theirs,
        new Tensor(
          tensor.data.map((each) => each + 1),
          tensor.shape,
        ),
      ];
    if (head === undefined || type !== 'llama') return [theirs, tensor];
    return [theirs, interleaved(tensor, head === 'q' ? heads : keyHeads)];
  });
  return [
    { 'general.architecture': type, ...Object.fromEntries(keys) },
    Object.fromEntries(written),
  ];
}
