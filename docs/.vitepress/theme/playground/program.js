// A program that runs in a frame of its own; removing the frame ends it.
import { print } from './print.js';

const levels = ['log', 'info', 'debug', 'warn', 'error'];

/** The program's innermost line in an error's stack, or the line of a syntax error, if the engine gives it. */
function lineOf({ error, filename, lineno }, address) {
  const [, line] =
    String(error?.stack)
      .split(address)[1]
      ?.match(/^:(\d+)/) ?? [];
  return line ?? (filename === address && lineno ? lineno : undefined);
}

/**
 * @param scope the window of a frame that shows docs/run/playground.html
 * @param write takes 'error' or the level of a console's call, and a text
 * @returns whether the program ended without an error
 */
export async function runProgram(scope, code, write) {
  for (const level of levels) {
    const original = scope.console[level];
    scope.console[level] = (...values) => {
      original.apply(scope.console, values);
      write(level, values.map((value) => print(value)).join(' '));
    };
  }
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  scope.addEventListener('error', (event) => {
    const line = lineOf(event, address);
    const text = event.error ? print(event.error) : event.message;
    write('error', line ? `Line ${line}: ${text}` : text);
  });
  // Unlike a rejection, an error event has the line of a syntax error.
  scope.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    scope.reportError(event.reason);
  });
  try {
    await scope.run(address);
    return true;
  } catch (error) {
    scope.reportError(error);
    return false;
  } finally {
    URL.revokeObjectURL(address);
  }
}
