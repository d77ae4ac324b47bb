// What crosses between JavaScript and WebAssembly beside plain numbers, each described here and
// nowhere else: generate.mjs makes the TypeScript and the C++ of it. Words are of 32 bits.
//
// Kinds of fields:
//   integer       a word, signed
//   size          a word, unsigned
//   size[n]       n of them
//   flag          a word, 0 or 1
//   wide          two words, the lower one first: an integer that JavaScript has exactly
//   number        two words, a double
//   T*            an address in working memory, where T begin at a cache line
//   T*?           the same, or a null pointer: undefined in JavaScript
//   void*, void*? an address that C++ has given out
//   Input<T>      a tensor that C++ reads, or none
//   Name          what Name describes, in place
// and in messages, whose length is not fixed:
//   whole         as number: an integer that JavaScript has exactly, of any size and sign
//   flag?, whole?, number?  three words: whether it is given, and it as a double; undefined in JavaScript
//   text, bytes   a number of bytes and they, filled up to whole words; texts are UTF-8
//   sizes, wides  a number of words, or of pairs of them, and they
//   Name[]        a number of messages and they
//   Name?         the same, of at most one: undefined in JavaScript
// In those that C++ writes, the value may follow, where it is not the member of the field's name: `$` is the object.

/**
 * Records and messages that are types of the library, whose members are called as their fields. In their records, a
 * `flag` is a bool and a `size` may be an enumeration of one byte if the next member begins at the next word. A span is
 * `size[2]`: the address, and the number of items.
 */
export const libraryTypes = {
  MaskRules: 'MaskRules',
  MaskInputs: 'MaskInputs',
  PoolingInputs: 'PoolingInputs',
  ForwardInputs: 'ForwardInputs',
  PatchInputs: 'PatchInputs',
  ModelInputs: 'ModelInputs',
  GenerateInputs: 'GenerateInputs',
  RotaryOptions: 'RotaryOptions',
  LayerOptions: 'MultiHeadAttentionOptions',
  Window: 'Window',
  EncoderOptions: 'EncoderOptions',
  PatchOptions: 'PatchOptions',
  ModelOptions: 'TransformerOptions',
  RotaryScaling: 'RotaryScaling',
  CopyOptions: 'CopyOptions',
  SequenceOptions: 'SequenceOptions',
  AssociativeRecallOptions: 'AssociativeRecallOptions',
  InductionOptions: 'InductionOptions',
  NamedTensor: 'io::NamedTensor',
  NamedText: 'io::NamedText',
  ConfigField: 'PretrainedConfig::Field',
  NumberFormat: 'io::NumberFormat',
  LayerParameter: 'io::PlannedParameter',
  LayerPlan: 'io::LayerPlan',
  ModelSettings: 'TransformerSettings',
  AttentionSettings: 'LayerSettings',
  AttentionDescription: 'MultiHeadAttention',
  ModelDescription: 'Transformer',
  ModelMemory: 'ModelMemory',
  ImportanceInputs: 'validation::ImportanceInputs',
  LayerHeads: 'HeadsByLayer::value_type',
  TaskSizes: 'TaskSampler',
  InputSizes: 'InputSizes',
  ParameterDescription: 'NamedParameter',
  ParameterDescriptions: 'ParameterList',
};

