import type { Usage } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { describeLength } from '#agent/context/session-length.ts'
import { newId } from '#kernel/ids.ts'
import { addCosts, costOfRow, formatCostSum, nothingSpent } from '#models/catalog/cost-sum.ts'
import { sessionsAbove } from '#store/child-agents.ts'
import type { Session, Sessions } from '#store/sessions.ts'
import { addUsage, dayOf, type SpentOnDay } from '#store/usage.ts'
import { formatMinute } from './answers/format-minute.ts'
import { sayRows } from './say-rows.ts'
import type { SlashCommand, SlashServices } from './slash.ts'

const both = ['cli', 'gateway'] as const

export const newCommand: SlashCommand = {
  name: 'new',
  aliases: ['reset', 'clear'],
  args: '[title]',
  summary: 'Start a new session',
  surfaces: both,
  run: async ({ args, door }) => {
    await door.startNew(args || undefined)
    door.say('A new session starts with your next message.')
  },
}

export const stopCommand: SlashCommand = {
  name: 'stop',
  aliases: [],
  args: '',
  summary: 'Interrupt what is going on',
  surfaces: both,
  run: ({ door }) => door.say(door.interrupt() ? 'Stopped.' : 'Nothing is going on.'),
}

export const titleCommand: SlashCommand = {
  name: 'title',
  aliases: [],
  args: '[name]',
  summary: 'Show or set the title of this session',
  surfaces: both,
  run: async ({ args, door, services }) => {
    const id = door.session()
    if (args === '') return door.say(await describeTitle(id, services.sessions))
    if (id === undefined && !door.keepTitle(args)) return door.say('There is no session yet: say something first.')
    door.say(id === undefined ? `This session is called "${args}".` : await rename(id, args, services.sessions))
  },
}

export const branchCommand: SlashCommand = {
  name: 'branch',
  aliases: ['fork'],
  args: '[title]',
  summary: 'Go on in a copy of this conversation, and leave this one as it is',
  surfaces: both,
  run: async ({ args, door, services: { alone, sessions } }) => {
    const id = door.session()
    if (id === undefined) return door.say('There is no session yet: say something first.')
    const branch = { as: newId('ses'), title: args || undefined, takesPlace: door.resume === undefined }
    const said = await door.run('/branch', () =>
      alone(
        id,
        async (from) =>
          `This conversation goes on as ${nameSession(await sessions.branch(id, branch))}; ${nameSession(from)} stays as it is.`,
      ),
    )
    await door.resume?.(branch.as)
    door.say(said)
  },
}

export const nameSession = ({ id, title }: Pick<Session, 'id' | 'title'>): string => (title === null ? id : `"${title}" (${id})`)

export const usageCommand: SlashCommand = {
  name: 'usage',
  aliases: [],
  args: '',
  summary: 'Say how many tokens this session took, and what they cost',
  surfaces: both,
  run: async ({ door, services }) => {
    const id = door.session()
    const session = id === undefined ? undefined : await services.sessions.find(id)
    if (!session) return door.say('This session has used nothing yet.')
    const took = await tookIn(session, services)
    door.say(
      `${sayTook(session.calls, session.usage)}.${sayAll(session, took)} ${await nameModels(session, took.rows, services)}${await describePressure(session.id, services)}`,
    )
  },
}

function sayTook(calls: number, { input, output, cacheRead, reasoning }: Usage): string {
  const details = [cacheRead > 0 ? `${cacheRead} from cache` : '', reasoning > 0 ? `${reasoning} for thinking` : '']
    .filter(Boolean)
    .join(', ')
  return `${calls} model ${calls === 1 ? 'call' : 'calls'}, ${input} tokens in and ${output} out${details ? ` (${details})` : ''}`
}

interface Took {
  /** What was written down of it: its turns, tasks beside it, and its child agents. */
  readonly rows: readonly SpentOnDay[]
  /** How many child agents there were. */
  readonly children: number
}

async function tookIn({ id, startedAt }: Session, { sessions, usage }: Pick<SlashServices, 'sessions' | 'usage'>): Promise<Took> {
  const agents = await sessions.childAgents()
  const below = new Set([...agents.keys()].filter((child) => sessionsAbove(agents, child).includes(id)))
  const rows = await usage.since(dayOf(startedAt))
  return { rows: rows.filter(({ session }) => session === id || below.has(session)), children: below.size }
}

