import { type Clock, type LinkedSignals, linkSignals, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { LoginTalk } from '#models/credentials/run-login.ts'
import type { HomeContext } from '../../home-context.ts'
import { logInToServer } from './log-in.ts'

/** What a person has to do for a login: open the address, until that moment. */
export interface ShownLogin {
  readonly id: string
  readonly address: string
  readonly until: number
}

/** Logins with MCP servers of one home that were begun on a page. Each outlives the request that began it, and there is one at a time for a server. */
export interface BegunLogins {
  /**
   * Begins a login, and ends the one before it. Resolves once a person has something to do; rejects with the error of a login that failed before
   * that, and forgets it. `changed` is called when it waits for the person no longer, and when it has ended.
   */
  start(name: string, changed: () => void): Promise<ShownLogin>
  /** The login that waits for a person, and how the last one ended. */
  find(name: string): { readonly waits?: ShownLogin; readonly said?: string }
  /** Hands in the address that the browser ended at; resolves with what came of it. A text that is no answer to this login leaves it waiting. */
  answer(id: string, pasted: string): Promise<readonly string[]>
  /** Ends a login, and tells the name of its server. Resolves once nothing of it is left. */
  cancel(id: string): Promise<string>
  /** Ends the login with a server, where one is under way, and forgets how the last one ended. */
  forget(name: string): Promise<void>
  close(): Promise<void>
}

interface BegunLoginsOptions {
  readonly context: HomeContext
  readonly clock: Clock
  readonly createId: () => string
}

interface Running {
  readonly id: string
  readonly name: string
  readonly link: LinkedSignals
  readonly shown: Promise<ShownLogin>
  readonly ended: Promise<readonly string[]>
  waits?: ShownLogin | undefined
  take?: ((pasted: string) => void) | undefined
  said?: string
}

/** How long a person has for a login. */
const lastsMs = 20 * 60_000
/** A page gives up after a minute. */
const longestMs = 55_000
/** Enough to let go of a port of this machine. */
const graceMs = 5000

export function createBegunLogins(options: BegunLoginsOptions): BegunLogins {
  const { clock, context } = options
  const { signal } = context
  const logins = new Map<string, Running>()
  const end = async (login: Running | undefined): Promise<void> => {
    login?.link.abort(fail('INTERRUPTED'))
    await login?.ended.catch(() => undefined)
    if (login && logins.get(login.name) === login) logins.delete(login.name)
  }
  const find = (id: string): Running => {
    const login = [...logins.values()].find((each) => each.id === id)
    if (login) return login
    throw fail('LOGIN_FAILED', { provider: 'the server', detail: 'it is not under way any more; begin another' })
  }
  return {
    async start(name, changed) {
      // Nothing waits between the look and the start, so that of two requests at once the second one holds.
      logins.get(name)?.link.abort(fail('INTERRUPTED'))
      const login = begin(name, { ...options, changed })
      logins.set(name, login)
      try {
        return await withTimeLimit({ clock, signal, ms: longestMs, what: `The begin of the login to ${name}` }, () => login.shown)
      } catch (error) {
        await end(login)
        throw error
      }
    },
    find(name) {
      const { waits, said } = logins.get(name) ?? {}
      return { ...(waits === undefined ? {} : { waits }), ...(said === undefined ? {} : { said }) }
    },
    async answer(id, pasted) {
      const login = find(id)
      const { waits, take, name } = login
      // Where the browser of this machine was faster, what came of that is the answer.
      if (waits && !isAnswer(pasted, waits.address))
        throw fail('USAGE', {
          problem: `This is no answer to the login to ${name} that is under way.`,
          try: 'the whole address that the browser ended at',
        })
      take?.(pasted)
      return withTimeLimit({ clock, signal, ms: longestMs, what: `The login to ${name}` }, () => login.ended)
    },
    async cancel(id) {
      const login = find(id)
      await end(login)
      return login.name
    },
    forget: (name) => end(logins.get(name)),
    close: async () => {
      await Promise.all([...logins.values()].map(end))
    },
  }
}

/** Only what brings the state of this login back counts: what somebody else begun would log in as somebody else. */
function isAnswer(pasted: string, address: string): boolean {
  const text = pasted.trim()
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return false
  const { searchParams } = new URL(text)
  return (searchParams.has('code') || searchParams.has('error')) && searchParams.get('state') === new URL(address).searchParams.get('state')
}

interface Beginning extends BegunLoginsOptions {
  readonly changed: () => void
}

/** The request that began it may be over long before it is. */
function begin(name: string, { context, clock, createId, changed }: Beginning): Running {
  const link = linkSignals(context.signal)
  const id = createId()
  let onShown: (shown: ShownLogin) => void = () => undefined
  let onRefused: (error: unknown) => void = () => undefined
  const shown = new Promise<ShownLogin>((resolve, reject) => {
    onShown = resolve
    onRefused = reject
  })
  shown.catch(() => undefined)
  const close = (said: string): void => {
    link[Symbol.dispose]()
    Object.assign(login, { waits: undefined, take: undefined, said })
    changed()
  }
  const talk: Pick<LoginTalk, 'showAddress' | 'paste'> = {
    showAddress: (address) => {
      login.waits = { id, address, until: clock.now() + lastsMs }
      onShown(login.waits)
    },
    paste: (needed) => waitForAnswer(login, needed, changed),
  }
  const run = async (): Promise<readonly string[]> => {
    try {
      const limit = { clock, signal: link.signal, ms: lastsMs, what: `The login to ${name}`, graceMs }
      const said = await withTimeLimit(limit, (signal) => logInToServer({ ...context, signal }, name, { talk }))
      close(said.join(' '))
      return said
    } catch (error) {
      const known = isAgentError(error) ? error : fail('LOGIN_FAILED', { provider: name, detail: detailOf(error) }, { cause: error })
      close(known.message)
      onRefused(known)
      throw known
    }
  }
  const ended = Promise.resolve().then(run)
  ended.catch(() => undefined)
  const login: Running = { id, name, link, shown, ended }
  return login
}

function waitForAnswer(login: Running, needed: AbortSignal, changed: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      login.waits = undefined
      login.take = undefined
      changed()
    }
    login.take = (pasted) => {
      stop()
      resolve(pasted)
    }
    needed.addEventListener(
      'abort',
      () => {
        if (login.take) stop()
        reject(needed.reason)
      },
      { once: true },
    )
  })
}
