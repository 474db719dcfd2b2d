import { detailOf } from '@agent/plugin-sdk/errors'
import { explainFileError } from '#kernel/read-text.ts'

/** What a check found, and what to do about it. A problem keeps messages from being answered. */
export interface Finding {
  readonly check: string
  readonly verdict: 'ok' | 'warning' | 'problem'
  readonly detail: string
  readonly fix?: string
}

export const fine = (check: string, detail: string): Finding => ({ check, verdict: 'ok', detail })
export const warn = (check: string, detail: string, fix: string): Finding => ({ check, verdict: 'warning', detail, fix })
export const broken = (check: string, detail: string, fix: string): Finding => ({ check, verdict: 'problem', detail, fix })

/** The sentence of a coded error says what to do itself. */
export const failed = (check: string, error: unknown): Finding => ({
  check,
  verdict: 'problem',
  detail: detailOf(explainFileError(error) ?? error),
})
