// One peer with one problem, in a process or a page of its own: opened, held against the reference,
// then timed visit by visit.
import { makeProblem } from './problem.mjs';
import { pickRows } from './reference.mjs';
import { here } from './timing.mjs';

/**
 * @param request `module` and `settings` of the peer, `shape`, `threads`, and `model`, the path of
 *   the model that the peer loads, or the paths of several by name, if any
 * @param readFile gives the bytes of a file in the project
 */
export async function openSession({ module, settings, shape, threads, model }, readFile) {
  const { load } = await import(`./peers/${module}.mjs`);
  const peer = await load({ ...settings, threads, trains: shape.kind.endsWith('training') });
  const models =
    typeof model === 'object'
      ? Object.fromEntries(
          await Promise.all(
            Object.entries(model).map(async ([name, path]) => [name, await readFile(path)]),
          ),
        )
      : model && (await readFile(model));
  const prepared = await peer.prepare(makeProblem(shape), models);
  // A peer in a process of its own has made its first call, and times the others there.
  const { time: calls, first } = typeof prepared === 'function' ? await here(prepared) : prepared;

  return {
    about: peer.about,
    // A copy, since peers may write every result to the same memory.
    check: first instanceof Float32Array ? pickRows(shape, first) : undefined,

    /** Calls for about so many milliseconds; answers what one call takes now. */
    async warmUp(milliseconds) {
      const began = performance.now();
      let count = 1;
      let each;
      do {
        each = (await calls(count)) / count;
        count = Math.max(1, Math.min(count * 2, Math.floor(milliseconds / 4 / each)));
      } while (performance.now() - began < milliseconds);
      return each;
    },

    /** Milliseconds of one call, as the mean of `count`, after some that are not timed. */
    async visit(count) {
      if (count > 1) await calls(Math.ceil(count / 10));
      return (await calls(count)) / count;
    },
  };
}
