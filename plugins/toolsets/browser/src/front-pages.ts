import { fail } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { followPage, type Happenings } from './follow-page.ts'
import type { Page } from './pages/library.ts'

/** The pages of a conversation; the newest is in front. */
export interface FrontPages {
  readonly happenings: Happenings
  front(): Page
  url(): string
  /** Fires with the reason when nothing can be done in them any more. */
  readonly signal: AbortSignal
  giveUp(what: string, why: string): void
  /** A page that one of them has opened is not there yet. */
  opens(): boolean
  /** Leaves the page in front; false where it is the only one. */
  leave(): Promise<boolean>
}

export interface FrontPagesOptions {
  readonly first: Page
  readonly config: Config
  /** Lets the rules hold for a page that another has opened. */
  readonly prepare: (page: Page) => Promise<void>
  /** Is over when the browser has ended. */
  readonly ended: Promise<unknown>
}

const mostPages = 8

export function createFrontPages({ first, config, prepare, ended }: FrontPagesOptions): FrontPages {
  const pages: Page[] = []
  const happenings: Happenings = { notes: [], console: [], wanted: '' }
  const end = new AbortController()
  const giveUp = (what: string, why: string): void => {
    if (!end.signal.aborted) end.abort(fail('TOOL_FAILED', { tool: what, detail: `${why}. browser_navigate opens another.` }))
  }
  const add = (page: Page): void => {
    pages.push(page)
    followPage(page, happenings, config)
    page.on('error', () => giveUp('The page', 'it has crashed'))
    page.on('close', () => {
      const at = pages.indexOf(page)
      if (at !== -1) pages.splice(at, 1)
      if (pages.length === 0) giveUp('The page', 'it was closed')
    })
    page.on('popup', (popup) => void (popup && takePopup(popup).catch(() => undefined)))
  }
  const takePopup = async (popup: Page): Promise<void> => {
    if (pages.length >= mostPages) return await popup.close()
    add(popup)
    happenings.notes.push('The page opened another page, which is in front now; browser_back leaves it.')
    await prepare(popup)
  }
  add(first)
  void ended.then(() => giveUp('The browser', 'it has ended'))
  const front = (): Page => {
    const page = pages.at(-1)
    if (page) return page
    throw end.signal.reason
  }
  const opens = (): boolean => {
    const known = pages.map((page) => page.target())
    const open = pages.at(-1)?.browserContext().targets() ?? []
    return open.some((target) => target.type() === 'page' && !known.includes(target) && known.some((each) => each === target.opener()))
  }
  return {
    ...{ opens, happenings, front, giveUp, signal: end.signal },
    url: () => pages.at(-1)?.url() ?? '',
    leave: async () => {
      if (pages.length < 2) return false
      await front().close()
      return true
    },
  }
}
