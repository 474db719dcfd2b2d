import type { MemoryBlock } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { createCall } from '#kernel/calls/call.ts'
import { describeChange } from '#tools/memory/call-verbs.ts'
import { describeUse } from '#tools/memory/format-snapshot.ts'
import type { HostMemory } from '#tools/memory/memory.ts'
import { describeOwner } from '#tools/memory/owner.ts'
import type { PendingChange } from '#tools/memory/parse-pending.ts'

export interface MemoryDesk {
  readonly memory: Pick<HostMemory, 'blocks' | 'approve' | 'pending' | 'targets' | 'wantsApproval'>
  /** Keeps `memory.write_approval`, and goes by it from now on. */
  setApproval(on: boolean): void | Promise<void>
}

export interface MemoryAsk {
  /** What was said behind the name of the command. */
  readonly args: string
  /** Whose memory it is about. */
  readonly owner: string
  /** Whether changes of all owners are seen; only on the owner's own machine. */
  readonly all?: true
  /** Whether the setting may be changed from here. */
  readonly maySet: boolean
  /** How the words of the command are written here. */
  readonly name: '/memory' | 'agent memory'
  readonly signal: AbortSignal
}

type Act = (desk: MemoryDesk, ask: MemoryAsk, word: string) => Promise<string>

const acts: Readonly<Record<string, Act>> = {
  show,
  pending: async (desk, ask) => formatPending(await desk.memory.pending.list(scope(ask)), ask),
  approve: (desk, ask, word) =>
    decide(desk, ask, word, async (id) => {
      const block = await desk.memory.approve(id, createCall(ask.signal), scope(ask))
      return `${id} is remembered: ${block.target} has ${describeUse(block)}.`
    }),
  reject: (desk, ask, word) =>
    decide(desk, ask, word, async (id) => {
      const { change } = await desk.memory.pending.find(id, scope(ask))
      desk.memory.pending.remove(id)
      return `${id} is dropped: ${describeChange(change)}`
    }),
  approval: async (desk, ask, word) => {
    if (word === '') return approvalIs(desk.memory.wantsApproval(), ask)
    if (word !== 'on' && word !== 'off') throw usage(`approval takes on or off, and not "${word}".`, ask, 'approval on')
    if (!ask.maySet) throw usage('Only an admin of this platform changes this setting.', ask, 'pending')
    await desk.setApproval(word === 'on')
    return approvalIs(word === 'on', ask)
  },
}

/** What the memory commands answer, at the terminal, on platforms and on the command line. */
export async function answerMemory(desk: MemoryDesk, ask: MemoryAsk): Promise<string> {
  const [verb = '', word = '', ...more] = ask.args.trim().split(/\s+/)
  const act = acts[verb === '' ? 'show' : verb.toLowerCase()]
  if (!act) throw usage(`There is no "${verb}" among show, pending, approve, reject and approval.`, ask, 'pending')
  if (more.length > 0) throw usage(`"${more.join(' ')}" is one word too many.`, ask, `${verb} ${word}`.trim())
  return await act(desk, ask, word)
}

const usage = (problem: string, { name }: MemoryAsk, instead: string): Error => fail('USAGE', { problem, try: `${name} ${instead}` })

const scope = ({ owner, all }: MemoryAsk): string | undefined => (all ? undefined : owner)

async function show({ memory }: MemoryDesk, ask: MemoryAsk): Promise<string> {
  if (memory.targets().length === 0) return 'Nothing is remembered: memory is off in the settings.'
  const blocks = await memory.blocks(ask.owner, createCall(ask.signal))
  const filled = blocks.filter(({ entries }) => entries.length > 0)
  const waiting = (await memory.pending.list(scope(ask))).length
  const more = waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'change waits' : 'changes wait'} for approval: ${ask.name} pending`]
  const approval = memory.wantsApproval() ? ['Changes wait for approval.'] : []
  return [...(filled.length === 0 ? ['Nothing is remembered yet.'] : filled.map(formatBlock)), ...more, ...approval].join('\n\n')
}

function formatBlock({ target, entries, limit }: MemoryBlock): string {
  return [`${target} (${describeUse({ entries, limit })})`, ...entries.map((entry) => `- ${entry.replaceAll('\n', '\n  ')}`)].join('\n')
}

function formatPending(pending: readonly PendingChange[], ask: MemoryAsk): string {
  if (pending.length === 0) return 'No change of the memory waits.'
  const lines = pending.map(({ id, at, owner, change }) => {
    const whose = ask.all ? `, of ${describeOwner(owner)}` : ''
    return `${id} (${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}${whose})\n  ${describeChange(change).replaceAll('\n', '\n  ')}`
  })
  return [...lines, `${ask.name} approve ID, or ${ask.name} reject ID; all means each of them.`].join('\n')
}

/** Does it with one change, or with each that waits; one that cannot be made does not keep the others waiting. */
async function decide(desk: MemoryDesk, ask: MemoryAsk, word: string, act: (id: string) => Promise<string>): Promise<string> {
  if (word === '') throw usage('Say which change is meant.', ask, 'pending')
  if (word !== 'all') return await act(word)
  const lines: string[] = []
  for (const { id } of await desk.memory.pending.list(scope(ask))) {
    try {
      lines.push(await act(id))
    } catch (error) {
      if (!isAgentError(error)) throw error
      lines.push(`${id} still waits. ${error.message}`)
    }
  }
  return lines.join('\n') || 'No change of the memory waits.'
}

function approvalIs(on: boolean, { name }: MemoryAsk): string {
  return on
    ? `What the agent wants to remember waits for approval: ${name} pending lists it.`
    : 'What the agent wants to remember is remembered at once.'
}
