import { MultiHeadAttention, Tensor } from 'headwise';

/** A layer whose every number fits on a page. */
export const smallSizes = { length: 5, hiddens: 12 } as const;

/** With a standard deviation of 2 the weights of an untrained layer differ enough to be told apart. */
export function smallInput(seed: number): Tensor {
  const X = Tensor.randn([1, smallSizes.length, smallSizes.hiddens], seed + 1);
  return new Tensor(
    X.data.map((value) => 2 * value),
    X.shape,
  );
}

/** Its parameters exist before the first pass, which would else infer their sizes. */
export function createSmallLayer(heads: number, seed: number): MultiHeadAttention {
  const { hiddens } = smallSizes;
  return new MultiHeadAttention({
    ...{ numHiddens: hiddens, numHeads: heads, seed },
    ...{ querySize: hiddens, keySize: hiddens, valueSize: hiddens },
  });
}
