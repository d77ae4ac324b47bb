/**
 * Collects problems of a page from now on: console errors and warnings, uncaught errors and failed requests. A test
 * expects the list to stay empty.
 */
export function watchForProblems(page) {
  const problems = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) {
      problems.push(`console: ${message.text()} (${message.location().url ?? ''})`);
    }
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error?.stack ?? error}`));
  page.on('requestfailed', (request) => {
    problems.push(`request: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`request: ${response.url()} ${response.status()}`);
  });
  return problems;
}
