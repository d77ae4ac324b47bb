// What resident tensors leave behind in WebAssembly memory: nothing.
import test from 'node:test';
import { MultiHeadAttention, ResidentTensor } from 'headwise';
import { assertForgottenGivesBack, assertLeavesNothing } from '../lib/memory.mjs';

test('resident tensors leave no memory behind', () => {
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2, seed: 1 });
  const output = new ResidentTensor([1, 3, 4]);
  assertLeavesNothing(() => {
    const X = new ResidentTensor([1, 3, 4]);
    X.data.fill(1);
    layer.forward(X, X, X, { out: { output } });
    X.dispose();
  });
  output.dispose();
  layer.dispose();
});

test('a resident tensor that was forgotten gives its memory back', async () => {
  await assertForgottenGivesBack(() => new ResidentTensor([1 << 18]).data.fill(1));
});
