import { readText } from '#kernel/read-text.ts'

/** Far more than anybody writes by hand, and read in less than a second. */
const mostBytes = 256 * 1024

/** Undefined where there is no file; one that cannot be read as text is refused. */
export function readConfigText(file: string): string | undefined {
  return readText(file, { mostBytes, otherwise: 'start with --ignore-user-config' })
}
