// jax-js on its WebAssembly device, compiled by `jit`. Weights are arrays that are kept; a call makes
// arrays of the inputs and reads the result. Arrays are counted references: what is used again is
// passed as `.ref`.
import { additiveMask, projectedCache, transposed } from '../problem.mjs';
import { generation, modelTraining } from './jax-model.mjs';
import { training } from '../timing.mjs';

export async function load({ threads }) {
  // It takes a thread for each core wherever there are workers, and cannot be told otherwise.
  if (threads === 1) globalThis.Worker = undefined;
  const jax = await import('@jax-js/jax');
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  const isThreaded = typeof Worker !== 'undefined' && typeof SharedArrayBuffer !== 'undefined';
  return {
    about: { threads: isThreaded ? navigator.hardwareConcurrency : 1 },
    prepare: (problem) => {
      if (problem.kind === 'generation') return generation(jax, problem);
      if (problem.kind === 'model-training') return modelTraining(jax, problem);
      return problem.kind === 'softmax' ? softmax(jax, problem) : layer(jax, problem);
    },
  };
}

function softmax({ jit, nn, numpy: np }, problem) {
  const { batch, queries, keys, data } = problem;
  const mask = np.array(additiveMask(problem, 1)).reshape([batch, 1, keys]);
  const run = jit((scores, added) => nn.softmax(scores.add(added), -1));
  return async () => {
    const scores = np.array(data.scores).reshape([batch, queries, keys]);
    return run(scores, mask.ref).data();
  };
}

function layer({ blockUntilReady, jit, nn, numpy: np, valueAndGrad }, problem) {
  const { kind, batch, queries, keys, numHiddens: D, numHeads, validLens, data } = problem;
  const size = D / numHeads;
  const weights = Object.values(problem.weights).map((weight) =>
    np.array(transposed(weight, D)).reshape([D, D]),
  );
  const heads = (input, weight, length, order) =>
    np.matmul(input, weight).reshape([batch, length, numHeads, size]).transpose(order);
  const masks = validLens ? [np.array(additiveMask(problem, 1)).reshape([batch, 1, 1, keys])] : [];
  // By hand: its dotProductAttention needs a newer engine than Node 20.
  const attend = (q, k, v, W_o, mask) => {
    let scores = np.matmul(q, k).mul(1 / Math.sqrt(size));
    if (mask) scores = scores.add(mask);
    const pooled = np.matmul(nn.softmax(scores, -1), v).transpose([0, 2, 1, 3]);
    return np.matmul(pooled.reshape([batch * queries, D]), W_o);
  };
  const input = (numbers, length) => np.array(numbers).reshape([batch * length, D]);
  const kept = (arrays) => arrays.map((array) => array.ref);

  if (kind === 'cached') {
    const cached = (name, keysLast) => {
      const dims = keysLast ? [1, numHeads, size, keys] : [1, numHeads, keys, size];
      return np.array(projectedCache(problem, name, keysLast)).reshape(dims);
    };
    const [W_q, , , W_o] = weights;
    const held = [W_q, cached('W_k', true), cached('W_v', false), W_o];
    const run = jit((x, q, k, v, o) => attend(heads(x, q, 1, [0, 2, 1, 3]), k, v, o));
    return async () => run(input(data.queries, 1), ...kept(held)).data();
  }

  const output = (x, y, W_q, W_k, W_v, W_o, mask) => {
    const k = heads(y.ref, W_k, keys, [0, 2, 3, 1]);
    const v = heads(y, W_v, keys, [0, 2, 1, 3]);
    return attend(heads(x, W_q, queries, [0, 2, 1, 3]), k, v, W_o, mask);
  };
  const run = jit(output);
  if (kind === 'training') {
    const loss = (given, x, target) => {
      const apart = output(x.ref, x, ...given).sub(target);
      return apart.ref
        .mul(apart)
        .sum()
        .mul(1 / (batch * queries));
    };
    const differentiate = jit(valueAndGrad(loss));
    const update = jit((weight, gradient) => weight.sub(gradient.mul(problem.learningRate)));
    const target = input(data.target, queries);
    const step = async () => {
      const [value, gradients] = differentiate(
        kept(weights),
        input(data.queries, queries),
        target.ref,
      );
      gradients.forEach((gradient, i) => (weights[i] = update(weights[i], gradient)));
      await value.data();
      // The loss is known before the parameters are updated, which would go on in a peer's turn.
      await blockUntilReady(weights);
    };
    const forward = () => {
      const x = input(data.queries, queries);
      return run(x.ref, x, ...kept(weights)).data();
    };
    return training(step, forward);
  }
  return async () => {
    const x = input(data.queries, queries);
    const y = kind === 'self' ? x.ref : input(data.keys, keys);
    return run(x, y, ...kept(weights), ...kept(masks)).data();
  };
}
