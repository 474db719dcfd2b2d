import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { quoteWord } from '../shell/quote-word.ts'
import type { ToolTurn } from '../tool-turn.ts'
import { guardedText, guardedValue, hasGuard } from './arguments.ts'
import { type Danger, tooLong } from './dangers.ts'
import type { Judge } from './judge-call.ts'
import type { SessionFacts } from './session-facts.ts'

/** Scripts of a tool that keeps what they leave: a script may use what those before it in its session have left. */
export interface LastingScripts {
  /** What a person has to allow because of the scripts before. */
  besideEarlier(
    tool: ToolManifest,
    args: Wire,
    about: { readonly isContained: boolean; readonly turn: ToolTurn },
  ): Promise<readonly Danger[]>
  /** A script may run. */
  letIn(tool: ToolManifest, args: Wire, session: string): void
  /** A call has succeeded. */
  succeeded(tool: ToolManifest, args: Wire, session: string): void
}

interface LastingScript {
  readonly text: string
  readonly language: string
  /** Which interpreter of its session it is for. */
  readonly interpreter: string
  /** It runs in a new one. */
  readonly isFresh: boolean
}

export function createLastingScripts(judge: Judge, facts: Pick<SessionFacts, 'scripts' | 'letIn' | 'begun'>): LastingScripts {
  return {
    async besideEarlier(tool, args, { isContained, turn }) {
      const script = lastingScript(tool, args)
      const earlier = script && !script.isFresh ? facts.scripts(turn.session, script.interpreter) : []
      if (!script || earlier.length === 0) return []
      const value = scriptCommand(script.language, [...earlier, script.text].join('\n'))
      const judged = await judge({ as: 'command', value, folder: undefined, isContained }, turn).catch(asRefused)
      // Words of two scripts may only look like one harm: that is asked, and a sandbox stops what is never run.
      if ('refused' in judged) return isContained ? [] : [neverRun(judged.refused)]
      return judged.dangers
        .filter(({ name }) => name !== tooLong.name)
        .map((danger) => ({ ...danger, sentence: `${danger.sentence}, with what earlier scripts of this conversation have left` }))
    },
    letIn(tool, args, session) {
      const script = lastingScript(tool, args)
      if (script) facts.letIn(session, script.interpreter, script.text)
    },
    succeeded(tool, args, session) {
      const script = lastingScript(tool, args)
      if (script?.isFresh) facts.begun(session, script.interpreter, script.text)
    },
  }
}

function lastingScript(tool: ToolManifest, args: Wire): LastingScript | undefined {
  const text = guardedText(tool, 'script', args)
  if (!hasGuard(tool, 'fresh') || text === '') return undefined
  const language = guardedText(tool, 'language', args)
  return { text, language, interpreter: `${tool.name} ${language}`, isFresh: guardedValue(tool, 'fresh', args) === true }
}

function asRefused(error: unknown): { readonly refused: string } {
  if (isAgentError(error)) return { refused: error.message }
  throw error
}

/** No mode answers it. */
function neverRun(why: string): Danger {
  const sentence = `together with earlier scripts of this conversation it would not be run: ${why}`
  return { name: 'earlier-scripts', sentence, harm: 'machine', onlyPeople: true }
}

const interpreters: Readonly<Record<string, string>> = { python: 'python3 -c', javascript: 'node -e' }

/** The command that would run this text, so that one set of rules judges both. */
export function scriptCommand(language: string, text: string): string {
  const interpreter = Object.hasOwn(interpreters, language) ? interpreters[language] : `${language || 'sh'} -c`
  return `${interpreter} ${quoteWord(text)}`
}
