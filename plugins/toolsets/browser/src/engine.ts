import type { AgentError } from '@agent/plugin-sdk/errors'
import type { Page } from './pages/library.ts'

/** A browser that runs, of whomever it is. */
export interface Engine {
  openTab(): Promise<OpenedTab>
  refusalOf(url: string): AgentError | undefined
  /** Is over when it has ended. */
  readonly ended: Promise<unknown>
  close(): Promise<void>
}

export interface OpenedTab {
  readonly page: Page
  /** Lets the rules hold for a page that the first one has opened. */
  prepare(page: Page): Promise<void>
  close(): Promise<void>
}
