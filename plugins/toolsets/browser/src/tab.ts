import { type Clock, isOverWithin, linkSignals, type ToolResult, withTimeLimit } from '@agent/plugin-sdk'
import { type AgentError, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { AddressProxy } from './address-proxy.ts'
import { createFrontPages, type FrontPagesOptions } from './front-pages.ts'
import { createElementNames } from './pages/element-names.ts'
import type { Page, SerializedAXNode } from './pages/library.ts'
import { readPage } from './pages/read-page.ts'

export interface TabOptions extends FrontPagesOptions {
  readonly clock: Clock
  readonly refusalOf: AddressProxy['refusalOf']
}

/** What an agent does in the pages of one conversation. */
export interface Tab {
  url(): string
  /** Does one step in the page; rejects after `browser.command_timeout`, or when the page ends. */
  step<T>(what: string, signal: AbortSignal, run: (page: Page) => Promise<T>): Promise<T>
  /** Waits until a step that may lead elsewhere has led there. */
  settle(signal: AbortSignal): Promise<void>
  /** The page in front as the agent sees it. */
  look(full: boolean, signal: AbortSignal): Promise<ToolResult>
  /** Says where one is, and what has happened meanwhile. */
  where(said: string, signal: AbortSignal): Promise<ToolResult>
  element(ref: string): SerializedAXNode
  /** Why the last address that the page went to was refused; undefined where it was not. */
  refusal(): AgentError | undefined
  /** What the page wrote to its console; with `clear` it is told once. */
  readConsole(clear: boolean): readonly string[]
  /** Leaves the page in front and goes to the one that opened it; false where there is none. */
  leave(): Promise<boolean>
  /** Why nothing can be done in it any more; undefined while it lives. */
  broken(): unknown
}

const settleMs = 3000
const quietMs = 300

export function createTab({ clock, refusalOf, ...options }: TabOptions): Tab {
  const { command_timeout: seconds, snapshot_threshold: mostCharacters } = options.config
  const pages = createFrontPages(options)
  const { happenings } = pages
  const names = createElementNames()
  const step = async <T>(what: string, signal: AbortSignal, run: (page: Page) => Promise<T>): Promise<T> => {
    using link = linkSignals(signal, pages.signal)
    return await withTimeLimit({ clock, signal: link.signal, ms: seconds * 1000, what }, () => run(pages.front()))
  }
  /** A page that does not even let itself be looked at is given up: its script never ends. */
  const see = async <T>(what: string, signal: AbortSignal, run: (page: Page) => Promise<T>): Promise<T> => {
    try {
      return await step(what, signal, run)
    } catch (error) {
      if (!isAgentError(error, 'TIMED_OUT')) throw error
      pages.giveUp('The page', 'it does not respond, and was closed')
      throw pages.signal.reason
    }
  }
  const refusal = (): AgentError | undefined => {
    const url = [pages.url(), happenings.wanted].find((each) => refusalOf(each))
    const error = refusalOf(url ?? '')
    return error && fail('WEB_ADDRESS_REFUSED', { url: String(url).slice(0, 500), reason: String(error.params.reason) })
  }
  const where = async (said: string, signal: AbortSignal): Promise<ToolResult> => {
    const title = await see('Reading the title', signal, (page) => page.title())
    const refused = refusal()
    const url = pages.url().slice(0, 2000)
    const head = [...(refused ? [refused.message] : []), `${title || 'Without a title'} — ${url}`, ...happenings.notes.splice(0)]
    return { ok: true, text: `${head.join('\n')}\n\n${said}`.trim(), data: { url, title } }
  }
  return {
    ...{ step, where, refusal, url: pages.url, leave: pages.leave },
    look: async (full, signal) => {
      const shown = await see('Looking at the page', signal, (page) => readPage(page, { full, mostCharacters, nameOf: names.nameOf }))
      names.keep(shown.refs)
      return await where(shown.text, signal)
    },
    settle: async (signal) => {
      using link = linkSignals(signal, pages.signal)
      const quiet = pages.front().waitForNetworkIdle({ idleTime: quietMs, concurrency: 1, timeout: settleMs, signal: link.signal })
      await isOverWithin({ clock, signal: link.signal, ms: settleMs }, quiet)
      for (let waited = 0; pages.opens() && waited < settleMs; waited += quietMs) await clock.sleep(quietMs, link.signal)
    },
    element: names.find,
    readConsole: (clear) => (clear ? happenings.console.splice(0) : [...happenings.console]),
    broken: () => (pages.signal.aborted ? pages.signal.reason : undefined),
  }
}
