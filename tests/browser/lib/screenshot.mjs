import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../build/artefacts/', import.meta.url));

/** Keeps a picture of the page as build/artefacts/NAME.png. */
export async function keepScreenshot(page, name, options = {}) {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), ...options });
}
