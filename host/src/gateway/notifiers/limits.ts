/** Hearings of one event that may begin. */
export const mostAttempts = 3
/** How much longer each attempt waits than the one before. */
export const againMs = 60_000
/** Nothing is put off for longer; who waits longer has an answer of another clock. */
export const longestRetryMs = againMs * mostAttempts
/** The same for quiet hours, on a day of 25 hours. */
export const longestQuietMs = 25 * 3_600_000
/** The outbox forgets after this long what it has sent, so that a post could come twice. */
export const oldestMs = 7 * 24 * 3_600_000
