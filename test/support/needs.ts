import { existsSync } from 'node:fs'
import { basename } from 'node:path'

declare module 'vitest' {
  interface TaskMeta {
    /** What this test needs and this machine does not have; it is skipped, and the report of the run says why. */
    missing?: string
  }
}

interface Needs {
  readonly skip: boolean
  readonly meta: { missing?: string }
}

/** Options of a test or a block that cannot run without what is missing. */
export function needs(missing: string | undefined): Needs {
  return missing === undefined ? { skip: false, meta: {} } : { skip: true, meta: { missing } }
}

/** How to get a program that is not there; undefined where it is, or where a missing one has to fail the run. */
export function missingProgram(path: string, debianPackage: string): string | undefined {
  return existsSync(path) || process.env.CI ? undefined : sayMissing(basename(path), debianPackage)
}

/** One sentence for a report: what is missing, and the command that brings it. */
export function sayMissing(what: string, debianPackages: string): string {
  return `${what} is missing: apt-get install --no-install-recommends ${debianPackages}`
}