/** What the conversation took with all that works for it; nothing where that is what its turns took. */
function sayAll({ id, calls, usage }: Session, { rows, children }: Took): string {
  const [own, others] = [rows.filter(({ session }) => session === id), rows.filter(({ session }) => session !== id)]
  const asked = own.reduce((sum, row) => sum + row.calls, 0)
  if (asked <= calls && others.length === 0) return ''
  // Of what is older than the ledger, or was imported, only the session knows.
  const parts = [...(asked > calls ? own : [{ calls, usage }]), ...others]
  const all = parts.reduce((sum, row) => ({ calls: sum.calls + row.calls, usage: addUsage(sum.usage, row.usage) }))
  const agents = children === 0 ? '' : ` with ${children === 1 ? 'a child agent' : `${children} child agents`}`
  const tasks = asked > calls ? ` ${agents ? 'and' : 'with'} tasks beside it` : ''
  return ` In all${agents}${tasks}: ${sayTook(all.calls, all.usage)}.`
}

async function describePressure(id: string, { pressure }: Pick<SlashServices, 'pressure'>): Promise<string> {
  const found = await pressure(id)
  return found ? ` ${describeLength(found)}` : ''
}

export const compressCommand: SlashCommand = {
  name: 'compress',
  aliases: [],
  args: '[what to keep]',
  summary: 'Make this conversation shorter: notes stand in for its older part',
  surfaces: both,
  run: async ({ args, door, services }) => {
    const id = door.session()
    if (id === undefined) return door.say('There is no session yet: say something first.')
    door.say(await door.run('/compress', (signal) => services.compress(id, args, signal)))
  },
}

/** Those that were asked: a session may go on with another model than it began with. What has a price is told too. */
async function nameModels(session: Session, rows: readonly SpentOnDay[], { prices }: Pick<SlashServices, 'prices'>): Promise<string> {
  const calls = new Map<string, number>()
  let spent = nothingSpent
  for (const row of rows) {
    const name = `${row.provider}/${row.model}`
    calls.set(name, (calls.get(name) ?? 0) + row.calls)
    spent = addCosts(spent, await costOfRow(prices, row))
  }
  const [only = `${session.provider}/${session.model}`] = calls.keys()
  const cost = spent.isKnown ? ` Cost: ${formatCostSum(spent)}.` : ''
  if (calls.size < 2) return `Model: ${only}.${cost}`
  return `Models: ${[...calls].map(([name, count]) => `${name} (${count} ${count === 1 ? 'call' : 'calls'})`).join(', ')}.${cost}`
}

/** So many sessions are listed. */
const listed = 10

export const resumeCommand: SlashCommand = {
  name: 'resume',
  aliases: [],
  args: '[session]',
  summary: 'Go on with another session, or list the latest',
  surfaces: both,
  run: async ({ args, door, services }) => {
    const { earlier } = door
    if (args !== '') return door.say((await (earlier ? earlier.goOn(args) : door.resume?.(args))) ?? 'A session cannot be changed here.')
    const sessions = await (earlier ? earlier.list(listed) : services.sessions.list({ limit: listed }))
    if (sessions.length === 0) return door.say('There are no sessions yet.')
    sayRows(
      door,
      sessions.map(({ id, title, preview, lastAt }) => [id, `${formatMinute(lastAt)}  ${title ?? preview}`]),
    )
    door.say('/resume <title, id or its beginning> goes on with one.')
  },
}

/** Another session may have the title: then this one gets the next number of it. */
async function rename(id: string, title: string, sessions: Sessions): Promise<string> {
  try {
    return `This session is called "${await sessions.rename(id, title)}".`
  } catch (error) {
    if (!isAgentError(error, 'TITLE_TAKEN')) throw error
    return `That title is taken; this session is called "${await sessions.rename(id, await sessions.nextTitle(title))}".`
  }
}

async function describeTitle(
  id: string | undefined,
  sessions: { find(id: string): Promise<{ title: string | null } | undefined> },
): Promise<string> {
  const session = id === undefined ? undefined : await sessions.find(id)
  return session?.title ? `This session is called "${session.title}".` : 'This session has no title yet.'
}
