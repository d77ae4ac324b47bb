// A session in a page or frame, whose opener asks for one thing after another.
import { openSession } from '../session.mjs';

const root = new URL('../../../', import.meta.url);

async function readFile(path) {
  const response = await fetch(new URL(path, root));
  if (!response.ok) throw new Error(`${path}: HTTP status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

globalThis.openSession = async (request) => {
  globalThis.session = await openSession(request, readFile);
  const { about, check } = globalThis.session;
  return { about, check: check && Array.from(check) };
};
