// A session in a page; puppeteer asks for one thing after another.
import { openSession } from '../session.mjs';

async function readFile(path) {
  const response = await fetch(`/${path}`);
  if (!response.ok) throw new Error(`${path}: HTTP status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

globalThis.open = async (request) => {
  globalThis.session = await openSession(request, readFile);
  const { about, check } = globalThis.session;
  return { about, check: check && Array.from(check) };
};
