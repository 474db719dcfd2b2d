import type { Action } from './action.ts'
import { isFailureClass } from './failure-classes.ts'

type Parse = (rest: string) => Action | undefined

const help = `I understand, and join with "then" (one after the other) or "and" (at the same time):
  run COMMAND
  read FILE
  write FILE: TEXT
  replace OLD with NEW in FILE
  plan FIRST; SECOND; THIRD
  think about SOMETHING
  ask QUESTION? ONE | OTHER
  stream N tokens (every M ms)
  fail CLASS
  call TOOL {"argument": "value"}`

const parsers: Readonly<Record<string, Parse>> = {
  run: (rest) => (rest ? call('terminal', { command: unquote(rest) }) : undefined),
  read: (rest) => (rest ? call('read_file', { path: unquote(rest) }) : undefined),
  write: (rest) => {
    const found = /^(\S+?|"[^"]+"):\s(.*)$/s.exec(rest)
    return found ? call('write_file', { path: unquote(found[1] ?? ''), content: typed(found[2] ?? '') }) : undefined
  },
  replace: (rest) => {
    const found = /^(.+?) with (.*) in (\S+|"[^"]+")$/s.exec(rest)
    if (!found) return undefined
    const [, before = '', after = '', path = ''] = found
    return call('patch', { path: unquote(path), old_string: typed(before), new_string: typed(after) })
  },
  plan: (rest) => {
    const items = rest.split(';').map((item) => item.trim())
    const todos = items.filter(Boolean).map((content, index) => ({ id: String(index + 1), content, status: 'pending' }))
    return todos.length > 0 ? call('todo', { todos }) : undefined
  },
  think: (rest) => {
    const subject = rest.replace(/^about\s+/i, '') || 'nothing in particular'
    return { type: 'think', text: `Thinking about ${subject}. An offline model comes to no conclusion.` }
  },
  ask: (rest) => {
    const found = /^(.+?\?)(.*)$/s.exec(rest)
    const choices = (found?.[2] ?? '').split('|').map((choice) => choice.trim())
    return rest ? call('clarify', { question: found?.[1] ?? rest, choices: choices.filter(Boolean) }) : undefined
  },
  stream: (rest) => {
    const found = /^(\d{1,6})(?: tokens?)?(?: every (\d{1,5}) ?ms)?$/i.exec(rest)
    return found ? { type: 'stream', tokens: Number(found[1]), everyMs: Number(found[2] ?? 0) } : undefined
  },
  fail: (rest) => {
    // A short pause: trying again is part of what is tried.
    return isFailureClass(rest) ? { type: 'fail', class: rest, detail: 'it was asked to fail', retryAfterMs: 10 } : undefined
  },
  // Passed on unchecked, so that unknown tools and broken arguments can be tried.
  call: (rest) => {
    const found = /^([\w-]+)\s*(.*)$/s.exec(rest)
    return found?.[1] === undefined ? undefined : { type: 'call', name: found[1], args: found[2] || '{}', unchecked: true }
  },
}

const joint = new RegExp(`\\s+(then|and)\\s+(?=(?:${Object.keys(parsers).join('|')})\\b)`, 'gi')

/** Steps in order, each with the actions that are done at the same time. */
export function parseRequests(text: string): readonly (readonly Action[])[] {
  const steps: Action[][] = [[]]
  for (const { joined, part } of cut(text)) {
    const action = parseRequest(part)
    if (!action) return [[{ type: 'say', text: answerOther(text) }]]
    if (joined === 'then') steps.push([])
    steps.at(-1)?.push(action)
  }
  return steps
}

/** Cuts at "then" and "and" where a request follows, but not inside double quotes. */
function cut(text: string): readonly { readonly joined: string; readonly part: string }[] {
  const parts: { joined: string; part: string }[] = []
  let start = 0
  let joined = ''
  for (const match of text.matchAll(joint)) {
    if (text.slice(0, match.index).split('"').length % 2 === 0) continue
    parts.push({ joined, part: text.slice(start, match.index) })
    joined = (match[1] ?? '').toLowerCase()
    start = match.index + match[0].length
  }
  return [...parts, { joined, part: text.slice(start) }]
}

function parseRequest(part: string): Action | undefined {
  const found = /^(?:please\s+)?(\w+)\b\s*(.*)$/is.exec(part.trim())
  const verb = (found?.[1] ?? '').toLowerCase()
  return Object.hasOwn(parsers, verb) ? parsers[verb]?.((found?.[2] ?? '').trim()) : undefined
}

function answerOther(text: string): string {
  if (/^(help|\?)\b/i.test(text)) return `I am the offline model: no account, no network, no understanding.\n${help}`
  if (/^(hello|hi|hey|good (morning|day|evening)|greetings)\b/i.test(text)) {
    return 'Hello! I am the offline model: I answer without any account or network, and understand only a few requests. Say "help" to see them.'
  }
  const said = text.length > 200 ? `${text.slice(0, 200)}…` : text
  return `I am the offline model and only understand a few requests (say "help"). You said: ${said || 'nothing'}`
}

function call(name: string, args: object): Action {
  return { type: 'call', name, args: JSON.stringify(args) }
}

function unquote(text: string): string {
  return /^(["`])([^"`]*)\1$/s.exec(text.trim())?.[2] ?? text.trim()
}

/** `\n` and `\t` as a person types them on one line. */
function typed(text: string): string {
  return unquote(text).replaceAll('\\n', '\n').replaceAll('\\t', '\t')
}
