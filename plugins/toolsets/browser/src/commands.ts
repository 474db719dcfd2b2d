import type { CommandAnswer, Commands, State } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { keepConnection, readConnection, usualAddress } from './connection.ts'

const commands: Commands = {
  async open({ fetch, state }) {
    const say = (text: string): CommandAnswer => ({ text })
    return {
      async run({ args }, call) {
        const [word = 'status', url = usualAddress, ...more] = args.split(/\s+/).filter((each) => each !== '')
        if (word === 'connect' && more.length === 0) return say(await connect(state, url, fetch, call.signal))
        if (word === 'disconnect') return say(await disconnect(state))
        if (word === 'status') return say(await status(state))
        throw fail('USAGE', {
          problem: `/browser does not take ${args.slice(0, 200)}.`,
          try: '/browser connect, /browser disconnect or /browser status',
        })
      },
    }
  },
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

async function connect(state: State, address: string, fetch: Fetch, signal: AbortSignal): Promise<string> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw fail('USAGE', { problem: `${address} is no address of a browser.`, try: `/browser connect ${usualAddress}` })
  const browser = await askVersion(url, fetch, signal)
  if (browser === undefined)
    return [
      `No browser answers at ${url.origin}. Close yours, and start it again so that it can be connected:`,
      `\`chromium --remote-debugging-port=${url.port || '9222'} --user-data-dir="$HOME/.browser-for-agent"\``,
    ].join('\n')
  await keepConnection(state, url.origin)
  return `${browser} at ${url.origin} is connected: in this terminal the agent works in a tab of your own browser, with your logins, and asks you first. /browser disconnect ends it.`
}

/** The name and version of the browser; undefined where none answers. */
async function askVersion(url: URL, fetch: Fetch, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(new URL('/json/version', url), { signal, redirect: 'error' })
    const { Browser: name } = (await response.json()) as { readonly Browser?: unknown }
    return typeof name === 'string' ? name.slice(0, 100) : undefined
  } catch (error) {
    signal.throwIfAborted()
    if (isAgentError(error)) throw error
    return undefined
  }
}

async function disconnect(state: State): Promise<string> {
  const url = await readConnection(state)
  await keepConnection(state, undefined)
  if (url === undefined) return 'No browser of yours is connected.'
  return `Your browser at ${url} is no longer used. The tab of the agent closes with its next step.`
}

async function status(state: State): Promise<string> {
  const url = await readConnection(state)
  if (url !== undefined) return `Your own browser at ${url} is connected to this terminal.`
  return 'No browser of yours is connected: the agent uses the one that browser.cdp_url names, else it starts a separate browser. /browser connect lets it use yours.'
}

export default commands
