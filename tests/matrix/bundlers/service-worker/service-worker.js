import { init, MultiHeadAttention, Tensor } from './headwise/index.js';

self.addEventListener('message', (event) => {
  event.waitUntil(
    init().then(({ threads }) => {
      const attention = new MultiHeadAttention({ numHiddens: 100, numHeads: 5 });
      const X = Tensor.ones([2, 4, 100]);
      const result = attention.forward(X, X, X, { validLens: [3, 2], returnWeights: true });
      attention.dispose();
      event.source.postMessage({ threads, weight: result.attentionWeights.at(0, 0, 0, 0) });
    }),
  );
});
