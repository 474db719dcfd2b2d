/**
 * What a Node that runs for long is started with. The C library of Linux raises its bound for memory that goes back to the system at once with each large
 * thing that is freed, up to 32 MiB; a bound that is set stays, so that one large message does not make the process keep what it once needed.
 */
export const allocatorEnvironment: Readonly<Record<string, string>> = { MALLOC_MMAP_THRESHOLD_: '131072' }
