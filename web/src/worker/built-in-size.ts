/** Of the small model’s file; a host that compresses does not tell how many bytes will come. */
export const builtInBytes = 3_291_264;
