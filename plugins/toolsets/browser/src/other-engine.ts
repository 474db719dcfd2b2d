import { type Clock, isOverWithin, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { openAddressProxy, type Resolve } from './address-proxy.ts'
import type { Config } from './config.ts'
import type { Engine, OpenedTab } from './engine.ts'
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

/**
 * A browser that runs already. Apart from the person's windows everything goes out here, where it runs on this machine.
 * Elsewhere the browser looks names up itself, and each request of a page is held until its address was checked.
 */
export async function connectOtherEngine({ url, asPerson, config, resolve, clock, signal }: OtherEngineOptions): Promise<Engine> {
  const library = await loadLibrary()
  const where = /^wss?:/.test(url) ? { browserWSEndpoint: url } : { browserURL: url }
  const browser = await withTimeLimit(
    { clock, signal, ms: connectMs, what: `Connecting to the browser at ${url}` },
    () => library.connect({ ...where, protocol: 'cdp', defaultViewport: null, protocolTimeout: (config.command_timeout + 5) * 1000 }),
    (late) => void late.disconnect(),
  ).catch((error: unknown) => {
    throw new Error(`no browser answers at ${url} (${detailOf(error)}). Start it with --remote-debugging-port=9222.`, { cause: error })
  })
  const proxy = !asPerson && isHere(url) ? await openAddressProxy(resolve) : undefined
  const way = proxy && { proxyServer: `http://127.0.0.1:${proxy.port}`, proxyBypassList: ['<-loopback>'] }
  const refusalOf = proxy ? async (address: string) => proxy.refusalOf(address) : refuseBy(resolve)
  const openTab = async (): Promise<OpenedTab> => {
    const context = asPerson
      ? browser.defaultBrowserContext()
      : await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' }, ...way })
    const pages = new Set<Page>()
    const prepare = async (page: Page): Promise<void> => {
      pages.add(page.once('close', () => pages.delete(page)))
      if (proxy) return
      await holdRequests(page, refusalOf)
      const refused = await refusalOf(page.url())
      if (refused) throw refused
    }
    const leave = async (page: Page): Promise<void> => {
      // A request that is still held would keep the tab open.
      await page.setRequestInterception(false).catch(() => undefined)
      if (asPerson) await page.close()
    }
    const end = async (): Promise<void> => {
      await Promise.allSettled([...pages].map(leave))
      if (!asPerson) await context.close()
    }
    const page = await context.newPage()
    await prepare(page)
    return { page, prepare, close: async () => void (await isOverWithin({ clock, ms: closeMs }, end())) }
  }
  return {
    openTab,
    refusalOf,
    ended: new Promise((ended) => browser.once('disconnected', ended)),
    close: async () => {
      await browser.disconnect()
      await proxy?.close()
    },
  }
}

/** Whether a browser runs on this machine, so that it reaches a port of it. */
function isHere(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}

/** What a page holds itself comes from nowhere. */
const fromNowhere = /^(data|blob|about|chrome-error):|^$/

/** Looks an address up each time: it is the browser that went there, by what it found itself. */
function refuseBy(resolve: Resolve): Engine['refusalOf'] {
  return async (url) => {
    if (fromNowhere.test(url)) return undefined
    try {
      await resolve(url)
      return undefined
    } catch (error) {
      return isAgentError(error, 'WEB_ADDRESS_REFUSED') ? error : fail('WEB_ADDRESS_REFUSED', { url, reason: detailOf(error) })
    }
  }
}

async function holdRequests(page: Page, refusalOf: Engine['refusalOf']): Promise<void> {
  page.on('request', (request) => {
    refusalOf(request.url())
      .then((refused) => (refused ? request.abort('blockedbyclient') : request.continue()))
      // It may have gone with its page.
      .catch(() => undefined)
  })
  await page.setRequestInterception(true)
}
