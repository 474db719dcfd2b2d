import type { OpenAgent } from '#agent/open-agent.ts'
import type { Pressure } from '#commands/slash.ts'

type Agent = Pick<OpenAgent, 'turns' | 'store' | 'loaded' | 'length'>

/** Makes a session shorter and says what came of it. */
export async function compressSession({ turns, loaded }: Agent, session: string, focus: string, signal: AbortSignal): Promise<string> {
  if (!loaded.config.compression.enabled) return 'Conversations are not made shorter: compression.enabled is off.'
  const done = await turns.compress(session, focus, signal)
  if (!done) return 'There is nothing to make shorter yet.'
  return `This conversation was made shorter: about ${say(done.tokensBefore)} tokens became ${say(done.tokensAfter)}. What was left out stays stored, and search finds it.`
}

const say = (tokens: number): string => tokens.toLocaleString('en-US')

/** How much of the window of the model that answers now a session takes. */
export async function readPressure({ store, length }: Agent, session: string): Promise<Pressure | undefined> {
  const found = await store.sessions.find(session)
  if (!found || found.context === null) return undefined
  const now = await length.now()
  return now && { tokens: found.context, ...now, compressions: await store.sessions.compressions(session) }
}
