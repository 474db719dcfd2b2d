import { detailOf } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import type { Page } from './pages/library.ts'

/** What happened in the pages of a conversation and was not told yet. */
export interface Happenings {
  /** Sentences for the agent. */
  readonly notes: string[]
  readonly console: string[]
  /** Where the page in front went last. */
  wanted: string
}

const mostLines = 100
const longestLine = 500

/** Keeps what a page says, answers its dialogs, and tells of its end. */
export function followPage(page: Page, happenings: Happenings, { dialog_policy }: Pick<Config, 'dialog_policy'>): void {
  const { notes, console } = happenings
  const keep = (list: string[], line: string): void => {
    list.push(line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)
    if (list.length > mostLines) list.shift()
  }
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) happenings.wanted = request.url()
  })
  // A new page begins with an empty console.
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) console.length = 0
  })
  page.on('console', (message) => keep(console, `${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => keep(console, `uncaught: ${detailOf(error)}`))
  page.on('dialog', (dialog) => {
    const accept = dialog_policy === 'auto_accept' || dialog.type() === 'beforeunload'
    keep(notes, `The page showed a dialog (${dialog.type()}), which was ${accept ? 'accepted' : 'dismissed'}: ${dialog.message()}`)
    const answered = accept ? dialog.accept(dialog.defaultValue()) : dialog.dismiss()
    // It may have gone with its page.
    answered.catch(() => undefined)
  })
}
