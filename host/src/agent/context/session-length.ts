import type { Loaded } from '#config/file/loaded.ts'
import type { Compression, Sessions } from '#store/sessions.ts'

/** How much of a model's window a conversation takes, in tokens. */
export interface Pressure {
  readonly tokens: number
  readonly window: number
  /** From how many on it is made shorter; undefined where it never is. */
  readonly limit: number | undefined
  /** How often it was. */
  readonly compressions: number
}

/** From this share of where it is made shorter on, people are told. */
const nearShare = 0.85

/** A conversation that will soon be made shorter, or soon fills its window where it never is. */
export function isNear({ tokens, limit, window }: Pressure): boolean {
  return tokens >= (limit ?? window) * nearShare
}

/** What people read of it; the model is not told. */
export function describeLength({ tokens, window, limit, compressions }: Pressure): string {
  const until = limit === undefined ? '' : `; from ${say(limit)} on it is made shorter`
  const before = compressions === 0 ? '' : ` (${compressions === 1 ? 'once' : `${compressions} times`} so far)`
  return `This conversation fills ${say(tokens)} of ${say(window)} tokens, ${Math.round((tokens / window) * 100)} %${until}${before}.`
}

export interface LengthParts {
  readonly turns: { compress(session: string, focus: string, signal: AbortSignal): Promise<Compression | undefined> }
  readonly store: { readonly sessions: Pick<Sessions, 'find' | 'compressions'> }
  readonly loaded: { readonly config: Pick<Loaded['config'], 'compression'> }
  /** Of the model that answers now; nothing where none does. */
  readonly length: { now(): Promise<Pick<Pressure, 'window' | 'limit'> | undefined> }
}

/** Makes a session shorter and says what came of it. */
export async function compressSession(
  { turns, loaded }: Pick<LengthParts, 'turns' | 'loaded'>,
  session: string,
  focus: string,
  signal: AbortSignal,
): Promise<string> {
  if (!loaded.config.compression.enabled) return 'Conversations are not made shorter: compression.enabled is off.'
  const done = await turns.compress(session, focus, signal)
  if (!done) return 'There is nothing to make shorter yet.'
  return `This conversation was made shorter: about ${say(done.tokensBefore)} tokens became ${say(done.tokensAfter)}. What was left out stays stored, and search finds it.`
}

const say = (tokens: number): string => tokens.toLocaleString('en-US')

/** How much of the window of the model that answers now a session takes. */
export async function readPressure(
  { store, length }: Pick<LengthParts, 'store' | 'length'>,
  session: string,
): Promise<Pressure | undefined> {
  const found = await store.sessions.find(session)
  if (!found || found.context === null) return undefined
  const now = await length.now()
  return now && { tokens: found.context, ...now, compressions: await store.sessions.compressions(session) }
}
