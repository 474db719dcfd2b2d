import type { TurnEvent } from '@agent/plugin-sdk'
import { showText } from '#observe/printable.ts'
import type { TextStream, TurnView, TurnViewOptions } from './contract.ts'
import { createMarkdownStream } from './markdown-stream.ts'
import { questionRows } from './question-rows.ts'
import { type Line, print, run, type Style, styles } from './style.ts'
import { callRow, oneLine, resultRows } from './tool-rows.ts'
import { cutLine, wrap } from './wrap.ts'

/** What follows another part of the turn stands below an empty line; rows of tools stand together. */
type Part = 'text' | 'thinking' | 'tool' | 'word'

interface RunningCall {
  readonly name: string
  readonly preview: string
  readonly progress: string
  /** Its preview is a question that is shown whole, with its answer below it: a row would say both once more. */
  readonly isQuestion?: true
}

type Handlers = { readonly [Type in TurnEvent['type']]?: (event: Extract<TurnEvent, { type: Type }>) => readonly string[] }

/** Shows turns, one after the other. */
export function createTurnView(options: TurnViewOptions): TurnView {
  const { columns, colour } = options
  const parts = createParts(options)
  const running = new Map<string, RunningCall>()
  const handlers = createHandlers(options, parts, running)
  return {
    take: (event) => (handlers[event.type] as ((event: TurnEvent) => readonly string[]) | undefined)?.(event) ?? [],
    ask: (question) =>
      parts.printed('word', questionRows(question, { columns: columns(), colour, layOut: (text) => layOut(text, options) })),
    tail: () =>
      parts.tail(
        [...running.values()].flatMap((call) => (call.isQuestion ? [] : runningRows(call, columns()))).map((line) => print(line, colour)),
      ),
  }
}

interface Parts {
  /** Begins a turn. */
  begin(): readonly string[]
  /** More text. */
  flow(part: 'text' | 'thinking', text: string): readonly string[]
  /** Whole lines; the text before them is finished. */
  rows(part: Part, lines: readonly Line[]): readonly string[]
  /** The same for lines as they are written. */
  printed(part: Part, lines: readonly string[]): readonly string[]
  /** Finishes the text that is open. */
  close(): readonly string[]
  /** What is open, with rows of tools below it. */
  tail(rows: readonly string[]): readonly string[]
}

/** Puts parts below each other. */
function createParts({ columns, colour }: TurnViewOptions): Parts {
  const streams: { readonly [P in 'text' | 'thinking']: TextStream } = {
    text: createMarkdownStream({ columns, colour }),
    thinking: createMarkdownStream({ columns, colour, style: styles.dim }),
  }
  let open: 'text' | 'thinking' | undefined
  let last: Part | undefined
  const below = (part: Part, lines: readonly string[]): readonly string[] => {
    if (lines.length === 0) return []
    const isApart = part !== last
    last = part
    return isApart ? ['', ...lines] : lines
  }
  const close = (): readonly string[] => {
    const part = open
    open = undefined
    return part ? below(part, streams[part].end()) : []
  }
  const printed = (part: Part, lines: readonly string[]): readonly string[] => [...close(), ...below(part, lines)]
  return {
    begin: () => {
      const lines = close()
      last = undefined
      return lines
    },
    flow: (part, text) => {
      const before = open === part ? [] : close()
      open = part
      return [...before, ...below(part, streams[part].push(text))]
    },
    rows: (part, lines) =>
      printed(
        part,
        lines.map((line) => print(line, colour)),
      ),
    printed,
    close,
    tail: (rows) => {
      const text = open ? streams[open].tail() : []
      const apart = text.length > 0 && open !== last ? [''] : []
      const between = rows.length > 0 && (text.length > 0 || last !== 'tool') ? [''] : []
      return [...apart, ...text, ...between, ...rows]
    },
  }
}

function createHandlers({ columns, showReasoning }: TurnViewOptions, parts: Parts, running: Map<string, RunningCall>): Handlers {
  const say = (text: string, style: Style): readonly string[] => parts.rows('word', sentence(text, style, columns()))
  return {
    'message.start': () => {
      running.clear()
      return parts.begin()
    },
    'message.delta': ({ text }) => parts.flow('text', text),
    'reasoning.delta': ({ text }) => (showReasoning() ? parts.flow('thinking', text) : []),
    'tool.start': ({ id, name, preview }) => {
      running.set(id, { name, preview, progress: '' })
      return parts.close()
    },
    'tool.progress': ({ id, text }) => {
      const call = running.get(id)
      const progress = text.split('\n').findLast((line) => line.trim() !== '')
      if (call && progress !== undefined) running.set(id, { ...call, progress })
      return []
    },
    'tool.complete': (event) => {
      const call = running.get(event.id)
      running.delete(event.id)
      if (call?.isQuestion && event.ok) return []
      return parts.rows('tool', [callRow(event.name, call?.preview ?? '', columns()), ...resultRows(event, columns())])
    },
    ...createChildHandlers({ columns, parts, running }),
    'approval.request': parts.close,
    'clarify.request': ({ question }) => {
      for (const [id, call] of running) if (call.preview === question) running.set(id, { ...call, isQuestion: true })
      return parts.close()
    },
    status: ({ text }) => say(text, styles.yellow),
    error: ({ error, text }) => (error.code === 'INTERRUPTED' ? [] : say(text, styles.red)),
    'message.complete': ({ status }) => {
      const stopped = [...running.values()].map(({ name, preview }) => callRow(name, preview, columns()))
      running.clear()
      const lines = parts.rows('tool', stopped)
      if (status === 'interrupted') return [...lines, ...say('Interrupted.', styles.yellow)]
      return status === 'length' ? [...lines, ...say('The answer was cut: it reached the longest output.', styles.yellow)] : lines
    },
  }
}

interface ChildRows {
  readonly columns: TurnViewOptions['columns']
  readonly parts: Parts
  readonly running: Map<string, RunningCall>
}

/** A child agent has a row like a call: its task, what it does now, and how it ended. */
function createChildHandlers({ columns, parts, running }: ChildRows): Handlers {
  const name = 'child agent'
  return {
    'subagent.spawn_requested': ({ id, goal }) => {
      running.set(id, { name, preview: goal, progress: '' })
      return parts.close()
    },
    'subagent.tool': ({ id, goal, name: tool, preview }) => {
      running.set(id, { name, preview: goal, progress: `${tool} ${preview}` })
      return []
    },
    'subagent.complete': ({ id, goal, status, text, durationMs }) => {
      running.delete(id)
      const error = status === 'interrupted' ? { error: { code: 'INTERRUPTED', params: {} } } : {}
      const done = { ok: status === 'completed', text: text === '' && status !== 'completed' ? status : text, durationMs }
      return parts.rows('tool', [
        callRow(name, goal, columns()),
        ...resultRows({ type: 'tool.complete', id, name, ...done, ...error }, columns()),
      ])
    },
  }
}

function runningRows({ name, preview, progress }: RunningCall, columns: number): readonly Line[] {
  const row = callRow(name, preview, columns)
  return progress === '' ? [row] : [row, cutLine([run(`  │ ${oneLine(progress)}`, styles.dim)], columns)]
}

function layOut(text: string, { columns, colour }: TurnViewOptions): readonly string[] {
  const stream = createMarkdownStream({ columns, colour, style: styles.bold })
  return [...stream.push(text), ...stream.end()]
}

function sentence(text: string, style: Style, columns: number): readonly Line[] {
  return wrap([run(showText(text), style)], { width: columns, longWords: 'leave' })
}
