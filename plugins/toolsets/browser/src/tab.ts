import { type Clock, isOverWithin, linkSignals, type ToolResult, withTimeLimit } from '@agent/plugin-sdk'
import { type AgentError, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Engine } from './engine.ts'
import { createFrontPages, type FrontPagesOptions } from './front-pages.ts'
import { createElementNames } from './pages/element-names.ts'
import type { Page, SerializedAXNode } from './pages/library.ts'
import { plain } from './pages/plain.ts'
import { readPage } from './pages/read-page.ts'

export interface TabOptions extends FrontPagesOptions {
  readonly clock: Clock
  readonly refusalOf: Engine['refusalOf']
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
  /** Why the address of the page, or the one that it went to last, is refused; undefined where neither is. */
  refusal(): Promise<AgentError | undefined>
  /** What the page wrote to its console; with `clear` it is told once. */
  readConsole(clear: boolean): readonly string[]
  /** Leaves the page in front and goes to the one that opened it; false where there is none. */
  leave(): Promise<boolean>
  /** Why nothing can be done in it any more; undefined while it lives. */
  broken(): unknown
}

const settleMs = 3000
const quietMs = 300
const longestTitle = 200

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
  const refusal = async (): Promise<AgentError | undefined> => {
    for (const url of new Set([pages.url(), pages.wanted()])) {
      const error = await refusalOf(url)
      if (error) return fail('WEB_ADDRESS_REFUSED', { url: url.slice(0, 500), reason: String(error.params.reason) })
    }
    return undefined
  }
  const where = async (said: string, signal: AbortSignal): Promise<ToolResult> => {
    const title = plain(await see('Reading the title', signal, (page) => page.title()), longestTitle)
    const refused = await refusal()
    const url = pages.url().slice(0, 2000)
    const notes = happenings.notes.splice(0)
    // Neither what it is called nor what it did is told.
    if (refused) return { ok: true, text: `${refused.message}\n\n${said}`.trim(), data: { url, title: '' } }
    const head = [`${title === '' ? 'Without a title' : JSON.stringify(title)} — ${url}`, ...notes]
    return { ok: true, text: `${head.join('\n')}\n\n${said}`.trim(), data: { url, title } }
  }
  return {
    ...{ step, where, refusal, url: pages.url, leave: pages.leave },
    look: async (full, signal) => {
      const shown = await see('Looking at the page', signal, (page) => readPage(page, { full, mostCharacters, nameOf: names.nameOf }))
      const refused = await refusal()
      if (refused) throw refused
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
