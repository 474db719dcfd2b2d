import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import Database from 'better-sqlite3'
import type { TurnRows } from '../sessions.ts'
import { openStore } from '../sqlite/open.ts'
import type { Store } from '../store.ts'
import { runJournalWorker, type WorkerTask } from './journal-worker.ts'
import { messageOf } from './messages.ts'

/** What the program is to do with the store in `file`. */
export type ProgramTask =
  | { readonly type: 'work'; readonly file: string; readonly task: WorkerTask }
  | { readonly type: 'write'; readonly file: string; readonly name: string; readonly count: number }
  | { readonly type: 'fill'; readonly file: string; readonly ballast: string }

const clock: Clock = { now: () => Date.now(), sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }
const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const modes: { readonly [Type in ProgramTask['type']]: (store: Store, task: Extract<ProgramTask, { type: Type }>) => Promise<unknown> } = {
  work: (store, { task }) => runJournalWorker(store, task),
  write: writeRows,
  fill: fillDisk,
}

/** Accepts messages and stores turns as fast as it can, beside another process. */
async function writeRows({ journal, sessions }: Store, { name, count }: Extract<ProgramTask, { type: 'write' }>): Promise<unknown> {
  for (let n = 0; n < count; n++) {
    await Promise.all([journal.accept('irc', messageOf(`${name}-${n}`)), sessions.commit(turnOf(`ses_${name}`, `${name} ${n}`, n))])
  }
  return 'written'
}

/** Accepts until the disk is full, makes room, and accepts again. */
async function fillDisk({ journal, sessions }: Store, { file, ballast }: Extract<ProgramTask, { type: 'fill' }>): Promise<unknown> {
  const weight = join(ballast, 'ballast')
  writeFileSync(weight, Buffer.alloc(128 * 1024))
  let accepted = 0
  let refused: unknown
  while (refused === undefined && accepted < 200) {
    const result = await journal.accept('irc', messageOf(`${accepted}`, { text: 'x'.repeat(20_000) }))
    if (result.status === 'accepted') accepted += 1
    else refused = result
  }
  const turn = await codeOf(sessions.commit(turnOf('ses_full', 'x'.repeat(200_000))))
  rmSync(weight)
  const after = (await journal.accept('irc', messageOf('after'))).status
  const pending = (await journal.pending())[0]?.inbox ?? 0
  const stored = (await sessions.list({ limit: 9 })).length
  const sound = new Database(file, { readonly: true }).pragma('integrity_check', { simple: true })
  return { accepted, refused, turn, after, pending, sessions: stored, sound }
}

function turnOf(id: string, text: string, at = 0): TurnRows {
  return {
    session: { id, create: { source: 'cli', provider: 'p', model: 'm', system: '', tools: '[]' } },
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    calls: 1,
    at,
  }
}

/** The code of the error that a promise ends with. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
    return 'none'
  } catch (error) {
    return isAgentError(error) ? error.code : String(error)
  }
}

async function main(task: ProgramTask): Promise<void> {
  const code = await codeOf(perform(task))
  if (code === 'none') return
  process.stdout.write(`${JSON.stringify(code)}\n`)
  process.exitCode = 1
}

async function perform(task: ProgramTask): Promise<void> {
  const store = await openStore({ file: task.file, durability: 'full', clock, log })
  const run = modes[task.type] as (store: Store, task: ProgramTask) => Promise<unknown>
  process.stdout.write(`${JSON.stringify(await run(store, task))}\n`)
  await store.close()
}

await main(JSON.parse(process.argv[2] ?? '') as ProgramTask)
