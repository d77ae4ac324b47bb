// Compiles programs by one version of TypeScript, in a process of its own: arguments are the folder of that version and
// JSON of `{ name, options, files }[]`. Prints JSON of the errors of each, by name.
const { relative } = require('node:path');

const [, , folder, given] = process.argv;
const ts = require(folder);

/** Declarations of the language are the same for all, and take longest to parse. */
const parsed = new Map();

function errorsOf({ options, files }) {
  const converted = ts.convertCompilerOptionsFromJson(options, process.cwd());
  const host = ts.createCompilerHost(converted.options, true);
  const { getSourceFile } = host;
  host.getSourceFile = (file, ...rest) => {
    if (!/\/lib\.[\w.]+\.d\.ts$/.test(file)) return getSourceFile(file, ...rest);
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, ...rest));
    return parsed.get(file);
  };
  const program = ts.createProgram(files, converted.options, host);
  return [...converted.errors, ...ts.getPreEmitDiagnostics(program)].map(
    ({ file, start, code, messageText }) => {
      const message = `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      if (file === undefined) return message;
      const { line, character } = file.getLineAndCharacterOfPosition(start);
      return `${relative(process.cwd(), file.fileName)}(${line + 1},${character + 1}): ${message}`;
    },
  );
}

const errors = JSON.parse(given).map((each) => [each.name, errorsOf(each)]);
console.log(JSON.stringify(Object.fromEntries(errors)));
