// Files that a page hands to its reader.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

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
  return async function readFile(name) {
    const path = join(folder, name);
    for (let tries = 0; !existsSync(path); tries++) {
      if (tries === 200) throw new Error(`${name} was not saved`);
      await wait(50);
    }
    return readFileSync(path);
  };
}
