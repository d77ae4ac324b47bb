// Makes tests/data/hub: tiny files with the names, dtypes and configs of checkpoints that many people use.
//
// Names and fields are from Transformers' code, the model cards, and reports of checkpoints that did not load. A
// parameter's numbers follow from its name in the plain layout of its family, and float16 and bfloat16 hold them
// exactly, so `same` files must give the same model. Run it in the repository: node tests/data/make_hub.mjs
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

const folder = new URL('hub/', import.meta.url);
const [D, HEADS, V, P] = [4, 2, 5, 6];

/** Multiples of 1/64 up to 1/2, around 1 for weights of norms. */
function numbersOf(key, shape) {
  let state = [...key].reduce((hash, char) => Math.imul(hash ^ char.codePointAt(0), 16777619), 7);
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 16) % 65) / 64 - 0.5;
  };
  const isNorm = /(norm\w*|ln_\w|LayerNorm)\.weight$/i.test(key);
  return Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => (isNorm ? 1 + Math.trunc(32 * next()) / 64 : next()));
}

const float16 = (x) => {
  if (x === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(x)));
  const mantissa = (Math.abs(x) / 2 ** exponent - 1) * 1024;
  return (x < 0 ? 0x8000 : 0) + (exponent + 15) * 1024 + mantissa;
};
const bytesOf = {
  F32: (numbers) => new Uint8Array(Float32Array.from(numbers).buffer),
  F64: (numbers) => new Uint8Array(Float64Array.from(numbers).buffer),
  F16: (numbers) => new Uint8Array(Uint16Array.from(numbers, float16).buffer),
  BF16: (numbers) => new Uint8Array(Uint16Array.from(new Uint32Array(Float32Array.from(numbers).buffer), (bits) => bits >>> 16).buffer),
  I64: (numbers) => new Uint8Array(BigInt64Array.from(numbers, (_, i) => BigInt(i)).buffer),
  BOOL: (numbers) => Uint8Array.from(numbers, () => 1),
};

function safetensors(tensors) {
  const header = { __metadata__: { format: 'pt' } };
  const parts = [];
  let end = 0;
  for (const { name, key = name, shape, dtype = 'F32' } of tensors) {
    const bytes = bytesOf[dtype](numbersOf(key, shape));
    header[name] = { dtype, shape, data_offsets: [end, (end += bytes.length)] };
    parts.push(bytes);
  }
  const text = JSON.stringify(header);
  const json = new TextEncoder().encode(text.padEnd(8 * Math.ceil(text.length / 8)));
  return Buffer.concat([new Uint8Array(BigUint64Array.of(BigInt(json.length)).buffer), json, ...parts]);
}

const tensor = (name, ...shape) => ({ name, key: name, shape });
const linear = (name, out, inputs) => [tensor(`${name}.weight`, out, inputs), tensor(`${name}.bias`, out)];
const norm = (name) => [tensor(`${name}.weight`, D), tensor(`${name}.bias`, D)];
const each = (tensors, change) => tensors.map((one) => ({ ...one, ...change(one) }));
const prefixed = (prefix, tensors) => each(tensors, ({ name }) => ({ name: prefix + name }));
const as = (dtype, tensors) => each(tensors, (one) => ({ dtype: one.dtype ?? dtype }));
const renamed = (tensors, ...pairs) =>
  each(tensors, ({ name }) => ({ name: pairs.reduce((text, [from, to]) => text.replace(from, to), name) }));
const without = (tensors, pattern) => tensors.filter(({ name }) => !pattern.test(name));
/** Another name of a tensor of that key, or a tensor of its own. */
const copy = (name, key, ...shape) => ({ name, key, shape });

// GPT-2, nanoGPT, minGPT
const gpt2 = [
  tensor('wte.weight', V, D),
  tensor('wpe.weight', P, D),
  ...norm('h.0.ln_1'),
  tensor('h.0.attn.c_attn.weight', D, 3 * D),
  tensor('h.0.attn.c_attn.bias', 3 * D),
  ...linear('h.0.attn.c_proj', D, D),
  ...norm('h.0.ln_2'),
  tensor('h.0.mlp.c_fc.weight', D, 4 * D),
  tensor('h.0.mlp.c_fc.bias', 4 * D),
  tensor('h.0.mlp.c_proj.weight', 4 * D, D),
  tensor('h.0.mlp.c_proj.bias', D),
  ...norm('ln_f'),
];
const gpt2Mask = { ...tensor('h.0.attn.bias', 1, 1, P, P) };
const gpt2Buffers = [gpt2Mask, { ...tensor('h.0.attn.masked_bias') }];
const gpt2Config = {
  ...{ activation_function: 'gelu_new', architectures: ['GPT2LMHeadModel'], attn_pdrop: 0.1 },
  ...{ bos_token_id: 4, embd_pdrop: 0.1, eos_token_id: 4, initializer_range: 0.02 },
  ...{ layer_norm_epsilon: 1e-5, model_type: 'gpt2', n_ctx: P, n_embd: D, n_head: HEADS, n_layer: 1 },
  ...{ n_positions: P, resid_pdrop: 0.1, summary_activation: null, summary_first_dropout: 0.1 },
  ...{ summary_proj_to_labels: true, summary_type: 'cls_index', summary_use_proj: true },
  task_specific_params: { 'text-generation': { do_sample: true, max_length: 50 } },
  vocab_size: V,
};
const untransposed = each(gpt2, ({ name, shape: [rows, columns] }) =>
  /(c_attn|c_fc|mlp\.c_proj)\.weight$/.test(name) ? { shape: [columns, rows] } : {},
);
const gpt2Head = copy('lm_head.weight', 'wte.weight', V, D);
const nanogpt = [...prefixed('transformer.', untransposed), gpt2Head];
const nanogptConfig = {
  ...{ model_type: 'nanogpt', n_layer: 1, n_head: HEADS, n_embd: D, block_size: P, bias: true },
  ...{ vocab_size: V, dropout: 0 },
};
const minGpt = [...prefixed('transformer.', [...untransposed, gpt2Mask]), tensor('lm_head.weight', V, D)];
const minGptConfig = {
  ...{ model_type: 'gpt-nano', n_layer: 1, n_head: HEADS, n_embd: D, vocab_size: V, block_size: P },
  ...{ embd_pdrop: 0.1, resid_pdrop: 0.1, attn_pdrop: 0.1 },
};

