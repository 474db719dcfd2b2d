import type { ChildProcess } from 'node:child_process'
import { type Clock, isOverWithin } from '@agent/plugin-sdk'

/** A server that is told to end by the end of its input has this long, and as long again after a signal. */
const politenessMs = 1500

/** Ends a server with everything of its group: politely first, then by force. */
export async function endGroup(child: ChildProcess, ended: Promise<unknown>, clock: Clock): Promise<void> {
  child.stdin?.end()
  if (await isOverWithin({ clock, ms: politenessMs }, ended)) return void signalGroup(child, 'SIGKILL')
  signalGroup(child, 'SIGTERM')
  await isOverWithin({ clock, ms: politenessMs }, ended)
  signalGroup(child, 'SIGKILL')
}

/** What a server has started may outlive it, and is in its group. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of the group is left.
  }
}
