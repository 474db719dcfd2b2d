import type { ModelMessage, ModelRequest, ToolOutcome } from '@agent/plugin-sdk'
import type { Action, Answer } from './action.ts'
import { parseRequests } from './requests.ts'

const longestReport = 4_000

/** The whole turn is read from the conversation, so that a repeated or resumed request gives the same answer. */
export function answerRequest(request: ModelRequest, { isOpen }: { readonly isOpen: boolean }): Answer {
  const { messages } = request
  const asked = messages.findLastIndex((message) => message.role === 'user')
  const done = messages.slice(asked + 1).filter((message) => message.role === 'assistant').length
  // It does literally what it is told: strangers would hold the tools themselves.
  const known = request.isPublic && !isOpen ? 'withheld' : new Set(request.tools.map((tool) => tool.name))
  const actions = roundsOf(parseRequests(textOf(messages[asked])), known)[done] ?? []
  const results = messages.slice(asked + 1).flatMap((message) => (message.role === 'tool' ? message.results : []))
  // One report at the end of the turn: the last message is the answer, what is said between steps is only seen while it streams.
  const isOver = messages.at(-1)?.role === 'tool' && !actions.some((action) => action.type === 'call')
  if (isOver) return { actions: [...actions, say(reportOn(results))] }
  // A model that only thought has not answered.
  const onlyThought = actions.length > 0 && actions.every((action) => action.type === 'think')
  return { actions: onlyThought ? [...actions, say('I have thought about it. (offline model)')] : actions }
}

/** Names of the tools that it may call. */
type Known = ReadonlySet<string> | 'withheld'

/** Steps without calls join the next step with calls: after an answer without calls a turn is over. */
function roundsOf(steps: readonly (readonly Action[])[], known: Known): readonly (readonly Action[])[] {
  const rounds: Action[][] = [[]]
  for (const step of steps) {
    const round = rounds.at(-1)
    round?.push(...step.map((action) => checkTool(action, known)))
    if (round?.some((action) => action.type === 'call')) rounds.push([])
  }
  return rounds
}

function checkTool(action: Action, known: Known): Action {
  if (action.type !== 'call') return action
  if (known === 'withheld') return say(`I am the offline model and use the tool ${action.name} only for the owner of this machine.\n`)
  if (known.has(action.name) || action.unchecked) return action
  return say(`I am the offline model and would use the tool ${action.name} for that, but it is not offered here.\n`)
}

function reportOn(results: readonly ToolOutcome[]): string {
  const lines = results.map(({ name, ok, text }) => `${name} ${ok ? 'answered' : 'failed'}:\n${shorten(text)}`)
  return `${lines.join('\n\n')}\n\nThat is all. (offline model)`
}

function shorten(text: string): string {
  const kept = text.trimEnd()
  return kept.length <= longestReport ? kept : `${kept.slice(0, longestReport)}… (${kept.length - longestReport} more characters)`
}

function textOf(message: ModelMessage | undefined): string {
  if (message?.role !== 'user') return ''
  return message.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim()
}

function say(text: string): Action {
  return { type: 'say', text }
}
