import type { Log, Notice } from '@agent/plugin-sdk'
import type { Config } from '#config/schema/schema.ts'
import { maskText } from '#observe/mask.ts'
import { limitOutput } from '#tools/toolbox/limit-output.ts'

/** What goes on behind the turns and is told to people, as far as the owner wants it. */
export interface Notices {
  tell(notice: Notice): void
  /** Called with every notice that people are to hear of: secrets are masked, and the text is bounded. */
  onNotice(listener: (notice: Notice) => void): () => void
}

export interface NoticesOptions {
  readonly wanted: () => Config['background_process_notifications']
  /** Values that nobody may see. */
  readonly secrets: () => readonly string[]
  readonly log: Log
}

const longest = 4000

export function createNotices({ wanted, secrets, log }: NoticesOptions): Notices {
  const listeners = new Set<(notice: Notice) => void>()
  return {
    tell: ({ session, kind, text }) => {
      if (!isWanted(wanted(), kind)) return
      const shown = limitOutput(maskText(text, secrets()), longest)
      for (const listener of listeners) {
        try {
          listener({ session, kind, text: shown })
        } catch (error) {
          log.error('a notice was not told', { session, error: String(error) })
        }
      }
    },
    onNotice: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function isWanted(wanted: ReturnType<NoticesOptions['wanted']>, kind: Notice['kind']): boolean {
  if (wanted === 'all') return true
  return kind === 'error' ? wanted !== 'off' : kind === 'result' && wanted === 'result'
}
