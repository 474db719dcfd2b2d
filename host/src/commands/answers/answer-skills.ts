import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { PendingSkill } from '#skills/writing/parse-pending.ts'
import { describeSkillChange, type SkillWriting } from '#skills/writing/skill-writing.ts'
import { describeOwner, profileOwner } from '#tools/memory/owner.ts'

export interface WritingDesk {
  readonly writing: Pick<SkillWriting, 'approve' | 'diff' | 'pending' | 'wantsApproval'>
  /** Keeps `skills.write_approval`, and goes by it from now on. */
  setApproval(on: boolean): void | Promise<void>
}

export interface SkillsAsk {
  /** What was said behind the name of the command. */
  readonly args: string
  /** How the words of the command are written here. */
  readonly name: '/skills' | 'agent skills'
}

type Act = (desk: WritingDesk, ask: SkillsAsk, word: string) => Promise<string>

const acts: Readonly<Record<string, Act>> = {
  pending: async (desk, ask) => formatPending(await desk.writing.pending.list(), ask),
  approve: (desk, ask, word) =>
    decide(desk, ask, word, async (id) => `${id} is done: ${describeSkillChange((await desk.writing.approve(id)).change)}.`),
  reject: (desk, ask, word) =>
    decide(desk, ask, word, async (id) => {
      const { change } = await desk.writing.pending.find(id)
      desk.writing.pending.remove(id)
      return `${id} is dropped: ${describeSkillChange(change)}.`
    }),
  diff: async (desk, ask, word) => {
    if (word === '') throw usage('Say which change is meant.', ask, 'pending')
    return (await desk.writing.diff(word)).trimEnd() || 'It would make nothing different.'
  },
  approval: async (desk, ask, word) => {
    if (word === '') return approvalIs(desk, ask)
    if (word !== 'on' && word !== 'off') throw usage(`approval takes on or off, and not "${word}".`, ask, 'approval on')
    await desk.setApproval(word === 'on')
    const rest = word === 'off' && desk.writing.wantsApproval() ? ' memory.write_approval is on, and it is about skills as well.' : ''
    return `${approvalIs(desk, ask)}${rest}`
  },
}

/** What the commands about skills that the agent writes answer, in chats and on the command line. */
export async function answerSkills(desk: WritingDesk, ask: SkillsAsk): Promise<string> {
  const [verb = '', word = '', ...more] = ask.args.trim().split(/\s+/)
  const act = acts[verb === '' ? 'pending' : verb.toLowerCase()]
  if (!act) throw usage(`There is no "${verb}" among pending, approve, reject, diff and approval.`, ask, 'pending')
  if (more.length > 0) throw usage(`"${more.join(' ')}" is one word too many.`, ask, `${verb} ${word}`.trim())
  return await act(desk, ask, word)
}

const usage = (problem: string, { name }: SkillsAsk, instead: string): Error => fail('USAGE', { problem, try: `${name} ${instead}` })

function formatPending(pending: readonly PendingSkill[], { name }: SkillsAsk): string {
  if (pending.length === 0) return 'No change of a skill waits.'
  const lines = pending.map(
    ({ id, at, owner, change }) =>
      `${id} (${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}, for ${describeOwner(owner)})\n  ${describeSkillChange(change)}`,
  )
  return [...lines, `${name} diff ID shows one; ${name} approve ID, or ${name} reject ID; all means each that is for you.`].join('\n')
}

/** Does it with one change, or with each that waits for the owner; what others asked for is looked at one by one. One that cannot be made does not keep the others waiting. */
async function decide(desk: WritingDesk, ask: SkillsAsk, word: string, act: (id: string) => Promise<string>): Promise<string> {
  if (word === '') throw usage('Say which change is meant.', ask, 'pending')
  if (word !== 'all') return await act(word)
  const lines: string[] = []
  for (const { id } of await desk.writing.pending.list(profileOwner)) {
    try {
      lines.push(await act(id))
    } catch (error) {
      if (!isAgentError(error)) throw error
      lines.push(`${id} still waits. ${error.message}`)
    }
  }
  return lines.join('\n') || 'No change of a skill waits.'
}

function approvalIs({ writing }: WritingDesk, { name }: SkillsAsk): string {
  return writing.wantsApproval()
    ? `What the agent wants to write into skills waits for approval: ${name} pending lists it.`
    : 'The agent writes its own skills at once. What people made or changed it asks about.'
}
