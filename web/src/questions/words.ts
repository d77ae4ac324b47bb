import { translatable } from '../format/translation.js';
import type { QuestionName } from './state.js';

/** An answer has three sentences at most. */
type Entry = readonly [question: string, answer: string];

/** What readers of the chapter ask. */
export const words = translatable('questions', {
  title: 'Questions',
  entries: {
    'h-projections': [
      'h heads need h projections, so why only one Linear layer?',
      'The weight of one Linear layer with num_hiddens outputs is h blocks of num_hiddens / h rows, one block per [head]. The reshape in transpose_qkv gives each head the columns that its block has computed. The result is that of h small Linear layers, from one large matrix product.',
    ],
    'input-slice': [
      'Does each head get a slice of the input?',
      'No: each row of W_q, W_k and W_v has a weight for every feature of the input, so each head projects the whole input. The layer splits the result of the [projection], not the input. Slicing the input first would be a grouped convolution, in which a head sees 1/h of the features.',
    ],
    'giant-head': [
      'Why not one giant single head?',
      'It has as many parameters and nearly the same cost, but only one [softmax]: a query has one distribution of [attention weights|attention weight] over the keys, so one weighted average has to serve every purpose. With h heads a query has h distributions, so it can attend to the previous token and to the first one at once. In Vaswani et al. (2017), one head scored 0.9 BLEU less than the best number of heads.',
    ],
    'two-transposes': [
      'What are the two transposes for?',
      'transpose_qkv moves the axis of heads next to the batch axis, from (batch, n, num_hiddens) to (batch · h, n, num_hiddens / h), so that one batched matrix product computes all heads. transpose_output reverses this, which concatenates the heads. Both only rearrange numbers, but a reshape without the transpose would mix tokens with features.',
    ],
    'output-projection': [
      'What is W_o for?',
      'After concatenation each number still comes from one head alone. W_o is the only step that combines heads: each output is a sum over the features of all of them. Its columns are grouped by head, and they decide how much a head contributes to the output.',
    ],
    'query-size': [
      'Why does the layer have a query_size, key_size and value_size?',
      'They are the input sizes of W_q, W_k and W_v, which may differ: in [cross-attention], queries can come from a decoder that is narrower than the encoder. Only after projection do queries and keys need the same size, for their dot product. Earlier versions of the chapter’s code passed the three sizes; today’s uses LazyLinear, which reads them from its first input.',
    ],
    'same-input': [
      'Are queries, keys and values the same?',
      'In [self-attention] the three inputs are the same tensor, but W_q, W_k and W_v differ, and so do the queries, keys and values that they compute. In [cross-attention] the queries come from another sequence than the keys and values. If q and k were equal, a token’s score for itself would be ‖q‖²/√d, never negative, and i would give j the same score as j gives i.',
    ],
    'why-sqrt-d': [
      'Why divide by √d?',
      'If the components of q and k are independent, with mean 0 and variance 1, their dot product has variance d. Without the division the [scores|score] of large heads would be so far apart that [softmax] gives one key nearly all the weight, where its gradients are close to 0. Divided by √d, they have variance 1 for any d.',
    ],
    'masked-queries': [
      'Do valid lengths mask queries?',
      'No, only keys: a padding query also has an output, and weights over the valid keys that sum to 1. It does no harm, because nothing is averaged over queries: later layers mask it as a key, and the loss ignores its output. With one [valid length] per query instead of one per sample, each query has its own masked keys, as with a [causal mask].',
    ],
    'why-heads-differ': [
      'Why do heads differ, if all do the same?',
      'Their parameters are different random numbers at the start, so they get different gradients and move apart. Heads with identical parameters, columns of W_o included, would get identical gradients and stay identical. Nothing in the loss asks heads to differ, and after training some do nearly the same as others.',
    ],
    ensemble: [
      'Are the heads an ensemble?',
      'Not in the usual sense: the members of an ensemble are trained separately, each solves the task, and their predictions are averaged. Heads are trained together by one loss, and each computes only a part of what W_o sums. A head can be useless alone and needed by another: an [induction head] needs one in an earlier layer that attends to the previous token.',
    ],
    'weight-importance': [
      'Is an attention weight an importance?',
      'No: what key j contributes to the output of the layer is its weight times v_j W_o, and that vector can be short for a key with a large weight. Kobayashi et al. (2020) therefore compare the norms, weight × ‖v_j W_o‖. Even a large contribution may not matter for the prediction: only [ablation] shows whether it does.',
    ],
    'untrained-gate': [
      'Why is a gate meaningless in an untrained model?',
      'Shutting a [gate] always changes the output, but only a model that solves a task shows whether the head is important: its loss gets worse without the head. An untrained model guesses, so its loss may rise or fall, and another seed gives another ranking. Train first, then measure.',
    ],
    'softmax-over-outputs': [
      'Why not weight the heads by a softmax over their outputs?',
      'The weights of such a [softmax] sum to 1, so heads would compete, although the model may need several of them in full. It would also measure how large an output is, not whether the prediction uses it: W_o can scale any head down. Voita et al. (2019) give each head a [gate] of its own, and learn which can be shut.',
    ],
    'more-heads': [
      'Are more heads better?',
      'Not always: with num_hiddens fixed, the queries and keys of each of h heads have only num_hiddens / h features. In Vaswani et al. (2017), 8 and 16 heads scored best, and 32 scored 0.4 BLEU less. After training many can be pruned: Voita et al. (2019) removed 38 of 48 encoder heads for 0.15 BLEU.',
    ],
  } satisfies Record<QuestionName, Entry>,
});
