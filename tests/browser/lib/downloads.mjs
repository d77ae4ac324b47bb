// Files that a page hands to its reader.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.mjs';

/** The bytes of a file, once it is there. Browsers reserve its name first, by an empty one. */
export async function readSaved(folder, name) {
  const path = join(folder, name);
  await until(() => existsSync(path) && statSync(path).size > 0, `${name} was not saved`);
  return readFileSync(path);
}

/** Lets a page save files; gives the function that waits for one and reads it. */
export async function useDownloads(t, page) {
  const folder = mkdtempSync(join(tmpdir(), 'headwise-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const session = await page.createCDPSession();
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: folder,
    browserContextId: page.browserContext().id,
  });
  return (name) => readSaved(folder, name);
}
