import { init, MultiHeadAttention, Tensor } from 'headwise';
import { defineAttentionHeads } from 'headwise/view';

const tokens = ['the', 'cat', 'sat', 'on', 'the', 'mat'];
await init();
const X = Tensor.randn([tokens.length, 64], 1);
const layer = new MultiHeadAttention({ numHiddens: 64, numHeads: 4, seed: 1, scale: 1 });
const { attentionWeights } = layer.forward(X, X, X, { causal: true, returnWeights: true });
console.log(attentionWeights);

defineAttentionHeads();
const view = document.createElement('attention-heads');
view.tokens = tokens;
view.weights = attentionWeights; // (heads, queries, keys)
document.body.append(view);
