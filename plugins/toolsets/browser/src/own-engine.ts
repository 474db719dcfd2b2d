import { type Clock, isOverWithin, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openAddressProxy, type Resolve } from './address-proxy.ts'
import { startChromium } from './chromium.ts'
import type { Config } from './config.ts'
import type { Engine } from './engine.ts'
import { findChromium } from './find-chromium.ts'
import { loadLibrary } from './pages/library.ts'

export interface OwnEngineOptions {
  readonly config: Config
  readonly environment: Readonly<Record<string, string>>
  readonly resolve: Resolve
  readonly clock: Clock
  readonly signal: AbortSignal
}

const startMs = 60_000
const closeMs = 2000

/** A browser of the agent: started here, with nothing of the person in it, and with one way out. */
export async function startOwnEngine({ config, environment, resolve, clock, signal }: OwnEngineOptions): Promise<Engine> {
  const file = await findChromium(config.executable, environment.PATH)
  if (file === undefined) throw new Error(missing(config.executable))
  if (config.sandbox && process.getuid?.() === 0)
    throw new Error(
      'Chromium keeps no page in its sandbox where root starts it. Run agent as another user, or let it do without by: agent config set browser.sandbox false',
    )
  const proxy = await openAddressProxy(resolve)
  const chromium = await startChromium({ ...config, file, environment, clock, proxy: proxy.port }).catch(async (error: unknown) => {
    await proxy.close()
    throw error
  })
  const close = async (): Promise<void> => {
    await chromium.close()
    await proxy.close()
  }
  try {
    const library = await loadLibrary()
    const connecting = library.connect({
      ...{ transport: chromium.transport, protocol: 'cdp', defaultViewport: { width: 1280, height: 800 } },
      ...{ downloadBehavior: { policy: 'deny' }, protocolTimeout: (config.command_timeout + 5) * 1000 },
    })
    const browser = await withTimeLimit({ clock, signal, ms: startMs, what: 'Starting the browser' }, () =>
      Promise.race([
        connecting,
        chromium.ended.then(() => Promise.reject(fail('TOOL_FAILED', { tool: 'The browser', detail: 'it ended at once' }))),
      ]),
    )
    return {
      openTab: async () => {
        const context = await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } })
        const page = await context.newPage()
        return {
          page,
          prepare: async () => undefined,
          close: async () => void (await isOverWithin({ clock, ms: closeMs }, context.close())),
        }
      },
      refusalOf: async (url) => proxy.refusalOf(url),
      ended: chromium.ended,
      close,
    }
  } catch (error) {
    await close()
    const words = chromium.lastWords()
    throw words === '' || signal.aborted ? error : new Error(`The browser ${file} did not start: ${words.slice(-400)}`, { cause: error })
  }
}

function missing(executable: string): string {
  if (executable !== '') return `browser.executable names ${executable}, which is no program here.`
  return 'no browser is installed: install chromium (apt install chromium), or name one by: agent config set browser.executable PATH'
}
