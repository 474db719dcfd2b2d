/**
 * What a Node that runs for long is started with. What is at least so large goes back to the system as soon as it is freed; of smaller things the
 * C library of Linux keeps the most that it ever held, because the end of its heap is always in use. The bound is just below 16 KiB, the size of a
 * record of TLS and of most reads; with one of 8 KiB a turn takes a fifth more of the processor. A bound that is set stays: else each large thing
 * that is freed raises it, up to 32 MiB.
 */
export const allocatorEnvironment: Readonly<Record<string, string>> = { MALLOC_MMAP_THRESHOLD_: '16000' }
