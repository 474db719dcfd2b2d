import type { Context, ToolContext } from '@agent/plugin-sdk'
import type { ServerSettings } from './config.ts'

type Fetch = Context['fetch']
type Login = ToolContext['login']

/** Of errors whose text is all that a person needs to hear. */
export const loginCode = 'LOGIN'

interface LoginOf {
  readonly name: string
  readonly url: string
  readonly settings: Pick<ServerSettings, 'headers'>
  readonly login: Login
}

/** The same `fetch`, which proves by the person's login who asks. What the settings say in a header holds before it. */
export function withLogin(fetch: Fetch, { name, url, settings, login }: LoginOf): Fetch {
  const isProved = Object.keys(settings.headers).some((header) => header.toLowerCase() === 'authorization')
  const { origin } = new URL(url)
  return async (address, init) => {
    // A server may name other addresses; the login is not for them.
    if (isProved || new URL(String(address)).origin !== origin) return fetch(address, init)
    let given = await login({ server: name, url })
    let response = await fetch(address, carry(init, given.token))
    if (response.status === 401 && given.token !== undefined) {
      await response.body?.cancel()
      // A refused request was not carried out.
      const before = given.token
      given = await login({ server: name, url, refused: before })
      if (given.token !== undefined && given.token !== before) response = await fetch(address, carry(init, given.token))
    }
    const problem = problemOf(name, response, given)
    if (problem === undefined) return response
    await response.body?.cancel().catch(() => undefined)
    throw Object.assign(new Error(problem), { code: loginCode })
  }
}

type Init = Parameters<Fetch>[1]

function carry(init: Init, token: string | undefined): Init {
  if (token === undefined) return init
  const headers = new Headers(init?.headers as Record<string, string> | undefined)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers: Object.fromEntries(headers) }
}

function problemOf(name: string, { status, headers }: Response, { token, ended }: Awaited<ReturnType<Login>>): string | undefined {
  const command = `agent mcp login ${name}`
  if (status === 401) {
    if (ended !== undefined) return `its login has ended (${ended}); ${command} begins another`
    return token === undefined ? `it wants a login; ${command} begins one` : `it does not take its login; ${command} begins another`
  }
  const said = headers.get('www-authenticate') ?? ''
  if (status !== 403 || !said.includes('insufficient_scope')) return undefined
  const scope = /\bscope="([\w:./ -]{1,300})"/.exec(said)?.[1]
  return `its login is not for this; ${command}${scope === undefined ? '' : ` --scope '${scope}'`} begins one that is`
}
