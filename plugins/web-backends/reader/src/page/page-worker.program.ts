/** The program of page-worker.ts as text; the builder puts it here. */
export const program: string = ''
