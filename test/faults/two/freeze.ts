import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../../support/servers/wait-until.ts'
import type { TestHome } from '../../support/test-home.ts'
import type { Gateway } from '../gateway-process.ts'
import type { Speaker } from '../speakers.ts'
import { longTool } from '../speakers.ts'
import type { Stage } from '../stage.ts'
import { isLocked, readClaimed } from '../stored.ts'

/** Freezes a gateway while a tool of this message runs. */
export async function freezeAtWork({ home, witness }: Stage, gateway: Gateway, speaker: Speaker, id: string): Promise<void> {
  speaker.say(id, longTool(id, 0))
  await waitUntil('the gateway works on the message', 10_000, () => readClaimed(home).some((claimed) => claimed.id === id))
  await freeze(home, gateway)
  witness.look()
}

/** Not in the middle of a commit: the system would keep the file locked for as long as it is frozen. */
async function freeze(home: TestHome, { child }: Gateway): Promise<void> {
  child.kill('SIGSTOP')
  while (isLocked(home)) {
    child.kill('SIGCONT')
    await pause(5)
    child.kill('SIGSTOP')
  }
}
