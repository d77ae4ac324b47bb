// One process of cold-start.mjs.
const request = JSON.parse(process.argv[2]);
if (request) {
  const [{ readFile }, { load }, { makeProblem }] = await Promise.all([
    import('node:fs/promises'),
    import(`./peers/${request.module}.mjs`),
    import('./problem.mjs'),
  ]);
  const { model, settings, shape, threads } = request;
  const peer = await load({ ...settings, threads });
  const call = await peer.prepare(makeProblem(shape), model && (await readFile(model)));
  const result = await call();
  if (result.length !== shape.batch * shape.queries * shape.numHiddens) process.exit(1);
}
// Some peers' threads would keep the process alive.
process.exit();