/** Fields at fixed offsets. */
export const records = {
  // The mask options other than tensors.
  MaskRules: {
    causal: 'size',
    windowLeft: 'integer',
    windowRight: 'integer',
    emptyRows: 'size',
  },
  MaskInputs: {
    validLens: 'Input<double>',
    allowed: 'Input<std::uint8_t>',
    added: 'Input<float>',
    keyMask: 'Input<std::uint8_t>',
    rules: 'MaskRules',
  },
  SoftmaxRecord: {
    batch: 'size',
    numQueries: 'size',
    numKeys: 'size',
    masks: 'MaskInputs',
  },
  PoolingInputs: {
    queryOffset: 'number',
    scale: 'number',
    softcap: 'number',
    hasScale: 'flag',
    queries: 'Input<float>',
    keys: 'Input<float>',
    values: 'Input<float>',
    masks: 'MaskInputs',
    returnWeights: 'flag',
    weightsStage: 'size',
    isAdditive: 'flag',
    W_q: 'Input<float>',
    W_k: 'Input<float>',
    w_v: 'Input<float>',
  },
  ForwardInputs: {
    queries: 'Input<float>',
    keys: 'Input<float>',
    values: 'Input<float>',
    masks: 'MaskInputs',
    headGate: 'Input<float>',
    positions: 'Input<double>',
    requiresGrad: 'flag',
    cache: 'void*?',
    returnWeights: 'flag',
    weightHeads: 'Input<double>',
    weightQueries: 'Input<double>',
    keyMass: 'flag',
    weightsStage: 'size',
    // A byte for each of `captureNames`.
    capture: 'size[2]',
  },
  BackwardRecord: {
    gradOutput: 'Input<float>',
  },
  // Words are the numbers of the C++ enumerations.
  PatchInputs: {
    at: 'size',
    side: 'size',
    layer: 'wide',
    kind: 'size',
    value: 'Input<float>',
    heads: 'Input<double>',
    positions: 'Input<double>',
  },
  ModelInputs: {
    // One of the three.
    tokens: 'Input<double>',
    pixels: 'Input<float>',
    embeddings: 'Input<float>',
    targets: 'Input<double>',
    segments: 'Input<double>',
    validLens: 'Input<double>',
    keyMask: 'Input<std::uint8_t>',
    source: 'Input<double>',
    sourceValidLens: 'Input<double>',
    sourceKeyMask: 'Input<std::uint8_t>',
    // Of each side, a span of inputs of floats.
    headGates: 'size[6]',
    cache: 'void*?',
    returnWeights: 'flag',
    weightHeads: 'Input<double>',
    weightQueries: 'Input<double>',
    capture: 'size[2]',
    captureLayers: 'Input<double>',
    capturePositions: 'Input<double>',
    patches: 'size[2]',
    requiresGrad: 'flag',
  },
  // Of a model's passes.
  PassRecord: {
    kind: 'size',
    inputs: 'ModelInputs',
    // Layers and positions that are analysed, the tokens of an attribution.
    layers: 'Input<double>',
    positions: 'Input<double>',
    target: 'Input<double>',
    against: 'Input<double>',
    // Of patched heads: what they replace, and the input where they do, one of the three.
    replaced: 'size',
    corruptedTokens: 'Input<double>',
    corruptedPixels: 'Input<float>',
    corruptedEmbeddings: 'Input<float>',
    optimizer: 'void*?',
  },
  ModelBackwardRecord: {
    hidden: 'Input<float>',
    logits: 'Input<float>',
  },
  GenerateInputs: {
    tokens: 'Input<double>',
    source: 'Input<double>',
    keyMask: 'Input<std::uint8_t>',
    stop: 'Input<double>',
    maxNewTokens: 'number',
    temperature: 'number',
    topK: 'wide',
    topP: 'number',
    // Filled up to two words.
    cachePrecision: 'wide',
    seed: 'wide',
    returnWeights: 'flag',
    weightHeads: 'Input<double>',
  },
  ScoreRecord: {
    score: 'integer',
    weights: 'Input<float>',
    // Tokens or keys.
    positions: 'Input<double>',
    numExtraSlots: 'size',
    causal: 'flag',
    ignoredKeys: 'Input<std::uint8_t>',
    scores: 'double*',
  },
};

