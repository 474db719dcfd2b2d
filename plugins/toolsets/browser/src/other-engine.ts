import { type Clock, isOverWithin, withTimeLimit } from '@agent/plugin-sdk'
import { AgentError, detailOf } from '@agent/plugin-sdk/errors'
import type { Resolve } from './address-proxy.ts'
import type { Config } from './config.ts'
import type { Engine } from './engine.ts'
import { loadLibrary, type Page } from './pages/library.ts'

export interface OtherEngineOptions {
  readonly url: string
  /** In the person's own windows, with their logins; else apart from them. */
  readonly asPerson: boolean
  readonly config: Config
  readonly resolve: Resolve
  readonly clock: Clock
  readonly signal: AbortSignal
}

const connectMs = 15_000
const closeMs = 2000

/** A browser that runs already. It looks names up itself, so each request of a page is held until its address was checked. */
export async function connectOtherEngine({ url, asPerson, config, resolve, clock, signal }: OtherEngineOptions): Promise<Engine> {
  const library = await loadLibrary()
  const refusals = new Map<string, AgentError>()
  const where = /^wss?:/.test(url) ? { browserWSEndpoint: url } : { browserURL: url }
  const browser = await withTimeLimit({ clock, signal, ms: connectMs, what: `Connecting to the browser at ${url}` }, () =>
    library.connect({ ...where, protocol: 'cdp', defaultViewport: null, protocolTimeout: (config.command_timeout + 5) * 1000 }),
  ).catch((error: unknown) => {
    throw new Error(`no browser answers at ${url} (${detailOf(error)}). Start it with --remote-debugging-port=9222.`, { cause: error })
  })
  const prepare = async (page: Page): Promise<void> => {
    page.on('request', (request) => {
      const address = request.url()
      // What a page holds itself comes from nowhere.
      const asked = /^(data|blob|about):/.test(address) ? Promise.resolve() : resolve(address)
      asked
        .then(() => request.continue())
        .catch((error: unknown) => {
          if (error instanceof AgentError && URL.canParse(address)) refusals.set(new URL(address).host, error)
          return request.abort('blockedbyclient')
        })
        // It may have gone with its page.
        .catch(() => undefined)
    })
    await page.setRequestInterception(true)
  }
  return {
    openTab: async () => {
      const context = asPerson
        ? browser.defaultBrowserContext()
        : await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } })
      const page = await context.newPage()
      await prepare(page)
      const end = async (): Promise<void> => {
        // A request that is still held would keep the tab open.
        await page.setRequestInterception(false).catch(() => undefined)
        await (asPerson ? page.close() : context.close())
      }
      return { page, prepare, close: async () => void (await isOverWithin({ clock, ms: closeMs }, end())) }
    },
    refusalOf: (address) => (URL.canParse(address) ? refusals.get(new URL(address).host) : undefined),
    ended: new Promise((ended) => browser.once('disconnected', ended)),
    close: async () => browser.disconnect(),
  }
}
