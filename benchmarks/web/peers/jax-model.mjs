// The language model in jax-js, compiled by `jit`: generation with keys and values in arrays of the
// whole length, where a new row is put by `where`, and steps of training with Adam.
import { columns, epsilon, generateGreedily, wholeRotation } from '../language-model.mjs';
import { trainingLosses } from '../timing.mjs';

/** The parameters as a tree of arrays. */
function parameters(np, problem) {
  const array = ({ data, shape }) => np.array(data).reshape(shape);
  const given = (name) => array(problem.weights[`${name}.weight`]);
  const product = (...names) => array(columns(problem, ...names.map((name) => `${name}.weight`)));
  return {
    embedding: given('embedding'),
    norm: given('norm'),
    layers: Array.from({ length: problem.numLayers }, (_, i) => {
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
    }),
  };
}

/** Layers as functions of rows, (batch · length, D). Arrays are used once, or as `.ref` before. */
function operations({ nn, numpy: np }, { numHiddens: D, numHeads }) {
  const size = D / numHeads;
  const norm = (x, weight) => {
    const meanSquare = np.mean(np.square(x.ref), -1, { keepdims: true });
    return x.div(np.sqrt(meanSquare.add(epsilon))).mul(weight);
  };
  const heads = (x, begin, batch, length) =>
    x
      .slice([], [begin * D, (begin + 1) * D])
      .reshape([batch, length, numHeads, size])
      .transpose([0, 2, 1, 3]);
  const rotate = (x, cos, sin) => {
    const half = size / 2;
    const first = x.ref.slice([], [], [], [0, half]);
    const second = x.ref.slice([], [], [], [half, size]);
    return x.mul(cos).add(np.concatenate([second, first], -1).mul(sin));
  };
  /** The stream behind a layer; `hold` may exchange keys and values for longer ones. */
  const layer = (x, weights, [cos, sin], mask, batch, length, hold = (k, v) => [k, v]) => {
    const qkv = np.matmul(norm(x.ref, weights.norm), weights.qkv);
    const q = rotate(heads(qkv.ref, 0, batch, length), cos.ref, sin.ref);
    const [k, v] = hold(
      rotate(heads(qkv.ref, 1, batch, length), cos.ref, sin.ref),
      heads(qkv, 2, batch, length),
    );
    const scores = np.matmul(q, k.transpose([0, 1, 3, 2])).mul(1 / Math.sqrt(size));
    const pooled = np.matmul(nn.softmax(scores.add(mask.ref), -1), v).transpose([0, 2, 1, 3]);
    const y = x.add(np.matmul(pooled.reshape([batch * length, D]), weights.out));
    const normed = norm(y.ref, weights.ffnNorm);
    const gate = np.matmul(normed.ref, weights.gate);
    const gated = gate.ref.mul(nn.sigmoid(gate)).mul(np.matmul(normed, weights.up));
    return y.add(np.matmul(gated, weights.down));
  };
  return { norm, layer };
}

const causalMask = (np, length) =>
  np
    .array(
      Float32Array.from({ length: length ** 2 }, (_, i) =>
        i % length > Math.floor(i / length) ? -1e30 : 0,
      ),
    )
    .reshape([length, length]);