// Llama, Mistral, Qwen2
const llamaBody = (biases) => [
  tensor('embed_tokens.weight', V, D),
  tensor('layers.0.input_layernorm.weight', D),
  ...['q', 'k', 'v'].flatMap((one) => {
    const [weight, bias] = linear(`layers.0.self_attn.${one}_proj`, one === 'q' ? D : D / 2, D);
    return biases ? [bias, weight] : [weight];
  }),
  tensor('layers.0.self_attn.o_proj.weight', D, D),
  tensor('layers.0.post_attention_layernorm.weight', D),
  tensor('layers.0.mlp.gate_proj.weight', 6, D),
  tensor('layers.0.mlp.up_proj.weight', 6, D),
  tensor('layers.0.mlp.down_proj.weight', D, 6),
  tensor('norm.weight', D),
];
const llamaHead = tensor('lm_head.weight', V, D);
const llamaCausal = (biases) => [...prefixed('model.', llamaBody(biases)), llamaHead];
const tiedHead = copy('lm_head.weight', 'embed_tokens.weight', V, D);
const inverseFrequencies = tensor('model.layers.0.self_attn.rotary_emb.inv_freq', 1);
const llamaConfig = {
  ...{ architectures: ['LlamaForCausalLM'], attention_bias: false, attention_dropout: 0 },
  ...{ bos_token_id: 1, eos_token_id: 2, hidden_act: 'silu', hidden_size: D, initializer_range: 0.02 },
  ...{ intermediate_size: 6, max_position_embeddings: P, mlp_bias: false, model_type: 'llama' },
  ...{ num_attention_heads: HEADS, num_hidden_layers: 1, num_key_value_heads: 1, pretraining_tp: 1 },
  ...{ rms_norm_eps: 1e-5, rope_scaling: null, rope_theta: 10000, tie_word_embeddings: false },
  ...{ torch_dtype: 'bfloat16', transformers_version: '4.40.0', use_cache: true, vocab_size: V },
};
const { attention_bias: _a, mlp_bias: _m, pretraining_tp: _p, rope_scaling: _s, ...ofMistral } = llamaConfig;
const mistralConfig = { ...{ ...ofMistral, architectures: ['MistralForCausalLM'], model_type: 'mistral' }, sliding_window: 4096 };
const qwen2Config = {
  ...{ ...ofMistral, architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2', rope_theta: 1e6 },
  ...{ max_window_layers: 21, sliding_window: 131072, use_sliding_window: false, use_mrope: false },
};

// Qwen3, Gemma, Gemma 2, GPT-Neo, GPT-NeoX
const qwen3 = [...llamaBody(false), ...['q', 'k'].map((one) => tensor(`layers.0.self_attn.${one}_norm.weight`, 2))];
const qwen3Config = {
  ...{ ...ofMistral, architectures: ['Qwen3ForCausalLM'], model_type: 'qwen3', attention_bias: false, head_dim: 2 },
  ...{ max_window_layers: 28, rope_scaling: null, rope_theta: 1e6, sliding_window: null, use_sliding_window: false },
};
const gemma2 = [
  ...llamaBody(false),
  ...['pre', 'post'].map((place) => tensor(`layers.0.${place}_feedforward_layernorm.weight`, D)),
];
const gemma2Config = {
  ...{ ...ofMistral, architectures: ['Gemma2ForCausalLM'], model_type: 'gemma2', tie_word_embeddings: undefined },
  ...{ attention_bias: false, attn_logit_softcapping: 50, cache_implementation: 'hybrid', final_logit_softcapping: 30 },
  ...{ head_dim: 2, hidden_act: 'gelu_pytorch_tanh', hidden_activation: 'gelu_pytorch_tanh' },
  ...{ query_pre_attn_scalar: 256, sliding_window: 2 },
};
const gptNeoAttention = 'h.0.attn.attention';
const gptNeo = [
  ...gpt2.filter(({ name }) => /^w.e|ln_/.test(name)),
  ...['q', 'k', 'v'].map((one) => tensor(`${gptNeoAttention}.${one}_proj.weight`, D, D)),
  ...linear(`${gptNeoAttention}.out_proj`, D, D),
  ...linear('h.0.mlp.c_fc', 4 * D, D),
  ...linear('h.0.mlp.c_proj', D, 4 * D),
  tensor(`${gptNeoAttention}.bias`, 1, 1, P, P),
  tensor(`${gptNeoAttention}.masked_bias`),
];
const gptNeoConfig = {
  ...{ activation_function: 'gelu_new', architectures: ['GPTNeoForCausalLM'], attention_dropout: 0 },
  ...{ attention_layers: ['local'], attention_types: [[['local'], 1]], hidden_size: D, intermediate_size: null },
  ...{ layer_norm_epsilon: 1e-5, max_position_embeddings: P, model_type: 'gpt_neo', num_heads: HEADS, num_layers: 1 },
  ...{ vocab_size: V, window_size: 2 },
};
const neoxAttention = 'gpt_neox.layers.0.attention';
const gptNeox = [
  tensor('gpt_neox.embed_in.weight', V, D),
  ...['input', 'post_attention'].flatMap((place) => norm(`gpt_neox.layers.0.${place}_layernorm`)),
  ...linear(`${neoxAttention}.query_key_value`, 3 * D, D),
  ...linear(`${neoxAttention}.dense`, D, D),
  ...linear('gpt_neox.layers.0.mlp.dense_h_to_4h', 8, D),
  ...linear('gpt_neox.layers.0.mlp.dense_4h_to_h', D, 8),
  ...norm('gpt_neox.final_layer_norm'),
  tensor('embed_out.weight', V, D),
  tensor(`${neoxAttention}.bias`, 1, 1, P, P),
  tensor(`${neoxAttention}.masked_bias`),
  tensor(`${neoxAttention}.rotary_emb.inv_freq`, 1),
];
const gptNeoxConfig = {
  ...{ architectures: ['GPTNeoXForCausalLM'], bos_token_id: 0, eos_token_id: 0, hidden_act: 'gelu', hidden_size: D },
  ...{ intermediate_size: 8, layer_norm_eps: 1e-5, max_position_embeddings: P, model_type: 'gpt_neox' },
  ...{ num_attention_heads: HEADS, num_hidden_layers: 1, rotary_emb_base: 10000, rotary_pct: 1, vocab_size: V },
  ...{ tie_word_embeddings: false, torch_dtype: 'float16', use_cache: true, use_parallel_residual: true },
};

// BERT, RoBERTa, DistilBERT
const encoderLayer = (of) => [
  ...linear(`${of}.attention.self.query`, D, D),
  ...linear(`${of}.attention.self.key`, D, D),
  ...linear(`${of}.attention.self.value`, D, D),
  ...linear(`${of}.attention.output.dense`, D, D),
  ...norm(`${of}.attention.output.LayerNorm`),
  ...linear(`${of}.intermediate.dense`, 8, D),
  ...linear(`${of}.output.dense`, D, 8),
  ...norm(`${of}.output.LayerNorm`),
];
const bert = (positions, segments) => [
  tensor('embeddings.word_embeddings.weight', V, D),
  tensor('embeddings.position_embeddings.weight', positions, D),
  tensor('embeddings.token_type_embeddings.weight', segments, D),
  ...norm('embeddings.LayerNorm'),
  ...encoderLayer('encoder.layer.0'),
];
const pooler = linear('pooler.dense', D, D);
const positionIds = { ...tensor('embeddings.position_ids', 1, P), dtype: 'I64' };
const words = (name) => copy(name, 'embeddings.word_embeddings.weight', V, D);
const predictions = [
  tensor('cls.predictions.bias', V),
  ...norm('cls.predictions.transform.LayerNorm'),
  ...linear('cls.predictions.transform.dense', D, D),
];
const bertConfig = {
  ...{ architectures: ['BertForMaskedLM'], attention_probs_dropout_prob: 0.1, hidden_act: 'gelu' },
  ...{ gradient_checkpointing: false, hidden_dropout_prob: 0.1, hidden_size: D, id2label: { 0: 'A' } },
  ...{ initializer_range: 0.02, intermediate_size: 8, label2id: { A: 0 }, layer_norm_eps: 1e-12 },
  ...{ max_position_embeddings: P, model_type: 'bert', num_attention_heads: HEADS, pad_token_id: 0 },
  ...{ num_hidden_layers: 1, position_embedding_type: 'absolute', type_vocab_size: 2, vocab_size: V },
};
const oldNorms = (tensors) => renamed(tensors, [/LayerNorm\.weight$/, 'LayerNorm.gamma'], [/LayerNorm\.bias$/, 'LayerNorm.beta']);
const bertBase = [...prefixed('bert.', [...bert(P, 2), ...pooler]), ...predictions];
const roberta = prefixed('roberta.', bert(P + 2, 1));
const robertaHead = [tensor('lm_head.bias', V), ...linear('lm_head.dense', D, D), ...norm('lm_head.layer_norm')];
const robertaConfig = {
  ...{ ...bertConfig, architectures: ['RobertaForMaskedLM'], bos_token_id: 0, eos_token_id: 2 },
  ...{ layer_norm_eps: 1e-5, max_position_embeddings: P + 2, model_type: 'roberta', pad_token_id: 1 },
  type_vocab_size: 1,
};
const distilbert = renamed(
  without(bert(P, 2), /token_type/),
  [/^encoder\.layer\.0\.attention\.output\.LayerNorm/, 'transformer.layer.0.sa_layer_norm'],
  [/^encoder\.layer\.0\.output\.LayerNorm/, 'transformer.layer.0.output_layer_norm'],
  [/^encoder\.layer\.0\.attention\.self\.query/, 'transformer.layer.0.attention.q_lin'],
  [/^encoder\.layer\.0\.attention\.self\.key/, 'transformer.layer.0.attention.k_lin'],
  [/^encoder\.layer\.0\.attention\.self\.value/, 'transformer.layer.0.attention.v_lin'],
  [/^encoder\.layer\.0\.attention\.output\.dense/, 'transformer.layer.0.attention.out_lin'],
  [/^encoder\.layer\.0\.intermediate\.dense/, 'transformer.layer.0.ffn.lin1'],
  [/^encoder\.layer\.0\.output\.dense/, 'transformer.layer.0.ffn.lin2'],
);
const distilbertConfig = {
  ...{ activation: 'gelu', architectures: ['DistilBertForMaskedLM'], attention_dropout: 0.1, dim: D },
  ...{ dropout: 0.1, hidden_dim: 8, initializer_range: 0.02, max_position_embeddings: P },
  ...{ model_type: 'distilbert', n_heads: HEADS, n_layers: 1, pad_token_id: 0, qa_dropout: 0.1 },
  ...{ seq_classif_dropout: 0.2, sinusoidal_pos_embds: false, tie_weights_: true, vocab_size: V },
};
const distilbertHead = [
  ...linear('vocab_transform', D, D),
  ...norm('vocab_layer_norm'),
  words('vocab_projector.weight'),
  tensor('vocab_projector.bias', V),
];

// ViT: images of 4 × 4 in patches of 2 × 2
const vit = [
  tensor('embeddings.cls_token', 1, 1, D),
  tensor('embeddings.position_embeddings', 1, 5, D),
  tensor('embeddings.patch_embeddings.projection.weight', D, 1, 2, 2),
  tensor('embeddings.patch_embeddings.projection.bias', D),
  ...renamed(without(encoderLayer('encoder.layer.0'), /LayerNorm/), [/attention\.self\./, 'attention.attention.']),
  ...norm('encoder.layer.0.layernorm_before'),
  ...norm('encoder.layer.0.layernorm_after'),
  ...norm('layernorm'),
];
const vitConfig = {
  ...{ architectures: ['ViTForImageClassification'], attention_probs_dropout_prob: 0, hidden_act: 'gelu' },
  ...{ hidden_dropout_prob: 0, hidden_size: D, image_size: 4, initializer_range: 0.02 },
  ...{ intermediate_size: 8, layer_norm_eps: 1e-12, model_type: 'vit', num_attention_heads: HEADS },
  ...{ num_channels: 1, num_hidden_layers: 1, patch_size: 2, qkv_bias: true },
};

// BART, Marian
const bartAttention = (of) => ['k', 'v', 'q', 'out'].flatMap((one) => linear(`${of}.${one}_proj`, D, D));
const bartSide = (side, cross, norms) => [
  ...bartAttention(`${side}.layers.0.self_attn`),
  ...norm(`${side}.layers.0.self_attn_layer_norm`),
  ...(cross ? [...bartAttention(`${side}.layers.0.encoder_attn`), ...norm(`${side}.layers.0.encoder_attn_layer_norm`)] : []),
  ...linear(`${side}.layers.0.fc1`, 8, D),
  ...linear(`${side}.layers.0.fc2`, D, 8),
  ...norm(`${side}.layers.0.final_layer_norm`),
  ...(norms ? norm(`${side}.layernorm_embedding`) : []),
];
const shared = (name) => copy(name, 'shared.weight', V, D);
const encoderDecoder = (norms, positions) => [
  shared('shared.weight'),
  shared('encoder.embed_tokens.weight'),
  tensor('encoder.embed_positions.weight', positions, D),
  ...bartSide('encoder', false, norms),
  shared('decoder.embed_tokens.weight'),
  tensor('decoder.embed_positions.weight', positions, D),
  ...bartSide('decoder', true, norms),
];
const bart = encoderDecoder(true, P + 2);
const inModel = (tensors) => prefixed('model.', tensors);
const zeroBias = { ...tensor('final_logits_bias', 1, V) };
const classificationHead = [...linear('classification_head.dense', D, D), ...linear('classification_head.out_proj', 3, D)];
const bartConfig = {
  ...{ activation_dropout: 0.1, activation_function: 'gelu', add_bias_logits: false },
  ...{ add_final_layer_norm: false, architectures: ['BartForConditionalGeneration'], d_model: D },
  ...{ decoder_attention_heads: HEADS, decoder_ffn_dim: 8, decoder_layers: 1, dropout: 0.1 },
  ...{ decoder_start_token_id: 2, encoder_attention_heads: HEADS, encoder_ffn_dim: 8 },
  ...{ encoder_layers: 1, is_encoder_decoder: true, max_position_embeddings: P, model_type: 'bart' },
  ...{ normalize_before: false, normalize_embedding: true, num_hidden_layers: 1, pad_token_id: 1 },
  ...{ scale_embedding: false, static_position_embeddings: false, extra_pos_embeddings: 2 },
  ...{ task_specific_params: { summarization: { num_beams: 4 } }, vocab_size: V },
};
const marian = encoderDecoder(false, P);
const marianConfig = {
  ...{ ...bartConfig, activation_function: 'swish', architectures: ['MarianMTModel'] },
  ...{ bad_words_ids: [[4]], decoder_vocab_size: V, model_type: 'marian', normalize_embedding: false },
  ...{ scale_embedding: true, share_encoder_decoder_embeddings: true, num_beams: 4 },
  ...{ static_position_embeddings: true, extra_pos_embeddings: undefined },
};

/** Each with the checkpoints whose names and fields these are. `same` names the file that holds the same model. */
const files = [
  [
    'gpt2',
    gpt2Config,
    [...gpt2, gpt2Mask],
    { like: 'openai-community/gpt2 openai-community/gpt2-medium openai-community/gpt2-large openai-community/gpt2-xl' },
  ],
  [
    'gpt2-dialogue',
    { ...gpt2Config, n_inner: null, scale_attn_weights: true },
    as('F16', [...prefixed('transformer.', [...gpt2, ...gpt2Buffers]), gpt2Head]),
    {
      same: 'gpt2',
      like: 'microsoft/DialoGPT-small microsoft/DialoGPT-medium microsoft/DialoGPT-large distilbert/distilgpt2 uer/gpt2-chinese-cluecorpussmall ai-forever/rugpt3small_based_on_gpt2 skt/kogpt2-base-v2',
    },
  ],
  [
    'gpt2-boolean-mask',
    { ...gpt2Config, n_inner: 16, reorder_and_upcast_attn: false, scale_attn_by_inverse_layer_idx: false },
    as('BF16', [...prefixed('transformer.', [...gpt2, { ...gpt2Mask, dtype: 'BOOL' }]), gpt2Head]),
    {
      same: 'gpt2',
      like: 'cerebras/Cerebras-GPT-111M cerebras/Cerebras-GPT-1.3B vicgalle/gpt2-open-instruct-v1 Gustavosta/MagicPrompt-Stable-Diffusion',
    },
  ],
  [
    'gpt2-head-only',
    gpt2Config,
    [...without(prefixed('transformer.', gpt2), /wte/), gpt2Head],
    { same: 'gpt2', like: 'safetensors.torch.save_model(GPT2LMHeadModel)' },
  ],
  [
    'gpt2-score',
    { ...gpt2Config, architectures: ['GPT2ForSequenceClassification'], pad_token_id: 4 },
    [...prefixed('transformer.', gpt2), tensor('score.weight', 2, D)],
    { same: 'gpt2', like: 'GPT2ForSequenceClassification.save_pretrained' },
  ],
  [
    'gpt2-inverse-layer',
    { ...gpt2Config, scale_attn_by_inverse_layer_idx: true, reorder_and_upcast_attn: true },
    undefined,
    { file: 'gpt2', like: 'stanford-crfm/alias-gpt2-small-x21 stanford-crfm/battlestar-gpt2-small-x49' },
  ],
  ['nanogpt', nanogptConfig, nanogpt, { like: 'karpathy/nanoGPT(out/ckpt.pt)' }],
  [
    'nanogpt-compiled',
    { ...nanogptConfig, bias: false },
    prefixed('_orig_mod.', without(nanogpt, /\.bias$/)),
    { like: 'karpathy/nanoGPT(train_shakespeare_char) karpathy/nanoGPT(train_gpt2)' },
  ],
  [
    'mingpt',
    minGptConfig,
    minGpt,
    { like: 'karpathy/minGPT(gpt-nano) karpathy/minGPT(gpt-micro) karpathy/minGPT(gpt-mini) karpathy/minGPT(gopher-44m)' },
  ],
  [
    'llama',
    { ...llamaConfig, rope_theta: 10000 },
    as('F16', [...llamaCausal(false), inverseFrequencies]),
    {
      like: 'meta-llama/Llama-2-7b-hf meta-llama/Llama-2-7b-chat-hf huggyllama/llama-7b lmsys/vicuna-7b-v1.5 openlm-research/open_llama_3b',
    },
  ],
  [
    'llama-3',
    { ...llamaConfig, eos_token_id: [128001, 128009], rope_theta: 500000 },
    as('BF16', llamaCausal(false)),
    { like: 'meta-llama/Meta-Llama-3-8B meta-llama/Meta-Llama-3-8B-Instruct NousResearch/Hermes-2-Pro-Llama-3-8B 01-ai/Yi-6B' },
  ],
  [
    'llama-small',
    { ...llamaConfig, rope_parameters: { rope_theta: 10000, rope_type: 'default' }, rope_theta: undefined, head_dim: 2, dtype: 'float32' },
    llamaCausal(false),
    {
      same: 'llama',
      like: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0 JackFram/llama-68m JackFram/llama-160m Xenova/llama2.c-stories15M hf-internal-testing/tiny-random-LlamaForCausalLM',
    },
  ],
  [
    'llama-tied',
    { ...llamaConfig, is_llama_config: true, rope_interleaved: false, tie_word_embeddings: true },
    as('BF16', prefixed('model.', llamaBody(false))),
    { like: 'HuggingFaceTB/SmolLM-135M HuggingFaceTB/SmolLM2-135M-Instruct HuggingFaceTB/SmolLM2-360M' },
  ],
  [
    'llama-scaled',
    {
      ...llamaConfig,
      rope_scaling: { factor: 8, high_freq_factor: 4, low_freq_factor: 1, original_max_position_embeddings: 8192, rope_type: 'llama3' },
    },
    undefined,
    {
      file: 'llama',
      like: 'meta-llama/Llama-3.1-8B meta-llama/Llama-3.2-1B-Instruct',
      same: 'llama-scaled',
    },
  ],
  [
    'llama-linear',
    { ...llamaConfig, rope_scaling: { factor: 4, type: 'linear' } },
    undefined,
    {
      file: 'llama',
      like: 'deepseek-ai/deepseek-coder-6.7b-instruct lmsys/longchat-7b-16k',
      same: 'llama-linear',
    },
  ],
  [
    'mistral',
    mistralConfig,
    as('BF16', llamaCausal(false)),
    {
      like: 'mistralai/Mistral-7B-v0.1 mistralai/Mistral-7B-Instruct-v0.1 HuggingFaceH4/zephyr-7b-beta teknium/OpenHermes-2.5-Mistral-7B BioMistral/BioMistral-7B',
    },
  ],
  [
    'mistral-full',
    { ...mistralConfig, sliding_window: null, rope_theta: 1e6, head_dim: 2 },
    llamaCausal(false),
    {
      like: 'mistralai/Mistral-7B-Instruct-v0.2 mistralai/Mistral-7B-Instruct-v0.3 mistralai/Mistral-Nemo-Instruct-2407 mistralai/Mathstral-7B-v0.1',
    },
  ],
  [
    'mistral-embedding',
    { ...mistralConfig, architectures: ['MistralModel'] },
    as('F16', llamaBody(false)),
    { like: 'intfloat/e5-mistral-7b-instruct Salesforce/SFR-Embedding-Mistral Linq-AI-Research/Linq-Embed-Mistral' },
  ],
  [
    'qwen2',
    { ...qwen2Config, tie_word_embeddings: true },
    as('BF16', prefixed('model.', llamaBody(true))),
    { like: 'Qwen/Qwen2-0.5B Qwen/Qwen2.5-0.5B-Instruct Qwen/Qwen2.5-1.5B-Instruct Qwen/Qwen2.5-Coder-1.5B' },
  ],
  [
    'qwen2-tied-head',
    { ...qwen2Config, tie_word_embeddings: true },
    [...prefixed('model.', llamaBody(true)), tiedHead],
    { same: 'qwen2', like: 'Qwen/Qwen1.5-0.5B Qwen/Qwen2-0.5B-Instruct(saved_again)' },
  ],
  [
    'qwen2-untied',
    { ...qwen2Config, layer_types: ['full_attention'], sliding_window: null, rope_scaling: null, rope_theta: 10000 },
    as('BF16', llamaCausal(true)),
    { like: 'Qwen/Qwen2.5-7B-Instruct Qwen/Qwen2.5-Math-7B deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B Qwen/QwQ-32B' },
  ],
  [
    'qwen2-bidirectional',
    { ...qwen2Config, is_causal: false, architectures: ['Qwen2ForCausalLM'], tie_word_embeddings: true },
    llamaBody(true),
    { like: 'Alibaba-NLP/gte-Qwen2-1.5B-instruct Alibaba-NLP/gte-Qwen2-7B-instruct' },
  ],
  [
    'qwen3',
    { ...qwen3Config, tie_word_embeddings: true },
    as('BF16', [...prefixed('model.', qwen3), tiedHead]),
    { like: 'Qwen/Qwen3-0.6B Qwen/Qwen3-1.7B Qwen/Qwen3-0.6B-Base' },
  ],
  [
    'gemma2',
    gemma2Config,
    as('BF16', prefixed('model.', gemma2)),
    { like: 'google/gemma-2-2b google/gemma-2-2b-it unsloth/gemma-2-2b' },
  ],
  [
    'gemma',
    { ...gemma2Config, architectures: ['GemmaForCausalLM'], model_type: 'gemma', hidden_act: 'gelu', hidden_activation: null },
    as('BF16', prefixed('model.', llamaBody(false))),
    { like: 'google/gemma-2b google/gemma-2b-it' },
  ],
  [
    'gpt-neo',
    gptNeoConfig,
    [...prefixed('transformer.', gptNeo), gpt2Head],
    { like: 'EleutherAI/gpt-neo-125m roneneldan/TinyStories-1M roneneldan/TinyStories-33M' },
  ],
  ['gpt-neox', gptNeoxConfig, as('F16', gptNeox), { like: 'EleutherAI/pythia-14m EleutherAI/pythia-70m EleutherAI/pythia-160m-deduped' }],
  [
    'bert',
    bertConfig,
    oldNorms([...bertBase, ...linear('cls.seq_relationship', 2, D)]),
    {
      like: 'google-bert/bert-base-uncased google-bert/bert-base-cased google-bert/bert-large-uncased google-bert/bert-base-multilingual-cased google-bert/bert-base-chinese',
    },
  ],
  [
    'bert-sentences',
    { ...bertConfig, architectures: ['BertModel'] },
    [...bert(P, 2), positionIds, ...pooler],
    {
      same: 'bert',
      like: 'sentence-transformers/all-MiniLM-L6-v2 sentence-transformers/all-MiniLM-L12-v2 sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2 BAAI/bge-small-en-v1.5 BAAI/bge-base-en-v1.5 intfloat/e5-base-v2 thenlper/gte-base',
    },
  ],
  [
    'bert-half',
    { ...bertConfig, architectures: ['BertModel'], torch_dtype: 'float16' },
    as('F16', [...bert(P, 2), ...pooler]),
    { same: 'bert', like: 'mixedbread-ai/mxbai-embed-large-v1 WhereIsAI/UAE-Large-V1 Snowflake/snowflake-arctic-embed-xs' },
  ],
  [
    'bert-classifier',
    {
      ...bertConfig,
      architectures: ['BertForSequenceClassification'],
      problem_type: null,
      sbert_ce_default_activation_function: 'torch.nn.modules.linear.Identity',
    },
    [...prefixed('bert.', [...bert(P, 2), positionIds, ...pooler]), ...linear('classifier', 1, D)],
    {
      same: 'bert',
      like: 'cross-encoder/ms-marco-MiniLM-L-6-v2 dslim/bert-base-NER ProsusAI/finbert nlptown/bert-base-multilingual-uncased-sentiment deepset/bert-base-cased-squad2',
    },
  ],
  [
    'bert-distilled',
    { ...bertConfig, pre_trained: '', training: '', structure: [] },
    [...bertBase, ...linear('fit_denses.0', D, D), tensor('linear.weight', 3, D)],
    { same: 'bert', like: 'huawei-noah/TinyBERT_General_4L_312D colbert-ir/colbertv2.0' },
  ],
  [
    'bert-decoder-name',
    bertConfig,
    [...without(bertBase, /word_embeddings/), words('cls.predictions.decoder.weight'), tensor('cls.predictions.decoder.bias', V)],
    { same: 'bert', like: 'safetensors.torch.save_model(BertForMaskedLM)' },
  ],
  [
    'bert-alibi',
    { ...bertConfig, position_embedding_type: 'alibi' },
    undefined,
    {
      file: 'bert',
      like: 'jinaai/jina-embeddings-v2-base-en',
      error: "invalid-option; config.position_embedding_type: expected 'absolute', got 'alibi'",
    },
  ],
  [
    'roberta',
    robertaConfig,
    [...roberta, ...prefixed('roberta.', pooler), ...robertaHead, words('lm_head.decoder.weight'), tensor('lm_head.decoder.bias', V)],
    {
      like: 'FacebookAI/roberta-base FacebookAI/roberta-large distilbert/distilroberta-base microsoft/codebert-base vinai/bertweet-base klue/roberta-base',
    },
  ],
  [
    'roberta-classifier',
    { ...robertaConfig, architectures: ['RobertaForSequenceClassification'], _num_labels: 3 },
    [
      ...roberta,
      { ...tensor('roberta.embeddings.position_ids', 1, P + 2), dtype: 'I64' },
      ...linear('classifier.dense', D, D),
      ...linear('classifier.out_proj', 3, D),
    ],
    {
      same: 'roberta',
      like: 'FacebookAI/roberta-large-mnli cardiffnlp/twitter-roberta-base-sentiment-latest SamLowe/roberta-base-go_emotions j-hartmann/emotion-english-distilroberta-base openai-community/roberta-base-openai-detector',
    },
  ],
  [
    'roberta-languages',
    { ...robertaConfig, architectures: ['XLMRobertaForMaskedLM'], model_type: 'xlm-roberta' },
    undefined,
    { file: 'roberta', like: 'FacebookAI/xlm-roberta-base intfloat/multilingual-e5-small' },
  ],
  [
    'roberta-french',
    { ...robertaConfig, architectures: ['CamembertForMaskedLM'], model_type: 'camembert' },
    undefined,
    { file: 'roberta', like: 'almanach/camembert-base dangvantuan/sentence-camembert-base' },
  ],
  [
    'roberta-answers',
    { ...robertaConfig, architectures: ['RobertaForQuestionAnswering'], language: 'english' },
    [...roberta, ...linear('qa_outputs', 2, D)],
    { same: 'roberta', like: 'deepset/roberta-base-squad2 deepset/tinyroberta-squad2' },
  ],
  [
    'roberta-sentences',
    { ...robertaConfig, architectures: ['RobertaModel'] },
    [...bert(P + 2, 1), ...pooler],
    {
      same: 'roberta',
      like: 'sentence-transformers/all-distilroberta-v1 sentence-transformers/all-roberta-large-v1 microsoft/unixcoder-base microsoft/graphcodebert-base',
    },
  ],
  [
    'roberta-decoder-name',
    robertaConfig,
    [...without(roberta, /word_embeddings/), ...robertaHead, words('lm_head.decoder.weight')],
    { same: 'roberta', like: 'safetensors.torch.save_model(RobertaForMaskedLM)' },
  ],
  [
    'distilbert',
    distilbertConfig,
    [...prefixed('distilbert.', distilbert), ...distilbertHead],
    {
      like: 'distilbert/distilbert-base-uncased distilbert/distilbert-base-cased distilbert/distilbert-base-multilingual-cased distilbert/distilbert-base-german-cased',
    },
  ],
  [
    'distilbert-classifier',
    { ...distilbertConfig, architectures: ['DistilBertForSequenceClassification'], finetuning_task: 'sst-2', output_past: true },
    [...prefixed('distilbert.', distilbert), ...linear('pre_classifier', D, D), ...linear('classifier', 2, D)],
    {
      same: 'distilbert',
      like: 'distilbert/distilbert-base-uncased-finetuned-sst-2-english lxyuan/distilbert-base-multilingual-cased-sentiments-student Falconsai/intent_classification',
    },
  ],
  [
    'distilbert-answers',
    { ...distilbertConfig, architectures: ['DistilBertForQuestionAnswering'] },
    [...prefixed('distilbert.', distilbert), ...linear('qa_outputs', 2, D)],
    { same: 'distilbert', like: 'distilbert/distilbert-base-cased-distilled-squad distilbert/distilbert-base-uncased-distilled-squad' },
  ],
  [
    'distilbert-sentences',
    { ...distilbertConfig, architectures: ['DistilBertModel'] },
    [...distilbert, positionIds],
    {
      same: 'distilbert',
      like: 'sentence-transformers/msmarco-distilbert-base-v4 sentence-transformers/multi-qa-distilbert-cos-v1 sentence-transformers/distiluse-base-multilingual-cased-v2',
    },
  ],
  [
    'vit',
    vitConfig,
    [...prefixed('vit.', vit), ...linear('classifier', 3, D)],
    {
      like: 'google/vit-base-patch16-224 google/vit-base-patch16-384 google/vit-base-patch32-384 google/vit-large-patch16-224 nateraw/vit-age-classifier trpakov/vit-face-expression Falconsai/nsfw_image_detection',
    },
  ],
  [
    'vit-features',
    { ...vitConfig, architectures: ['ViTModel'], encoder_stride: 2, pooler_act: 'tanh', pooler_output_size: D },
    [...vit, ...pooler],
    {
      same: 'vit',
      like: 'google/vit-base-patch16-224-in21k google/vit-large-patch32-224-in21k google/vit-huge-patch14-224-in21k facebook/dino-vits16 facebook/dino-vitb8 owkin/phikon',
    },
  ],
  [
    'vit-pairs',
    { ...vitConfig, image_size: [4, 4], patch_size: [2, 2] },
    [...prefixed('vit.', vit), tensor('vit.embeddings.mask_token', 1, 1, D), ...linear('decoder.0', 4, D)],
    { same: 'vit', like: 'ViTForMaskedImageModeling' },
  ],
  ['bart', { ...bartConfig, architectures: ['BartModel'] }, bart, { like: 'facebook/bart-base facebook/bart-large' }],
  [
    'bart-summaries',
    bartConfig,
    [...inModel(without(bart, /^shared|^encoder\.embed_tokens/)), zeroBias],
    { same: 'bart-bias', like: 'facebook/bart-large-cnn' },
  ],
  [
    'bart-bias',
    bartConfig,
    as('F16', [...inModel(bart), shared('lm_head.weight'), zeroBias]),
    {
      like: 'facebook/bart-large-xsum sshleifer/distilbart-cnn-12-6 sshleifer/distilbart-xsum-12-6 philschmid/bart-large-cnn-samsum eugenesiow/bart-paraphrase Babelscape/rebel-large gogamza/kobart-base-v2',
    },
  ],
  [
    'bart-classifier',
    { ...bartConfig, architectures: ['BartForSequenceClassification'], id2label: { 0: 'contradiction' } },
    [...inModel(bart), ...classificationHead],
    { same: 'bart', like: 'facebook/bart-large-mnli valhalla/distilbart-mnli-12-1 valhalla/distilbart-mnli-12-3' },
  ],
  [
    'bart-head-only',
    bartConfig,
    [...inModel(without(bart, /^shared|embed_tokens/)), shared('lm_head.weight')],
    { same: 'bart', like: 'safetensors.torch.save_model(BartForConditionalGeneration)' },
  ],
  [
    'marian',
    marianConfig,
    [...inModel(marian), zeroBias],
    {
      like: 'Helsinki-NLP/opus-mt-en-de Helsinki-NLP/opus-mt-de-en Helsinki-NLP/opus-mt-en-fr Helsinki-NLP/opus-mt-fr-en Helsinki-NLP/opus-mt-en-es Helsinki-NLP/opus-mt-es-en Helsinki-NLP/opus-mt-zh-en Helsinki-NLP/opus-mt-en-zh Helsinki-NLP/opus-mt-mul-en Helsinki-NLP/opus-mt-ROMANCE-en Helsinki-NLP/opus-mt-ru-en Helsinki-NLP/opus-mt-en-ru',
    },
  ],
  [
    'marian-again',
    { ...marianConfig, activation_function: 'swish', tie_word_embeddings: true },
    as('F16', [...inModel(without(marian, /embed_positions|embed_tokens/)), zeroBias]),
    { same: 'marian', like: 'MarianMTModel.save_pretrained' },
  ],
  [
    'marian-big',
    { ...marianConfig, activation_function: 'relu' },
    [...inModel(marian), shared('lm_head.weight'), zeroBias],
    { like: 'Helsinki-NLP/opus-mt-tc-big-en-fr Helsinki-NLP/opus-mt-tc-big-en-pt' },
  ],
  [
    'marian-separate',
    { ...marianConfig, share_encoder_decoder_embeddings: false },
    undefined,
    {
      file: 'marian',
      like: 'MarianConfig(share_encoder_decoder_embeddings=False)',
      error: 'invalid-option; config.share_encoder_decoder_embeddings: expected true, got false',
    },
  ],
];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
let index = `# Made by ../make_hub.mjs, which explains it. \`like\` names the checkpoints, \`same\` the file that holds the
# same model, \`error\` what \`from_pretrained\` answers; the tensors are those of \`file\`.
`;
for (const [name, config, tensors, { file = name, same = file, like, error }] of files) {
  if (tensors) writeFileSync(new URL(`${name}.safetensors`, folder), safetensors(tensors));
  index += `\nname ${name}\nfile ${file}\nsame ${same}\n`;
  for (const each of like.split(' ')) index += `like ${each}\n`;
  index += `config ${JSON.stringify(config)}\n${error ? `message ${error}\n` : ''}`;
}
writeFileSync(new URL('index.txt', folder), index);
