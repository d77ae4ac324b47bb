// What a session of ONNX Runtime is fed, in the web and natively.

const feeders = {
  queries: (p) => ['float32', p.data.queries, [p.batch, p.queries, p.numHiddens]],
  keys: (p) => ['float32', p.data.keys, [p.batch, p.keys, p.numHiddens]],
  scores: (p) => ['float32', p.data.scores, [p.batch, p.queries, p.keys]],
  mask: (p, mask) => {
    const ones = p.kind === 'softmax' ? [1] : [1, 1];
    return ['float32', mask(p, 1), [p.batch, ...ones, p.keys]];
  },
  full_mask: (p, mask) => ['float32', mask(p), [p.batch, 1, p.queries, p.keys]],
  valid_lens: (p) => ['int32', Int32Array.from(p.validLens), [p.batch]],
};

/** A call runs the session: the runtime copies the inputs in and the result out. */
export async function onnxCall({ InferenceSession, Tensor }, problem, model, options, mask) {
  const session = await InferenceSession.create(new Uint8Array(model), options);
  const feeds = {};
  for (const name of session.inputNames) {
    feeds[name] = new Tensor(...feeders[name](problem, mask));
  }
  return async () => (await session.run(feeds)).output.data;
}
