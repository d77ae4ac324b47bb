// The other entries: all of the package in one file, and the same interface in a worker, whose calls give promises.
import { expectTypeOf } from 'expect-type';
import * as headwise from 'headwise';
import * as inline from 'headwise/inline';
import { init, MultiHeadAttention, Tensor } from 'headwise/worker';
import type { Initialized } from 'headwise/worker';

expectTypeOf(inline).toEqualTypeOf(headwise);

expectTypeOf(init()).resolves.toEqualTypeOf<Initialized>();
const layer = await new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
const X = Tensor.ones([1, 2, 4]);
const { output, attentionWeights } = await layer.forward(X, X, X, { returnWeights: true });
expectTypeOf(output).toEqualTypeOf<headwise.Tensor>();
expectTypeOf(attentionWeights).toEqualTypeOf<headwise.Tensor>();
const plain = await layer.forward(X, X, X);
expectTypeOf(plain.attentionWeights).toEqualTypeOf<undefined>();
expectTypeOf(layer.numHeads).resolves.toEqualTypeOf<number>();
// @ts-expect-error it is asked for in the worker
layer.numHeads + 1;
