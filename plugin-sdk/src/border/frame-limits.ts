/** The longest text and the longest byte array of a message. */
export const maxFrameBytes: number = 4 * 1024 * 1024
/** All byte arrays of one message together. */
export const maxBytes: number = 4 * maxFrameBytes
