// What went wrong, in one line.

export class SetupError extends Error {
  /** @param {string} message @param {string[]} [details] lines under the message */
  constructor(message, details = []) {
    super(message);
    this.name = 'SetupError';
    this.details = details;
  }
}

export class Interrupted extends SetupError {
  constructor() {
    super('interrupted; run it again to go on');
    this.name = 'Interrupted';
  }
}

/** @type {[RegExp, (command: string) => string][]} from the surest sign to the vaguest */
const signs = [
  [
    /No space left on device|ENOSPC|enough free space/i,
    (command) => `the disk is full (${command} could not write)`,
  ],
  [
    /NO_PUBKEY|BADSIG|EXPKEYSIG|REVKEYSIG|is not signed|could not be verified|couldn't be verified|At least one invalid signature/i,
    (command) => `a signature does not hold: ${command} would not trust what it downloaded`,
  ],
  [
    /Hash Sum mismatch|EINTEGRITY|unexpected size/i,
    (command) => `a download is not what was announced (${command} found a wrong checksum)`,
  ],
  [
    /certificate/i,
    (command) =>
      `the connection is not to be trusted: ${command} got a certificate it does not know`,
  ],
  [
    /failure resolving|Could not resolve|Network is unreachable|Could not connect|Unable to connect|Cannot initiate the connection|Connection (timed out|refused|failed)|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/i,
    (command) => `no network: ${command} could not reach its server`,
  ],
  [
    /Could not get lock|Unable to lock/i,
    (command) => `another package manager is at work (${command} waited for its lock)`,
  ],
  [
    /Permission denied|EACCES|EPERM|EROFS|Read-only file system|are you root|may not run sudo|a password is required/i,
    (command) => `no rights: ${command} was not allowed to write`,
  ],
];

/**
 * @param {string} command
 * @param {string} reason how the command ended
 * @param {string} output all that it printed
 */
export function explainFailure(command, reason, output) {
  for (const [sign, explain] of signs) if (sign.test(output)) return explain(command);
  const lines = output.split('\n').map((line) => line.trim());
  const telling = lines.find((line) =>
    /^(E:|npm (error|ERR!) (?!code|errno|syscall)|error:)\s*\S/i.test(line),
  );
  const last = telling ?? lines.filter(Boolean).at(-1);
  return `${command} failed (${reason})${last ? `: ${last.slice(0, 200)}` : ''}`;
}

/**
 * The line for an error thrown by Node's own file functions.
 * @param {NodeJS.ErrnoException} error
 */
export function explainFileError(error) {
  const where = error.path ? ` ${error.path}` : '';
  if (error.code === 'ENOSPC') return `the disk is full (could not write${where})`;
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) {
    return `no rights to write${where}; HEADWISE_TOOLCHAIN may name a folder of your own`;
  }
  return error.message;
}
