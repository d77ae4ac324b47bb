// Files that a page saves.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.mjs';

/** Waits for a file and returns its bytes. Browsers first reserve its name with an empty file. */
export async function readSaved(folder, name) {
  const path = join(folder, name);
  await until(() => existsSync(path) && statSync(path).size > 0, `${name} was not saved`);
  return readFileSync(path);
}

/** Lets a page save files. Returns a function that waits for a file and reads it. */
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
