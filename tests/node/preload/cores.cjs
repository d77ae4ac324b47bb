// Loaded before anything else, it makes a machine answer as one with HEADWISE_CORES cores does, by
// which `init` chooses between one thread and several.
require('node:os').availableParallelism = () => Number(process.env.HEADWISE_CORES);
