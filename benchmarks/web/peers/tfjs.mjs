// TensorFlow.js on its WebAssembly backend. Weights are tensors laid out for the product; a call
// makes tensors of the inputs and reads the result.
import { additiveMask, projectedCache, transposed } from '../problem.mjs';
import { modelTraining } from './tfjs-model.mjs';
import { training } from '../timing.mjs';
import { loadTensorFlow } from '#tfjs';

export async function load({ threads, trains }) {
  const { tf, wasm } = await loadTensorFlow(trains);
  wasm.setThreadsCount(threads);
  await tf.setBackend('wasm');
  await tf.ready();
  return {
    about: { threads: wasm.getThreadsCount() },
    prepare: (problem) => {
      if (problem.kind === 'model-training') return modelTraining(tf, problem);
      return problem.kind === 'softmax' ? softmax(tf, problem) : layer(tf, problem);
    },
  };
}

/** What `compute` makes, as an array; `tidy` itself would look for tensors in each of its numbers. */
function read(tf, compute) {
  const result = tf.tidy(compute);
  const numbers = result.dataSync();
  result.dispose();
  return numbers;
}

function softmax(tf, problem) {
  const { batch, queries, keys, data } = problem;
  const mask = tf.tensor(additiveMask(problem, 1), [batch, 1, keys]);
  return () =>
    read(tf, () => {
      const scores = tf.tensor(data.scores, [batch, queries, keys]);
      return tf.softmax(tf.add(scores, mask));
    });
}

function layer(tf, problem) {
  const { kind, batch, queries, keys, numHiddens: D, numHeads, validLens, data } = problem;
  const size = D / numHeads;
  const weights = Object.fromEntries(
    Object.entries(problem.weights).map(([name, weight]) => [
      name,
      tf.variable(tf.tensor(transposed(weight, D), [D, D])),
    ]),
  );
  const heads = (input, name, length) =>
    tf.transpose(
      tf.reshape(tf.matMul(input, weights[name]), [batch, length, numHeads, size]),
      [0, 2, 1, 3],
    );
  const cached = (name) =>
    kind === 'cached' && tf.tensor(projectedCache(problem, name), [1, numHeads, keys, size]);
  const cachedKeys = cached('W_k');
  const cachedValues = cached('W_v');
  const mask = validLens && tf.tensor(additiveMask(problem, 1), [batch, 1, 1, keys]);
  const scale = tf.scalar(1 / Math.sqrt(size));

  const output = () => {
    const x = tf.tensor(data.queries, [batch * queries, D]);
    const y = kind === 'cross' ? tf.tensor(data.keys, [batch * keys, D]) : x;
    const q = heads(x, 'W_q', queries);
    const k = cachedKeys || heads(y, 'W_k', keys);
    const v = cachedValues || heads(y, 'W_v', keys);
    let scores = tf.mul(tf.matMul(q, k, false, true), scale);
    if (mask) scores = tf.add(scores, mask);
    const pooled = tf.transpose(tf.matMul(tf.softmax(scores), v), [0, 2, 1, 3]);
    return tf.matMul(tf.reshape(pooled, [batch * queries, D]), weights.W_o);
  };
  const forward = () => read(tf, output);
  if (kind !== 'training') return forward;

  const optimizer = tf.train.sgd(problem.learningRate);
  const target = tf.tensor(data.target, [batch * queries, D]);
  const loss = () => tf.mean(tf.sum(tf.squaredDifference(output(), target), 1));
  // Reading the loss waits for the step, as programs that print it do.
  const step = () => read(tf, () => optimizer.minimize(loss, true));
  return training(step, forward);
}
