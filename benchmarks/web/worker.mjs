// A session in a Node process of its own; its parent asks for one thing after another.
import { readFile } from 'node:fs/promises';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { openSession } from './session.mjs';

let session;
const methods = {
  async open(request) {
    session = await openSession(request, (path) => readFile(fromRoot(path)));
    return { about: session.about, check: session.check };
  },
  warmUp: (milliseconds) => session.warmUp(milliseconds),
  visit: (count) => session.visit(count),
};

process.on('message', async ({ id, method, argument }) => {
  try {
    process.send({ id, answer: await methods[method](argument) });
  } catch (error) {
    process.send({ id, error: error?.message ?? String(error) });
  }
});
// Whatever became of the parent, nothing is left behind.
process.on('disconnect', () => process.exit());
