import { type Clock, type LinkedSignals, type Log, linkSignals, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { openHome } from '#config/home/home.ts'
import type { LoginTalk } from '#models/credentials/run-login.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import { logIn } from '#rpc/logins/log-in.ts'
import type { LoginStep } from '../api-logins.ts'

/** Logins to providers of models that were begun in a browser. Each belongs to a home and a provider, and there is one at a time. */
export interface ProviderLogins {
  /**
   * Begins a login, or joins the one that is under way. Resolves once a person has something to do, or nothing is left to do. Rejects with the error
   * of a login that failed before that, and forgets it.
   */
  start(context: HomeContext, provider: string): Promise<LoginStep>
  /** The login that is under way, or how the last one ended. */
  find(context: HomeContext, provider: string): LoginStep | undefined
  /** Hands in what a person pasted. False where nothing waits for it. */
  handIn(context: HomeContext, provider: string, pasted: string): boolean
  /** Ends the login and forgets it; resolves once nothing of it is left. */
  cancel(context: HomeContext, provider: string): Promise<void>
  close(): Promise<void>
}

interface ProviderLoginsOptions {
  readonly clock: Clock
  readonly log: Log
  /** Ends every login. */
  readonly signal: AbortSignal
  /** How long a person has for a login, in milliseconds. */
  readonly lastsMs?: number
}

interface Running {
  readonly link: LinkedSignals
  readonly begun: Promise<void>
  readonly ended: Promise<void>
  step: LoginStep
  take?: ((pasted: string) => void) | undefined
}

const usualMs = 20 * 60_000
/** Looks up the server and asks it for a code, each within half of it. */
const beginMs = 70_000
/** Enough to let go of a port of this machine. */
const graceMs = 5000

export function createProviderLogins(options: ProviderLoginsOptions): ProviderLogins {
  const { clock } = options
  const logins = new Map<string, Running>()
  const keyOf = ({ environment, profile }: HomeContext, provider: string): string =>
    `${openHome({ environment, profile, create: false }).path}\0${provider}`
  const end = async (key: string): Promise<void> => {
    const login = logins.get(key)
    login?.link.abort(fail('INTERRUPTED'))
    await login?.ended
    if (logins.get(key) === login) logins.delete(key)
  }
  return {
    async start(context, provider) {
      const key = keyOf(context, provider)
      if (logins.get(key)?.link.signal.aborted) await end(key)
      // Nothing waits between the look and the start, so that two requests at once begin one.
      const before = logins.get(key)
      const login = before && isUnderWay(before.step) ? before : begin(context, provider, options)
      logins.set(key, login)
      try {
        const { signal } = context
        await withTimeLimit({ clock, signal, ms: beginMs, what: `The begin of the login to ${provider}` }, () => login.begun)
        return login.step
      } catch (error) {
        if (login.step.type === 'failed' && logins.get(key) === login) logins.delete(key)
        throw error
      }
    },
    find: (context, provider) => logins.get(keyOf(context, provider))?.step,
    handIn(context, provider, pasted) {
      const take = logins.get(keyOf(context, provider))?.take
      take?.(pasted)
      return take !== undefined
    },
    cancel: (context, provider) => end(keyOf(context, provider)),
    close: async () => {
      await Promise.all([...logins.keys()].map(end))
    },
  }
}

const isUnderWay = ({ type }: LoginStep): boolean => type !== 'done' && type !== 'failed'

/** The request that began it may be over long before it is. */
function begin(context: HomeContext, provider: string, { clock, log, signal, lastsMs = usualMs }: ProviderLoginsOptions): Running {
  const link = linkSignals(signal)
  const endsAt = clock.now() + lastsMs
  let onBegun: () => void = () => undefined
  let onRefused: (error: unknown) => void = () => undefined
  const begun = new Promise<void>((resolve, reject) => {
    onBegun = resolve
    onRefused = reject
  })
  begun.catch(() => undefined)
  const turn = (step: LoginStep): void => {
    login.step = step
    login.take = undefined
    onBegun()
  }
  const run = async (): Promise<void> => {
    try {
      const limit = { clock, signal: link.signal, ms: lastsMs, what: `The login to ${provider}`, graceMs }
      const talk = talkOf(() => login, { turn, endsAt, clock })
      const { lines, answers } = await withTimeLimit(limit, (limited) =>
        logIn({ ...context, signal: limited }, provider, { try: true, talk, onKept: () => turn({ type: 'trying' }) }),
      )
      turn({ type: 'done', said: lines, answers: answers !== false })
    } catch (error) {
      if (!isAgentError(error)) log.error('a login to a provider failed', { provider, error: detailOf(error) })
      const known = isAgentError(error) ? error : fail('INTERNAL', { detail: `the login to ${provider} failed` })
      login.take = undefined
      login.step = { type: 'failed', code: known.code, message: known.message }
      onRefused(known)
    } finally {
      link[Symbol.dispose]()
    }
  }
  const login: Running = { link, begun, step: { type: 'starting' }, ended: Promise.resolve().then(run) }
  return login
}

interface TalkGround {
  readonly turn: (step: LoginStep) => void
  readonly endsAt: number
  readonly clock: Clock
}

function talkOf(login: () => Running, { turn, endsAt, clock }: TalkGround): LoginTalk {
  return {
    showCode: ({ lastsMs, ...shown }) => turn({ type: 'code', ...shown, endsAt: Math.min(endsAt, clock.now() + lastsMs) }),
    showAddress: (address) => turn({ type: 'address', address, endsAt }),
    paste: (needed) =>
      new Promise((resolve, reject) => {
        login().take = (pasted) => {
          turn({ type: 'asking' })
          resolve(pasted)
        }
        needed.addEventListener('abort', () => reject(needed.reason), { once: true })
      }),
  }
}
