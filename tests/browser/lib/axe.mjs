// Accessibility violations that axe-core finds.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * One line for each violation, with its rule and place: in `scope` or the whole page, of `rules` or all rules. `run`
 * evaluates a script in the page.
 */
export async function violations(
  page,
  { scope, rules, run = (script) => page.evaluate(script) } = {},
) {
  if (await page.evaluate(() => globalThis.axe === undefined)) await run(axe);
  // WebDriver would turn `runOnly: undefined` into null.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations: found } = await page.evaluate(
    (context, given) => globalThis.axe.run(context ?? document, given),
    scope,
    options,
  );
  return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes[0].target})`);
}

/** Rules that another colour scheme can break. */
export const ofColours = ['color-contrast', 'link-in-text-block'];
