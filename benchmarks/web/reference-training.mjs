// How one step of stochastic gradient descent changes the output, in float64, by the formulas.

/** a (rows, inner) · b (inner, columns) */
function multiply(a, b, rows, inner, columns) {
  const result = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < inner; k++) {
      const factor = a[row * inner + k];
      for (let column = 0; column < columns; column++) {
        result[row * columns + column] += factor * b[k * columns + column];
      }
    }
  }
  return result;
}

function transpose(matrix, rows, columns) {
  const result = new Float64Array(matrix.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      result[column * rows + row] = matrix[row * columns + column];
    }
  }
  return result;
}

/** Columns [begin, begin + size) of the rows [first, first + count) of a matrix with `width` columns. */
function block(matrix, width, first, count, begin, size) {
  const result = new Float64Array(count * size);
  for (let row = 0; row < count; row++) {
    const from = (first + row) * width + begin;
    result.set(matrix.subarray(from, from + size), row * size);
  }
  return result;
}

function putBlock(matrix, width, first, begin, size, numbers) {
  for (let row = 0; row * size < numbers.length; row++) {
    matrix.set(numbers.subarray(row * size, (row + 1) * size), (first + row) * width + begin);
  }
}

/** softmax(q kᵀ / √size) by rows (queries, keys). */
function weightsOf(q, k, length, size) {
  const weights = multiply(q, transpose(k, length, size), length, size, length);
  for (let row = 0; row < length; row++) {
    const scores = weights.subarray(row * length, (row + 1) * length);
    const largest = scores.reduce((a, b) => Math.max(a, b)) / Math.sqrt(size);
    scores.forEach((score, i) => (scores[i] = Math.exp(score / Math.sqrt(size) - largest)));
    const sum = scores.reduce((a, b) => a + b);
    scores.forEach((weight, i) => (scores[i] = weight / sum));
  }
  return weights;
}

/** Calls `use` for each head of each sample with its block of a matrix (batch · length, D). */
function forEachHead({ batch, queries: length, numHiddens: D, numHeads }, use) {
  const size = D / numHeads;
  for (let b = 0; b < batch; b++) {
    for (let begin = 0; begin < D; begin += size) {
      use(
        (matrix) => block(matrix, D, b * length, length, begin, size),
        (matrix, numbers) => putBlock(matrix, D, b * length, begin, size, numbers),
        size,
      );
    }
  }
}

/** What a pass computes on its way, each (batch · length, D). Weights are (in, out). */
function forward(problem, x, { W_q, W_k, W_v, W_o }) {
  const { batch, queries: length, numHiddens: D } = problem;
  const rows = batch * length;
  const [Q, K, V] = [W_q, W_k, W_v].map((W) => multiply(x, W, rows, D, D));
  const pooled = new Float64Array(rows * D);
  forEachHead(problem, (of, put, size) => {
    const weights = weightsOf(of(Q), of(K), length, size);
    put(pooled, multiply(weights, of(V), length, length, size));
  });
  return { Q, K, V, pooled, output: multiply(pooled, W_o, rows, D, D) };
}

/** Gradients of the scores' softmax: weights · (g − Σ weights · g) by rows, over √size. */
function backThroughSoftmax(weights, gradient, length, size) {
  const result = new Float64Array(weights.length);
  for (let row = 0; row < length; row++) {
    let sum = 0;
    for (let i = row * length; i < (row + 1) * length; i++) sum += weights[i] * gradient[i];
    for (let i = row * length; i < (row + 1) * length; i++) {
      result[i] = (weights[i] * (gradient[i] - sum)) / Math.sqrt(size);
    }
  }
  return result;
}

/** The output after the step minus that before it. */
export function changeOfOutput(problem) {
  const { batch, queries: length, numHiddens: D, data, learningRate } = problem;
  const rows = batch * length;
  const x = Float64Array.from(data.queries);
  const weights = Object.fromEntries(
    Object.entries(problem.weights).map(([name, weight]) => [
      name,
      transpose(Float64Array.from(weight), D, D),
    ]),
  );
  const { Q, K, V, pooled, output } = forward(problem, x, weights);
  const gradient = output.map((y, i) => (2 / rows) * (y - data.target[i]));
  const gradPooled = multiply(gradient, transpose(weights.W_o, D, D), rows, D, D);
  const [gradQ, gradK, gradV] = [Q, K, V].map(({ length: count }) => new Float64Array(count));
  forEachHead(problem, (of, put, size) => {
    const [q, k, v, g] = [Q, K, V, gradPooled].map(of);
    const attention = weightsOf(q, k, length, size);
    put(gradV, multiply(transpose(attention, length, length), g, length, length, size));
    const gradAttention = multiply(g, transpose(v, length, size), length, size, length);
    const gradScores = backThroughSoftmax(attention, gradAttention, length, size);
    put(gradQ, multiply(gradScores, k, length, length, size));
    put(gradK, multiply(transpose(gradScores, length, length), q, length, length, size));
  });
  const inputs = transpose(x, rows, D);
  const gradients = {
    W_q: multiply(inputs, gradQ, D, rows, D),
    W_k: multiply(inputs, gradK, D, rows, D),
    W_v: multiply(inputs, gradV, D, rows, D),
    W_o: multiply(transpose(pooled, rows, D), gradient, D, rows, D),
  };
  const updated = Object.fromEntries(
    Object.entries(weights).map(([name, weight]) => [
      name,
      weight.map((w, i) => w - learningRate * gradients[name][i]),
    ]),
  );
  const after = forward(problem, x, updated).output;
  return after.map((y, i) => y - output[i]);
}