/** Fields one behind the other, behind the number of all words. JavaScript writes these. */
export const requests = {
  RotaryOptions: { base: 'number', size: 'whole?', interleaved: 'flag' },
  LayerOptions: {
    numHiddens: 'whole',
    numHeads: 'whole',
    numKvHeads: 'whole?',
    querySize: 'whole?',
    keySize: 'whole?',
    valueSize: 'whole?',
    outputSize: 'whole?',
    outputProjection: 'flag?',
    bias: 'flag',
    outputBias: 'flag?',
    projection: 'size',
    pooling: 'size',
    attentionHiddens: 'whole?',
    scale: 'number?',
    softcap: 'number',
    rotary: 'RotaryOptions?',
    biasKv: 'flag',
    zeroAttention: 'flag',
    weights: 'size',
    dropout: 'number',
    seed: 'wide',
  },
  Window: { left: 'whole', right: 'whole' },
  EncoderOptions: { numLayers: 'whole', numHeads: 'whole?', ffnHiddens: 'whole?' },
  PatchOptions: { imageSize: 'whole', patchSize: 'whole', channels: 'whole', classToken: 'flag' },
  ModelOptions: {
    vocabularySize: 'whole',
    maxLength: 'whole',
    numHiddens: 'whole',
    numLayers: 'whole',
    numHeads: 'whole',
    numKvHeads: 'whole?',
    headSize: 'whole?',
    ffnHiddens: 'whole?',
    activation: 'size',
    gated: 'flag',
    norm: 'size',
    normFirst: 'flag',
    parallelResidual: 'flag',
    postNorms: 'flag',
    normEpsilon: 'number',
    normBias: 'flag',
    finalNorm: 'flag?',
    embeddingNorm: 'flag',
    positions: 'size',
    positionOffset: 'whole',
    paddingToken: 'whole?',
    rotary: 'RotaryOptions',
    qkNorm: 'flag',
    embeddingScale: 'number',
    bias: 'flag',
    qkvBias: 'flag?',
    ffnBias: 'flag?',
    tiedEmbeddings: 'flag',
    logitsBias: 'flag',
    logitsSoftcap: 'number',
    head: 'flag',
    segments: 'whole',
    causal: 'flag',
    dropout: 'number',
    window: 'Window?',
    windows: 'Window[]',
    softcap: 'number',
    scale: 'number?',
    scaleByLayer: 'flag',
    encoder: 'EncoderOptions?',
    patches: 'PatchOptions?',
    weights: 'size',
    seed: 'wide',
  },
  RotaryScaling: {
    type: 'size',
    factor: 'number',
    originalLength: 'number',
    slowTurns: 'number',
    fastTurns: 'number?',
    truncate: 'flag',
    attentionFactor: 'number?',
  },
  // Apart, because layers have none: their WebAssembly does without its code.
  NewModel: { options: 'ModelOptions', scaling: 'RotaryScaling?' },
  // Options of a model whose other options are its checkpoint's.
  OwnOptions: { dropout: 'number?', weights: 'size', seed: 'wide' },
  CopyOptions: { numSymbols: 'whole', length: 'whole', offset: 'whole' },
  SequenceOptions: { numSymbols: 'whole', numItems: 'whole' },
  AssociativeRecallOptions: {
    ...{ numNames: 'whole', numValues: 'whole', numPairs: 'whole', numQuestions: 'whole' },
  },
  InductionOptions: {
    ...{ numSymbols: 'whole', length: 'whole', minPeriod: 'whole', maxPeriod: 'whole' },
  },
  TrainableAddress: { isModel: 'flag', address: 'void*' },
  Trainables: { trainables: 'TrainableAddress[]' },
  ImportanceInputs: {
    measure: 'size',
    normalize: 'flag',
    numBatches: 'size',
    needsLoss: 'flag',
    hasValue: 'flag',
    hasGradient: 'flag',
    side: 'size',
    hasLayers: 'flag',
  },
  IgnoredKeys: { keys: 'sizes', ignored: 'sizes' },
  // The options, the heads of each layer, and their importance: doubles.
  RankedHeads: {
    ...{ fraction: 'number', measure: 'size', groupSize: 'whole' },
    ...{ numHeads: 'sizes', importance: 'bytes' },
  },
  MeasuredImportance: { inputs: 'ImportanceInputs', ignoredKeys: 'IgnoredKeys[]' },
  HeaderBytes: { fileSize: 'wide', bytes: 'bytes' },
  TensorShape: { shape: 'sizes' },
  NamedTensor: { name: 'text', dtype: 'text', shape: 'sizes' },
  NamedText: { name: 'text', text: 'text' },
  FileContents: { tensors: 'NamedTensor[]', metadata: 'NamedText[]' },
  // A member of a config: of objects and lists each with a name like `rope_scaling.type`.
  ConfigField: { name: 'text', kind: 'size', number: 'number', text: 'text' },
  // `sameAs`: of the plan's tied tensors, each one's first equal; none before they were compared.
  Checkpoint: { config: 'ConfigField[]', tensors: 'NamedTensor[]', sameAs: 'sizes' },
  NewPretrained: { checkpoint: 'Checkpoint', own: 'OwnOptions' },
  NamedTensors: { tensors: 'NamedTensor[]' },
  StateDictNames: { numHeads: 'number', prefix: 'text', tensors: 'NamedTensor[]' },
};

