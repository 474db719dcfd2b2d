import type { ReasoningSetting } from '#commands/slash.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Kv } from '#store/kv.ts'

const space = 'reasoning'

/** How hard the model thinks in each conversation, and whether people see it. */
export interface ReasoningChoice {
  of(sessionKey: string): Promise<ReasoningSetting>
  keep(sessionKey: string, setting: ReasoningSetting): Promise<void>
}

/** What `/reasoning` has set outlives the session; where nothing is set, `display.show_reasoning` says what is shown. */
export function createReasoningChoice(kv: Kv, loaded: Loaded): ReasoningChoice {
  return {
    of: async (sessionKey) => {
      const kept = (await kv.get(space, sessionKey)) as Partial<ReasoningSetting> | undefined
      return { effort: kept?.effort, show: kept?.show ?? loaded.config.display.show_reasoning }
    },
    keep: (sessionKey, { effort, show }) => kv.set(space, sessionKey, effort === undefined ? { show } : { effort, show }),
  }
}

const longest = 1500

/** What the model thought, as a quotation that stands before its answer. */
export function quoteReasoning(thought: string): string {
  // A thought of sending a file sends none.
  const text = thought.trim().replaceAll('MEDIA:', 'MEDIA :')
  if (text === '') return ''
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
  return `${`Thinking: ${shown}`.replace(/^/gm, '> ')}\n\n`
}
