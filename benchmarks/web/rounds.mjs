// One problem on one engine: every peer is opened, checked and warmed up, then they take turns.
import { makeProblem } from './problem.mjs';
import { countSame, errorOf, reference, toleranceOf } from './reference.mjs';
import { flops, shapes, tokensPerCall } from './shapes.mjs';
import { summary } from './statistics.mjs';
import { flopsPerCall } from './peers/ceiling.mjs';

const visitMilliseconds = 80;
const warmUpMilliseconds = 1000;
/** Between visits: threads of ONNX Runtime spin after its last call, which would slow down the next peer. */
const restMilliseconds = 100;

/** By the timer that browsers have, too: the benchmark page runs this module. */
const rest = () => new Promise((resolve) => setTimeout(resolve, restMilliseconds));

/** References by the problem's name: some take a minute, and engines and numbers of threads share them. */
const references = new Map();

/**
 * The results by peer: times in milliseconds a call, or an `error`. `modelFor` gives the
 * model that a peer's session loads, or undefined if the peer cannot do the problem.
 */
export async function measure(engine, shapeName, chosen, options) {
  const { threads, rounds, progress, modelFor } = options;
  const shape = shapes[shapeName];
  const problem = makeProblem(shape);
  const tolerance = toleranceOf(problem);
  if (!references.has(shapeName)) references.set(shapeName, reference(problem));
  let expected = references.get(shapeName);
  const results = [];

  for (const [name, peer] of chosen) {
    progress(`${name} warms up`);
    const result = { peer: name };
    try {
      const model = await modelFor(peer, shapeName, problem);
      if (!model) continue;
      results.push(result);
      const { module, settings = {} } = peer;
      const session = await engine.open({ module, settings, shape, threads, ...model });
      Object.assign(result, { requestedThreads: threads, ...session.about, session });
      if (!peer.ceiling) {
        result.error = errorOf(problem, expected, session.check);
        if (shape.weightType) result.sameTokens = countSame(problem, expected, session.check);
        if (result.error > tolerance) throw new Error(`wrong by ${result.error.toExponential(1)}`);
        // Later losses of training are held against those of the first peer that began right.
        if (problem.kind === 'model-training' && expected.length === 1) expected = session.check;
      }
      const each = await session.warmUp(warmUpMilliseconds);
      result.callsPerVisit = Math.max(1, Math.round(visitMilliseconds / each));
      result.samples = [];
      result.flops = peer.ceiling ? flopsPerCall : peer.isPart ? undefined : flops(shape);
    } catch (error) {
      result.failed = error.message.split('\n')[0];
      await result.session?.close();
    }
  }

  const running = results.filter((result) => !result.failed);
  for (let round = 1; round <= rounds; round++) {
    for (const result of running) {
      progress(`round ${round} of ${rounds}, ${result.peer}`);
      if (result.failed) continue;
      try {
        await rest();
        result.samples.push(await result.session.visit(result.callsPerVisit));
      } catch (error) {
        result.failed = error.message.split('\n')[0];
      }
    }
  }
  await Promise.all(running.map(({ session }) => session.close()));
  const tokens = tokensPerCall(shape);
  for (const result of results) {
    delete result.session;
    if (result.failed) continue;
    Object.assign(result, summary(result.samples));
    if (tokens) result.tokensPerSecond = (1000 * tokens) / result.median;
    if (result.flops) result.gflops = result.flops / result.median / 1e6;
  }
  return results;
}
