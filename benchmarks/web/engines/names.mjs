// The engines by what they have in common.
export const inNode = ['node', 'node-current'];
export const onTheWeb = [...inNode, 'chromium'];
export const engineNames = [...onTheWeb, 'native'];
