/** Of the small model's weights; a host that compresses does not tell how many bytes will come. */
export const builtInBytes = 1_853_816;
