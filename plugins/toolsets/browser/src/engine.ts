import type { AgentError } from '@agent/plugin-sdk/errors'
import type { Page } from './pages/library.ts'

/** A browser that runs, of whomever it is. */
export interface Engine {
  openTab(): Promise<OpenedTab>
  /** Why an address is refused; undefined where it is not. */
  refusalOf(url: string): Promise<AgentError | undefined>
  /** Is over when it has ended. */
  readonly ended: Promise<unknown>
  close(): Promise<void>
}

export interface OpenedTab {
  readonly page: Page
  /** Lets the rules hold for a page that another has opened; rejects where it is refused. */
  prepare(page: Page): Promise<void>
  close(): Promise<void>
}
