/** A page of files, so that any server has it. */
export default { output: 'export' };
