import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { followPage, type Happenings } from './follow-page.ts'
import type { Page } from './pages/library.ts'

/** The pages of a conversation; the newest is in front. */
export interface FrontPages {
  readonly happenings: Happenings
  front(): Page
  url(): string
  /** Where the one in front went last. */
  wanted(): string
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
  /** Lets the rules hold for a page that another has opened; rejects where it is refused. */
  readonly prepare: (page: Page) => Promise<void>
  /** Is over when the browser has ended. */
  readonly ended: Promise<unknown>
}

const mostPages = 8

export function createFrontPages({ first, config, prepare, ended }: FrontPagesOptions): FrontPages {
  const pages: Page[] = []
  let coming = 0
  const happenings: Happenings = { notes: [], console: [], wanted: new WeakMap() }
  const end = new AbortController()
  const giveUp = (what: string, why: string): void => {
    if (!end.signal.aborted) end.abort(fail('TOOL_FAILED', { tool: what, detail: `${why}. browser_navigate opens another.` }))
  }
  const follow = (page: Page): void => {
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
    if (pages.length + coming >= mostPages) return await popup.close()
    coming += 1
    follow(popup)
    try {
      await prepare(popup)
      end.signal.throwIfAborted()
      if (popup.isClosed()) return
      pages.push(popup)
      happenings.notes.push('The page opened another page, which is in front now; browser_back leaves it.')
    } catch (error) {
      happenings.notes.push(`The page opened another page, which was closed: ${detailOf(error)}`)
      await popup.close()
    } finally {
      coming -= 1
    }
  }
  pages.push(first)
  follow(first)
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
    wanted: () => happenings.wanted.get(pages.at(-1) ?? first) ?? '',
    leave: async () => {
      if (pages.length < 2) return false
      await front().close()
      return true
    },
  }
}