export function generation(jax, problem) {
  const { jit, numpy: np, tree } = jax;
  const { numHiddens: D, numHeads, promptLength, newTokens, weights } = problem;
  const size = D / numHeads;
  const whole = promptLength + newTokens;
  const model = parameters(np, problem);
  // Tied, and laid out for the product; rows of tokens are taken in JavaScript.
  model.unembedding = np
    .array(columns(problem, 'embedding.weight').data)
    .reshape([D, problem.vocabularySize]);
  delete model.embedding;
  const { norm, layer } = operations(jax, problem);
  const table = wholeRotation(problem, whole);
  const causal = causalMask(np, promptLength);
  const rotations = (begin, count) =>
    [table.cos, table.sin].map((all) =>
      np.array(all.slice(begin * size, (begin + count) * size)).reshape([count, size]),
    );

  const prefill = jit((given, x, cos, sin, mask) => {
    const caches = [];
    const padded = (rows) =>
      np.pad(rows, [
        [0, 0],
        [0, 0],
        [0, newTokens],
        [0, 0],
      ]);
    for (const each of given.layers) {
      x = layer(x, each, [cos, sin], mask, 1, promptLength, (k, v) => {
        caches.push([padded(k.ref), padded(v.ref)]);
        return [k, v];
      });
    }
    const last = x.slice([promptLength - 1, promptLength], []);
    return [np.matmul(norm(last, given.norm), given.unembedding), caches];
  });
  const decode = jit((given, x, cos, sin, position, caches) => {
    const rows = np.arange(whole);
    const isNew = rows.ref.equal(position.ref).reshape([1, 1, whole, 1]);
    const mask = np.where(rows.greater(position), -1e30, 0);
    const longer = [];
    given.layers.forEach((each, i) => {
      x = layer(x, each, [cos, sin], mask, 1, 1, (k, v) => {
        const held = [k, v].map((row, which) => np.where(isNew.ref, row, caches[i][which]));
        longer.push(held.map((array) => array.ref));
        return held;
      });
    });
    return [np.matmul(norm(x, given.norm), given.unembedding), longer];
  });

  const embedding = weights['embedding.weight'].data;
  const rowsOf = (tokens) => {
    const rows = new Float32Array(tokens.length * D);
    tokens.forEach((token, i) => rows.set(embedding.subarray(token * D, (token + 1) * D), i * D));
    return np.array(rows).reshape([tokens.length, D]);
  };
  return async () => {
    let caches;
    const answer = async ([logits, held]) => {
      caches = held;
      return logits.data();
    };
    const generated = await generateGreedily(
      problem,
      (tokens) =>
        answer(prefill(tree.ref(model), rowsOf(tokens), ...rotations(0, promptLength), causal.ref)),
      (token, position) =>
        answer(
          decode(
            tree.ref(model),
            rowsOf([token]),
            ...rotations(position, 1),
            np.array(position),
            caches,
          ),
        ),
    );
    tree.dispose(caches);
    return generated;
  };
}

export function modelTraining(jax, problem) {
  const { blockUntilReady, jit, nn, numpy: np, tree, valueAndGrad } = jax;
  const { batch, length, vocabularySize, learningRate } = problem;
  const { norm, layer } = operations(jax, problem);
  const count = batch * length;
  const table = wholeRotation(problem, length);
  const constants = [table.cos, table.sin].map((all) =>
    np.array(all).reshape([length, all.length / length]),
  );
  constants.push(causalMask(np, length));

  const loss = (given, tokens, targets, cos, sin, mask) => {
    let x = np.take(given.embedding.ref, tokens, 0);
    for (const each of given.layers) x = layer(x, each, [cos, sin], mask, batch, length);
    const logits = np.matmul(norm(x, given.norm), given.embedding.transpose());
    return nn
      .logSoftmax(logits, -1)
      .mul(nn.oneHot(targets, vocabularySize))
      .sum()
      .mul(-1 / count);
  };
  const differentiate = jit(valueAndGrad(loss));
  const [beta1, beta2] = [0.9, 0.999];
  const update = jit((weight, gradient, mean, square, scale1, scale2) => {
    const m = mean.mul(beta1).add(gradient.ref.mul(1 - beta1));
    const v = square.mul(beta2).add(np.square(gradient).mul(1 - beta2));
    const root = np.sqrt(v.ref.mul(scale2)).add(1e-8);
    return [weight.sub(m.ref.mul(scale1).div(root).mul(learningRate)), m, v];
  });

  const model = parameters(np, problem);
  const structure = tree.structure(model);
  let weights = tree.leaves(model);
  let means = weights.map((weight) => np.zeros(weight.shape));
  let squares = weights.map((weight) => np.zeros(weight.shape));
  let steps = 0;
  const step = async () => {
    steps++;
    const [value, gradients] = differentiate(
      tree.unflatten(
        structure,
        weights.map((weight) => weight.ref),
      ),
      np.array(problem.tokens),
      np.array(problem.targets),
      ...constants.map((constant) => constant.ref),
    );
    const scales = [beta1, beta2].map((beta) => 1 / (1 - beta ** steps));
    const updated = tree
      .leaves(gradients)
      .map((gradient, i) => update(weights[i], gradient, means[i], squares[i], ...scales));
    [weights, means, squares] = [0, 1, 2].map((part) => updated.map((arrays) => arrays[part]));
    const [number] = await value.data();
    // The loss is known before the parameters are updated, which would go on in a peer's turn.
    await blockUntilReady([weights, means, squares]);
    return number;
  };
  return trainingLosses(step, problem.checkedSteps);
}
