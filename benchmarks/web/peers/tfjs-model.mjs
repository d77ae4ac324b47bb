// A step of training of the language model in TensorFlow.js.
import { columns, epsilon, wholeRotation } from '../language-model.mjs';
import { trainingLosses } from '../timing.mjs';

export function modelTraining(tf, problem) {
  const { batch, length, numHiddens: D, numLayers, numHeads, vocabularySize } = problem;
  const size = D / numHeads;
  const variable = ({ data, shape }) => tf.variable(tf.tensor(data, shape));
  const given = (name) => variable(problem.weights[`${name}.weight`]);
  const product = (...names) =>
    variable(columns(problem, ...names.map((name) => `${name}.weight`)));
  const embedding = given('embedding');
  const finalNorm = given('norm');
  const layers = Array.from({ length: numLayers }, (_, i) => {
    const of = (name) => `layers.${i}.${name}`;
    return {
      norm: given(of('norm')),
      ffnNorm: given(of('ffn_norm')),
      qkv: product(...['W_q', 'W_k', 'W_v'].map((name) => of(`attention.${name}`))),
      out: product(of('attention.W_o')),
      gate: product(of('ffn.gate')),
      up: product(of('ffn.dense1')),
      down: product(of('ffn.dense2')),
    };
  });
  const table = wholeRotation(problem, length);
  const cos = tf.tensor(table.cos, [length, size]);
  const sin = tf.tensor(table.sin, [length, size]);
  const hidden = Float32Array.from({ length: length ** 2 }, (_, i) =>
    i % length > Math.floor(i / length) ? -1e30 : 0,
  );
  const mask = tf.tensor(hidden, [length, length]);
  const oneHot = (tokens) =>
    tf.oneHot(tf.tensor(tokens, [batch * length], 'int32'), vocabularySize);

  // The backend lacks what gather's own gradient takes; the sum of rows by token is a product.
  const embed = (tokens) =>
    tf.customGrad((weight) => ({
      value: tf.gather(weight, tf.tensor(tokens, [batch * length], 'int32')),
      gradFunc: (gradient) => tf.matMul(oneHot(tokens), gradient, true, false),
    }))(embedding);
  const norm = (x, weight) => {
    const meanSquare = tf.mean(tf.square(x), -1, true);
    return tf.mul(tf.mul(x, tf.rsqrt(tf.add(meanSquare, epsilon))), weight);
  };
  const rotate = (x) => {
    const [first, second] = tf.split(x, 2, -1);
    return tf.add(tf.mul(x, cos), tf.mul(tf.concat([second, first], -1), sin));
  };
  const heads = (x) => tf.transpose(tf.reshape(x, [batch, length, numHeads, size]), [0, 2, 1, 3]);

  const loss = () => {
    let x = embed(problem.tokens);
    for (const layer of layers) {
      const [q, k, v] = tf.split(tf.matMul(norm(x, layer.norm), layer.qkv), 3, 1).map(heads);
      const scores = tf.mul(tf.matMul(rotate(q), rotate(k), false, true), 1 / Math.sqrt(size));
      const weights = tf.softmax(tf.add(scores, mask));
      const pooled = tf.transpose(tf.matMul(weights, v), [0, 2, 1, 3]);
      x = tf.add(x, tf.matMul(tf.reshape(pooled, [batch * length, D]), layer.out));
      const y = norm(x, layer.ffnNorm);
      const gate = tf.matMul(y, layer.gate);
      const gated = tf.mul(tf.mul(gate, tf.sigmoid(gate)), tf.matMul(y, layer.up));
      x = tf.add(x, tf.matMul(gated, layer.down));
    }
    const logits = tf.matMul(norm(x, finalNorm), embedding, false, true);
    return tf.losses.softmaxCrossEntropy(oneHot(problem.targets), logits);
  };
  const optimizer = tf.train.adam(problem.learningRate, 0.9, 0.999, 1e-8);
  const step = () => {
    const value = tf.tidy(() => optimizer.minimize(loss, true));
    const [number] = value.dataSync();
    value.dispose();
    return number;
  };
  return trainingLosses(step, problem.checkedSteps);
}
