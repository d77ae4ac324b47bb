import { MultiHeadAttention, Tensor } from 'headwise';

import { type Inside, insideOfLayer } from '../../worker/inside.js';

/** Small enough for every number to be read, in three matrices side by side. */
const sizes = { length: 5, hiddens: 8, numHeads: 2 } as const;

/** An untrained layer with a causal mask. Standard deviation 2 of the input makes its weights differ visibly. */
export function smallInside(tokens: readonly string[]): Inside {
  const { length, hiddens, numHeads } = sizes;
  const { data } = Tensor.randn([1, length, hiddens], 2);
  const X = new Tensor(
    data.map((value) => 2 * value),
    [1, length, hiddens],
  );
  const layer = new MultiHeadAttention({
    ...{ numHiddens: hiddens, numHeads, seed: 1 },
    ...{ querySize: hiddens, keySize: hiddens, valueSize: hiddens },
  });
  try {
    const { captured, attentionWeights, output } = layer.forward(X, X, X, {
      ...{ causal: true, returnWeights: true },
      capture: ['queries', 'keys', 'values', 'scores', 'pooled'],
    });
    return insideOfLayer(tokens, {
      ...{ parameters: layer.stateDict(), X: X.data, numHeads, numKvHeads: numHeads },
      captured: { ...captured, weights: attentionWeights, output },
    });
  } finally {
    layer.dispose();
  }
}
