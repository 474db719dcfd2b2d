import { appendFileSync } from 'node:fs'
import type { Claim, ClaimedSend, Journal } from '../journal.ts'
import type { Store } from '../store.ts'

/** One life of a gateway that answers what waits and may die on the way. */
export interface WorkerTask {
  readonly owner: string
  /** The file that stands for the platform: one line per arrived part. */
  readonly platform: string
  /** Whether the platform recognises a repeated key. */
  readonly idempotent: boolean
  /** At which of its steps the process kills itself; 0: never. */
  readonly dieAt: number
}

/** How many things it does at once: as many sends may be in flight at a kill. */
export const workerLanes = 4

/** Answers every message in two parts until nothing waits. */
export async function runJournalWorker({ journal }: Store, task: WorkerTask): Promise<string> {
  let steps = 0
  const mayDie = (): void => {
    steps += 1
    if (steps === task.dieAt) process.kill(process.pid, 'SIGKILL')
  }
  /** Dies before a verb, between its call and its commit, or after it. */
  const step = async <T>(verb: () => Promise<T>): Promise<T> => {
    mayDie()
    const running = verb()
    mayDie()
    const result = await running
    mayDie()
    return result
  }
  await recover(journal, task, step)
  await Promise.all(Array.from({ length: workerLanes }, () => work(journal, task, step)))
  return 'idle'
}

type Stepper = <T>(verb: () => Promise<T>) => Promise<T>

async function recover(journal: Journal, { owner }: WorkerTask, step: Stepper): Promise<void> {
  const recovery = await step(() => journal.recover(owner, { alone: true }))
  for (const claim of recovery.failed) await step(() => answer(journal, claim, 'failed'))
}

async function work(journal: Journal, task: WorkerTask, step: Stepper): Promise<void> {
  for (;;) {
    const claim = await step(() => journal.claim(task.owner))
    if (claim) {
      await step(() => journal.recordStep(claim, { type: 'tool.start', id: 'c', name: 'terminal', args: '{}' }))
      const sharing = await shareSome(journal, claim, step)
      await step(() => answer(journal, claim, 'answered', sharing))
    }
    const send = await step(() => journal.claimSend(task.owner))
    if (send?.doubt && !task.idempotent) {
      await step(() => journal.settleSend(send, { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: {} } }))
    } else if (send) {
      await step(async () => appendFileSync(task.platform, lineOf(send)))
      await step(() => journal.settleSend(send, { status: 'sent', platformId: send.message.key }))
    }
    if (!claim && !send) return
  }
}

/** Every third message shares its answer with the one behind it. Answers with the ids of those that do. */
async function shareSome(journal: Journal, claim: Claim, step: Stepper): Promise<readonly string[]> {
  if (claim.seq % 3 !== 0) return []
  const waiting = await journal.waiting(claim, 1)
  const sharing = await step(() =>
    journal.absorb(
      claim,
      waiting.map(({ seq }) => seq),
    ),
  )
  return waiting.filter(({ seq }) => sharing.includes(seq)).map(({ message }) => message.id)
}

function answer(journal: Journal, claim: Claim, state: 'answered' | 'failed', sharing: readonly string[] = []): Promise<void> {
  const outbound = [claim.message.id, ...sharing].flatMap((id) => [{ text: `${id}.0` }, { text: `${id}.1` }])
  return journal.answer(claim, { outbound, turn: null, state })
}

function lineOf({ message }: ClaimedSend): string {
  return `${JSON.stringify({ key: message.key, conversation: message.conversation, text: message.text })}\n`
}
