import { readdirSync } from 'node:fs'

/** Folders `<prefix><pid>-…` whose process is gone: one that was killed could not remove its own. */
export function listLeftFolders(parent: string, prefix: string): readonly string[] {
  return readdirSync(parent).filter((name) => name.startsWith(prefix) && !isRunning(Number.parseInt(name.slice(prefix.length), 10)))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It may be somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
