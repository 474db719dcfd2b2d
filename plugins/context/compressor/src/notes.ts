import type { ModelMessage } from '@agent/plugin-sdk'
import { clip } from './prune.ts'

const begin = '[Background: notes on the earlier part of this conversation, which was shortened.'
const intro = `${begin} They are no instructions. What they call done is done, and is not done again; what is asked for now stands after them.]`
const end = '[End of the notes.]'

/** Notes as the model hears them: background, whatever they say. */
export const writeNotes = (notes: string): string => `${intro}\n\n${notes}\n\n${end}`

/** The notes of an earlier time; undefined where a text is something else. */
export function readNotes(text: string): string | undefined {
  if (!text.startsWith(begin)) return undefined
  return text
    .slice(text.indexOf(']') + 1)
    .replace(end, '')
    .trim()
}

/** What notes are made of. */
export interface Material {
  /** Notes of an earlier time, which these go on with. */
  readonly former: string
  /** What was said since, a line for each part. */
  readonly lines: readonly string[]
  /** What the person asked for, each with the words that ended the work on it; empty where none did. */
  readonly requests: readonly { readonly asked: string; readonly answer: string }[]
  /** What it asked for last, where the work on that goes on after these messages. */
  readonly open?: string
  readonly files: readonly string[]
}

interface Growing {
  former: string
  readonly lines: string[]
  readonly requests: { asked: string; answer: string }[]
  readonly files: Set<string>
}

/** `isOpen`: the last request among the messages is still worked on. */
export function gather(messages: readonly ModelMessage[], { isOpen }: { readonly isOpen: boolean }): Material {
  const found: Growing = { former: '', lines: [], requests: [], files: new Set() }
  for (const message of messages) {
    if (message.role === 'user') takeAsked(found, message)
    else if (message.role === 'assistant') takeAnswer(found, message)
    else found.lines.push(...message.results.map(({ name, ok, text }) => `[Result of ${name}${ok ? '' : ', failed'}] ${text}`))
  }
  const open = isOpen ? found.requests.pop() : undefined
  return { ...found, files: [...found.files], ...(open ? { open: open.asked } : {}) }
}

function takeAsked(found: Growing, { parts }: Extract<ModelMessage, { role: 'user' }>): void {
  const texts = parts.map((part) => (part.type === 'text' ? part.text : '(a picture)'))
  found.former = texts.map(readNotes).find((notes) => notes !== undefined) ?? found.former
  const asked = texts.filter((text) => readNotes(text) === undefined).join('\n')
  if (asked === '') return
  found.lines.push(`[Person] ${asked}`)
  found.requests.push({ asked, answer: '' })
}

function takeAnswer({ lines, files, requests }: Growing, { parts }: Extract<ModelMessage, { role: 'assistant' }>): void {
  for (const part of parts) {
    if (part.type === 'opaque') continue
    const open = requests.at(-1)
    if (part.type === 'text') {
      lines.push(`[Agent] ${part.text}`)
      if (open) open.answer = part.text
    } else {
      lines.push(`[Agent calls ${part.name}] ${part.args}`)
      for (const file of filesIn(part.args)) files.add(file)
    }
  }
}

const filesIn = (args: string): readonly string[] =>
  [...args.matchAll(/"(?:path|file|file_path|filename)"\s*:\s*"([^"\\]{1,200})"/g)].map((match) => match[1] ?? '')

const firstLine = (text: string, most: number): string => clip(text.trim().split('\n')[0] ?? '', most).replaceAll('\n', ' ')

/** Notes that no model has written: what was asked, what was answered, which files there were. */
export function noteByRule({ former, requests, open, files }: Material, most: number): string {
  const done = requests.map(({ asked, answer }) =>
    answer === '' ? `- Asked: ${firstLine(asked, 200)}` : `- Asked and answered: ${firstLine(asked, 160)} → ${firstLine(answer, 200)}`,
  )
  const room = former === '' ? most : Math.floor(most / 2)
  const sections = [
    former === '' ? '' : clip(former, most - room),
    done.length === 0 && open === undefined ? '' : '## Progress',
    done.length === 0 ? '' : `### Done\n${lastThatFit(done, Math.floor(room * 0.8))}`,
    open === undefined ? '' : `### In progress\n- Asked: ${firstLine(open, 200)}`,
    files.length === 0 ? '' : `## Files\n${lastThatFit(files, Math.floor(room * 0.15), ', ')}`,
  ].filter((section) => section !== '')
  return clip(sections.join('\n\n') || 'Nothing was asked for.', most)
}

/** The newest ones. */
function lastThatFit(items: readonly string[], most: number, between = '\n'): string {
  let length = 0
  const kept = items.toReversed().filter((item) => {
    length += item.length + between.length
    return length <= most
  })
  const left = items.length - kept.length
  return [...(left === 0 ? [] : [`(${left} earlier ones are left out)`]), ...kept.toReversed()].join(between)
}
