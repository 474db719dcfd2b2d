import type { SandboxProbe } from './probe-sandbox.ts'
import type { SandboxLevel } from './sandbox-level.ts'

/** The sandbox of this machine, as its owner knows it. */
export interface Sandbox {
  /** Tried out at the first call; all later ones get the same answer. */
  level(): Promise<SandboxLevel>
}

export function createSandbox(options: Omit<SandboxProbe, 'signal'>): Sandbox {
  let known: Promise<SandboxLevel> | undefined
  const probe = async (): Promise<SandboxLevel> => (await import('./probe-sandbox.ts')).probeSandbox(options)
  return {
    level() {
      known ??= probe()
      return known
    },
  }
}
