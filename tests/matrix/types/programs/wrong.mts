// What is refused: another type of argument, an option that is not there, a name that is not public.
import { init, MultiHeadAttention, Tensor } from 'headwise';
await init();
Tensor.ones('2');
new MultiHeadAttention({ numHiddens: 4, numHeads: 2, dropOut: 0.1 });
export type { ThreadPool } from 'headwise';
