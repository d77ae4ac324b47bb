// How long headwise takes to learn a task to its goal, from five seeds, in sessions of their own.
import { align, time } from './table.mjs';

const seeds = [1, 2, 3, 4, 5];
const tasks = ['induction', 'sort'];

/** Results by task and seed. */
export async function measureLearning(engine, _chosen, { threads, progress }) {
  const results = [];
  for (const task of tasks) {
    for (const seed of seeds) {
      progress(`${task}, seed ${seed}`);
      const shape = { kind: 'learning', task, seed, batch: 1, queries: 1 };
      const result = { peer: 'headwise', task, seed };
      results.push(result);
      try {
        const session = await engine.open({ module: 'headwise-learning', shape, threads });
        const [steps, milliseconds, score] = session.check;
        Object.assign(result, session.about, { steps, milliseconds, score });
        await session.close();
      } catch (error) {
        result.failed = error.message.split('\n')[0];
      }
    }
  }
  return results;
}

export function learningTable(results) {
  const rows = results.map(({ task, seed, failed, steps, milliseconds, score }) =>
    failed
      ? [`${task}, seed ${seed}`, failed, '', '', '']
      : [
          `${task}, seed ${seed}`,
          String(steps),
          time(milliseconds),
          String(Math.round((1000 * steps) / milliseconds)),
          score.toFixed(3),
        ],
  );
  return align([['', 'steps', 'in', 'steps/s', 'score'], ...rows]);
}