/** The same, written by C++. */
export const responses = {
  HeaderText: { bytes: 'bytes' },
  NumberFormat: { type: 'size', size: 'size', bigEndian: 'flag' },
  NpyHeader: {
    problem: 'text',
    size: 'wide',
    format: 'NumberFormat',
    fortranOrder: 'flag',
    shape: 'sizes',
  },
  FileTensor: {
    name: 'text',
    dtype: 'text',
    format: 'NumberFormat',
    begin: 'wide',
    end: 'wide',
    shape: 'wides',
  },
  FileText: { name: 'text', text: 'text' },
  FileHeader: {
    problem: 'text',
    size: 'wide',
    tensors: 'FileTensor[]',
    metadata: 'FileText[]',
  },
  LayerParameter: {
    name: 'text parameter_names[$.parameter]',
    // Counted from 1; 0 is none: zeros.
    source: 'size $.source + 1',
    firstRow: 'size',
    transposed: 'flag',
    shape: 'sizes $.axes.shape()',
  },
  LayerPlan: {
    numHiddens: 'size',
    numKvHeads: 'size',
    querySize: 'size',
    keySize: 'size',
    valueSize: 'size',
    outputSize: 'size',
    attentionHiddens: 'size',
    outputProjection: 'flag',
    bias: 'flag',
    outputBias: 'flag',
    convolution: 'flag',
    biasKv: 'flag',
    parameters: 'LayerParameter[]',
  },
  CheckpointPlan: {
    // Of the config and of the tensors.
    problem: 'text',
    tensorProblem: 'text',
    // Tensors, by their number, that may hold the same token embedding.
    tied: 'sizes',
    isUntied: 'flag',
  },
  LayerHeads: { heads: 'sizes $' },
  PrunedHeads: { layers: 'LayerHeads[]' },
  // byRows: whether its rows are those of one parameter.
  PretrainedTensor: { name: 'text', shape: 'sizes', isCopy: 'flag', byRows: 'flag' },
  PretrainedTensors: { tensors: 'PretrainedTensor[]' },
  // Options with their defaults, as far as JavaScript reads them.
  ModelSettings: {
    vocabularySize: 'size',
    maxLength: 'size',
    numHiddens: 'size',
    numLayers: 'size $.decoder.num_layers',
    head: 'flag',
    causal: 'flag $.decoder.causal',
    hasEncoder: 'flag $.has_encoder()',
    hasPatches: 'flag $.has_patches()',
    weights: 'size',
    seed: 'wide',
  },
  AttentionSettings: {
    numHiddens: 'size',
    numHeads: 'size',
    numKvHeads: 'size',
    bias: 'flag',
    outputBias: 'flag',
    dropout: 'number',
    seed: 'wide',
  },
  AttentionDescription: {
    address: 'size address_of(&$)',
    settings: 'AttentionSettings $.settings()',
  },
  ModelDescription: {
    settings: 'ModelSettings $.settings()',
    self: 'AttentionDescription[] $.attention_layers(Side::self)',
    cross: 'AttentionDescription[] $.attention_layers(Side::cross)',
    encoder: 'AttentionDescription[] $.attention_layers(Side::encoder)',
  },
  ModelMemory: { numParameters: 'number', parameterBytes: 'number', gradientBytes: 'number' },
  TaskSizes: { vocabularySize: 'size $.vocabulary_size()', length: 'size $.length()' },
  InputSizes: { querySize: 'size', keySize: 'size', valueSize: 'size' },
  ParameterDescription: {
    name: 'text',
    shape: 'sizes',
    // Addresses of what holds it, with its index there, and of its gradient: 0 if that is not there yet.
    stored: 'size address_of($.stored)',
    index: 'size',
    gradient: 'size address_of($.gradient)',
  },
  ParameterDescriptions: { parameters: 'ParameterDescription[] $' },
};
