// What axe-core finds in a page.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Each violation as a line: the rule, and where. Those of `scope`, or of the page; of all rules, or of those
 * named. `run` has the page run a script that stands in a string.
 */
export async function violations(
  page,
  { scope, rules, run = (script) => page.evaluate(script) } = {},
) {
  if (await page.evaluate(() => globalThis.axe === undefined)) await run(axe);
  // Not `runOnly: undefined`, which WebDriver makes null of.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations: found } = await page.evaluate(
    (context, given) => globalThis.axe.run(context ?? document, given),
    scope,
    options,
  );
  return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes[0].target})`);
}

/** What another scheme of colours can break. */
export const ofColours = ['color-contrast', 'link-in-text-block'];
