import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import * as z from 'zod'
import type { RpcMethod, RpcMethods } from '../protocol.ts'
import type { Hub, OpenSession } from '../sessions/hub.ts'
import { readFiles } from '../sessions/prompt-files.ts'

/** What a method may use, of one client. */
export interface MethodContext {
  readonly now: () => number
  /** Opens the agent at its first call. */
  readonly hub: () => Promise<Hub>
  /** Whether anything that can answer is configured; does not open the agent. */
  readonly isConfigured: () => Promise<boolean>
  /** Sends the events of the session to this client, from now on. */
  watch(id: string, session: OpenSession): void
  unwatch(id: string): boolean
  /** Tells this client of changes that its panels show, from now on. */
  watchPanels(hub: Hub): void
}

/** Answers with what makes the result in the moment in which it is sent. */
type Run = (params: unknown, context: MethodContext) => Promise<() => unknown>

function method<Name extends RpcMethod>(
  schema: z.ZodType<RpcMethods[Name]['params']>,
  run: (params: RpcMethods[Name]['params'], context: MethodContext) => Promise<() => RpcMethods[Name]['result']>,
): Run {
  return async (raw, context) => {
    const parsed = schema.safeParse(raw)
    if (parsed.success) return run(parsed.data, context)
    const [issue] = parsed.error.issues
    throw fail('HTTP_INVALID', { param: issue?.path.join('.') || 'params', problem: issue?.message ?? 'cannot be used' })
  }
}

const nothing = z.object({})
const id = z.string().min(1).max(200)
const ofSession = z.object({ session_id: id })
const title = z.string().trim().min(1).max(100)
/** More is a file, and no message. */
const text = z.string().max(500_000)
const name = z.string().min(1).max(300)
const picture = z
  .string()
  .max(1_000_000)
  .regex(/^data:image\/(png|jpeg|gif|bmp|webp);base64,[A-Za-z0-9+/]+=*$/, 'it is no picture')
const file = z.union([
  z.strictObject({ name, text: z.string().max(200_000) }),
  z.strictObject({ name, image: picture, preview: picture.max(24_000).optional() }),
])
const submission = ofSession.extend({
  ...{ text, id, truncate_before_user_ordinal: z.number().int().min(0).optional() },
  files: z.array(file).min(1).max(10).optional(),
})
const said = submission.refine((given) => given.text.trim() !== '' || given.files, { path: ['text'], message: 'it is empty' })

const known: { readonly [Name in RpcMethod]: Run } = {
  'session.create': method<'session.create'>(z.object({ title: title.optional() }), async (params, { hub, watch }) => {
    const open = await hub()
    const session_id = open.create(params.title)
    const session = await open.load(session_id)
    return () => {
      watch(session_id, session)
      return { session_id }
    }
  }),
  'session.resume': method<'session.resume'>(ofSession, async ({ session_id }, { hub, watch }) => {
    const session = await (await hub()).load(session_id)
    return () => {
      watch(session_id, session)
      const { title: called, status } = session
      return { session_id, ...(called === undefined ? {} : { title: called }), events: session.events(), status }
    }
  }),
  'session.events.since': method<'session.events.since'>(
    ofSession.extend({ seq: z.number().int().min(0) }),
    async ({ session_id, seq }, { hub, watch }) => {
      const session = await (await hub()).load(session_id)
      return () => {
        watch(session_id, session)
        return session.since(seq)
      }
    },
  ),
  'session.title': method<'session.title'>(ofSession.extend({ title }), async (params, { hub }) => {
    const called = await (await hub()).rename(params.session_id, params.title)
    return () => ({ title: called })
  }),
  'session.interrupt': method<'session.interrupt'>(ofSession, async ({ session_id }, { hub }) => {
    const interrupted = await (await hub()).interrupt(session_id)
    return () => ({ interrupted })
  }),
  'subagent.interrupt': method<'subagent.interrupt'>(ofSession.extend({ subagent_id: id }), async (params, { hub }) => {
    const interrupted = (await hub()).interruptChild(params.session_id, params.subagent_id)
    return () => ({ interrupted })
  }),
  'session.close': method<'session.close'>(ofSession, async ({ session_id }, { unwatch }) => () => ({ closed: unwatch(session_id) })),
  'prompt.submit': method<'prompt.submit'>(said, async ({ files, ...params }, { hub }) => {
    const read = files ? readFiles(params.text, files) : {}
    const result = await (await hub()).submit({ ...params, ...read })
    return () => result
  }),
  'approval.respond': method<'approval.respond'>(z.object({ request_id: id, choice: id }), async ({ request_id, choice }, { hub }) => {
    const answered = await (await hub()).answer('approval.request', request_id, choice)
    return () => ({ answered })
  }),
  'clarify.respond': method<'clarify.respond'>(z.object({ request_id: id, text }), async (params, { hub }) => {
    const answered = await (await hub()).answer('clarify.request', params.request_id, params.text)
    return () => ({ answered })
  }),
  'commands.catalog': method<'commands.catalog'>(nothing, async (_, { hub }) => {
    const commands = (await hub()).commands()
    return () => ({ commands })
  }),
  'panel.run': method<'panel.run'>(
    z.object({ panel: id, method: id, input: z.record(z.string().max(200), z.json()), item: z.string().max(1000).optional() }),
    async (params, { hub, watchPanels }) => {
      const open = await hub()
      watchPanels(open)
      const answer = await open.runPanel(params)
      return () => answer
    },
  ),
  'setup.status': method<'setup.status'>(nothing, async (_, { isConfigured }) => {
    const provider_configured = await isConfigured()
    return () => ({ provider_configured })
  }),
  'setup.runtime_check': method<'setup.runtime_check'>(nothing, async (_, { hub }) => {
    const problem = await problemOf(async () => (await hub()).checkRuntime())
    return () => problem ?? { ok: true }
  }),
  ping: method<'ping'>(nothing, async (_, { now }) => () => ({ at: now() })),
}

/** By name; a client may ask for others. */
export const methods: Readonly<Record<string, Run>> = known

async function problemOf(check: () => Promise<void>): Promise<RpcMethods['setup.runtime_check']['result'] | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (!isAgentError(error)) throw error
    return { ok: false, code: error.code, message: error.message }
  }
}
