import { readFile } from 'node:fs/promises'
import type { ModelMessage, ModelRequest } from '@agent/plugin-sdk'
import { parse } from 'yaml'
import type { Answer } from './action.ts'
import { parseTurn, type ScriptTurn } from './script-turn.ts'

export interface Script {
  /** The answer that the conversation has come to; throws a sentence when the script does not fit. */
  next(request: ModelRequest): Promise<Answer>
}

/** Replays a file of turns. Every session starts at its first turn; each model call takes one. */
export function openScript(file: string): Script {
  let loading: Promise<readonly ScriptTurn[]> | undefined
  const failures = new Map<string, number>()
  return {
    async next(request) {
      loading ??= readTurns(file)
      const turns = await loading.catch((error: unknown) => {
        // The file may be put right before the next try.
        loading = undefined
        throw error
      })
      const { session, messages } = request
      // A failed answer leaves nothing in the conversation, so it is counted beside it.
      const index = messages.filter((message) => message.role === 'assistant').length + (failures.get(session) ?? 0)
      const turn = turns[index]
      if (!turn) throw new Error(`${file} has ${turns.length} turns, and the conversation asks for turn ${index + 1}`)
      const heard = heardIn(messages.at(-1))
      if (turn.expect !== undefined && !isHeard(turn.expect, heard)) {
        throw new Error(`${turn.place} expects ${JSON.stringify(turn.expect)}, but heard ${JSON.stringify(heard.slice(0, 200))}`)
      }
      const lacking = missingIn(request, turn.when)
      if (lacking !== undefined)
        throw new Error(`${turn.place} needs ${JSON.stringify(lacking)} in what the model is given, and it is not there`)
      if (turn.answer.actions.some((action) => action.type === 'fail')) failures.set(session, (failures.get(session) ?? 0) + 1)
      return turn.answer
    },
  }
}

async function readTurns(file: string): Promise<readonly ScriptTurn[]> {
  const document: unknown = parse(await readFile(file, 'utf8'))
  const turns = typeof document === 'object' && document !== null && 'turns' in document ? document.turns : document
  if (!Array.isArray(turns) || turns.length === 0) throw new Error(`${file} is not a script: it needs a list of turns`)
  return turns.map((turn, index) => parseTurn(turn, `${file}, turn ${index + 1}`))
}

/** The first of these that stands nowhere in what the model is given; its own words count for nothing. */
function missingIn({ system, ephemeral, messages }: ModelRequest, wanted: readonly string[]): string | undefined {
  if (wanted.length === 0) return undefined
  const given = [system, ephemeral ?? '', ...messages.map(heardIn)].join('\n')
  return wanted.find((each) => !isHeard(each, given))
}

/** A text in slashes is a pattern; any other has to occur. */
function isHeard(expect: string, heard: string): boolean {
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(expect)
  return pattern ? new RegExp(pattern[1] ?? '', pattern[2]).test(heard) : heard.includes(expect)
}

/** What a message tells the model: the person's words, or the results of its calls. */
function heardIn(message: ModelMessage | undefined): string {
  if (message?.role === 'tool') return message.results.map((result) => result.text).join('\n')
  if (message?.role !== 'user') return ''
  return message.parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n')
}
