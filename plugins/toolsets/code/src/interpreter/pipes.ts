/** Number of the pipe on which a script calls tools; the sandbox has the one before. */
export const callPipe = 4

/** Number of the pipe on which an interpreter takes scripts. */
export const orderPipe = 5
