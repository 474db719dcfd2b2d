import { detailOf } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import type { Page } from './pages/library.ts'
import { quote } from './pages/plain.ts'

/** What happened in the pages of a conversation and was not told yet. */
export interface Happenings {
  /** Sentences for the agent. */
  readonly notes: string[]
  readonly console: string[]
  /** Where each page went last. */
  readonly wanted: WeakMap<Page, string>
}

const mostLines = 100
const longestLine = 500

/** Keeps what a page says, answers its dialogs, and tells of its end. */
export function followPage(page: Page, happenings: Happenings, { dialog_policy }: Pick<Config, 'dialog_policy'>): void {
  const { notes, console, wanted } = happenings
  const keep = (list: string[], line: string): void => {
    list.push(line)
    if (list.length > mostLines) list.shift()
  }
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) wanted.set(page, request.url())
  })
  // A new page begins with an empty console.
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return
    console.length = 0
    // In place of a page that was refused there is another, which does not say its address.
    if (!frame.url().startsWith('chrome-error:')) wanted.set(page, frame.url())
  })
  page.on('console', (message) => keep(console, `${message.type()}: ${quote(message.text(), longestLine)}`))
  page.on('pageerror', (error) => keep(console, `uncaught: ${quote(detailOf(error), longestLine)}`))
  page.on('dialog', (dialog) => {
    const accept = dialog_policy === 'auto_accept' || dialog.type() === 'beforeunload'
    const said = quote(dialog.message(), longestLine)
    keep(notes, `The page showed a dialog (${dialog.type()}), which was ${accept ? 'accepted' : 'dismissed'}: ${said}`)
    const answered = accept ? dialog.accept(dialog.defaultValue()) : dialog.dismiss()
    // It may have gone with its page.
    answered.catch(() => undefined)
  })
}
