// A language model in ONNX Runtime, in the web and natively: one session for the prompt and one for each
// token after it, or `any` for both. Each call is given the keys and values that the last one returned.
import { generateGreedily } from '../language-model.mjs';

export async function generation({ InferenceSession, Tensor }, problem, models, options) {
  const { numHeads, numHiddens } = problem;
  const open = (bytes) => InferenceSession.create(new Uint8Array(bytes), options);
  const prefill = await open(models.prefill ?? models.any);
  const decode = models.any ? prefill : await open(models.decode);
  const none = () =>
    new Tensor('float32', new Float32Array(0), [1, numHeads, 0, numHiddens / numHeads]);

  /** Gives a session those of its inputs that it has; `held` comes from the call before. */
  async function run(session, tokens, count, held) {
    const given = {
      tokens: () => new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      position: () => new Tensor('int64', BigInt64Array.of(BigInt(count)), [1]),
      before: () => new Tensor('int32', Int32Array.of(count + tokens.length - 1), [1]),
      total: () => new Tensor('int32', Int32Array.of(count + tokens.length), [1]),
    };
    const feeds = {};
    for (const name of session.inputNames) {
      feeds[name] = given[name]?.() ?? held?.[name.slice('past_'.length)] ?? none();
    }
    return session.run(feeds);
  }

  return () => {
    let held;
    const step = async (session, tokens, count) => {
      held = await run(session, tokens, count, held);
      return held.logits.data;
    };
    return generateGreedily(
      problem,
      (tokens) => step(prefill, tokens, 0),
      (token, position) => step(decode, [token], position),
    );
  };
}
