import type { ArgsOf, PastMessage, ToolResult, ToolRun, Toolset } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { tools } from './tools.ts'

type Wish = ArgsOf<typeof tools, 'session_search'>

/** A message longer than this is cut where several are shown. */
const longest = 2_000

const toolset: Toolset = {
  async open() {
    const search: ToolRun<Wish> = async ({ args, sessions }) => {
      try {
        if (!sessions)
          throw fail('PLUGIN_UNDECLARED', { plugin: 'toolset-session-search', access: 'sessions', field: '"sessions" in permissions.host' })
        return { ok: true, text: await answer(args, sessions) }
      } catch (error) {
        return { ok: false, error: toWireError(error) } satisfies ToolResult
      }
    }
    return { tools: { session_search: search } }
  },
}

export default toolset

type Sessions = NonNullable<Parameters<ToolRun>[0]['sessions']>

async function answer({ query, session, number, limit: most }: Wish, sessions: Sessions): Promise<string> {
  if (session === undefined && number !== undefined)
    throw fail('TOOL_ARGUMENTS', { tool: 'session_search', problem: 'number is a message of a session, and no session is named' })
  if (session !== undefined && query !== undefined)
    throw fail('TOOL_ARGUMENTS', { tool: 'session_search', problem: 'it takes a query or a session, not both' })
  if (session !== undefined) {
    const read = await sessions.read({ session, from: number ?? 1, most })
    return read.map(formatMessage).join('\n\n') || 'The session has no message from there on.'
  }
  const found = await sessions.find({ ...(query === undefined ? {} : { query }), most })
  if (found.length > 0) return found.map(formatFound).join('\n\n')
  return query === undefined ? 'There is no earlier conversation.' : 'Nothing was found. Other words, or fewer, may find more.'
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

function formatFound({ session, title, role, at, number, text }: PastMessage): string {
  return `${session}${title === null ? '' : ` "${title}"`}, message ${number}, ${role}, ${dayOf(at)}\n${text}`
}

function formatMessage({ role, at, number, text }: PastMessage): string {
  return `${number}. ${role}, ${dayOf(at)}\n${text.length <= longest ? text : `${text.slice(0, longest - 1)}…`}`
}
