// One problem after another, in frames of the page, by the modules of benchmarks/web.
import { framesEngine } from '../../../../benchmarks/web/engines/frames.mjs';
import { modelFor } from '../../../../benchmarks/web/models.mjs';
import { peers } from '../../../../benchmarks/web/peers.mjs';
import { measure } from '../../../../benchmarks/web/rounds.mjs';
import { shapes } from '../../../../benchmarks/web/shapes.mjs';
import { compare } from '../../../../benchmarks/web/table.mjs';

// More would need a page that is cross-origin isolated.
const threads = 1;

/** headwise, and the peers of the chosen libraries. */
const peersOf = (modules) =>
  Object.entries(peers).filter(
    ([name, { module }]) => name === 'headwise' || modules.includes(module),
  );

/** The runs of the problems as `npm run bench` writes them, each as soon as it has ended. Throws once `signal` is aborted. */
export async function* measureAll({ shapeNames, modules, rounds, address, signal, progress }) {
  const engine = framesEngine(address, signal);
  for (const shape of shapeNames) {
    progress(shape, 'computing the reference');
    // The page shows that before the reference keeps it busy.
    await new Promise((resolve) => setTimeout(resolve, 50));
    signal.throwIfAborted();
    const models = [];
    const results = await measure(engine, shape, peersOf(modules), {
      threads,
      rounds,
      progress: (text) => progress(shape, text),
      modelFor: (peer, _shape, problem) =>
        modelFor(peer, problem, (_name, bytes) => {
          models.push(URL.createObjectURL(new Blob([bytes])));
          return models.at(-1);
        }),
    });
    models.forEach((model) => URL.revokeObjectURL(model));
    signal.throwIfAborted();
    yield { shape, about: shapes[shape].about, threads, results: compare(results, threads) };
  }
}
