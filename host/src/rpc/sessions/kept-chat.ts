import type { InputPart } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import type { ProcessIdentity } from '#gateway/process/process-identity.ts'

/** A prompt as it was accepted. */
export interface KeptPrompt {
  readonly id: string
  readonly ordinal: number
  readonly input: readonly InputPart[]
}

/** A prompt that was under way. */
export interface CutPrompt extends KeptPrompt {
  /** So many messages of the session stood before its turn; undefined where that had not begun. */
  readonly before: number | undefined
  /** What was answered and is in no stored message. */
  readonly said: string
}

/** What the file of a session says. */
export interface KeptChat {
  /** The process that wrote it last; undefined where there is no file. */
  readonly owner: ProcessIdentity | undefined
  /** Numbers of the prompts that were accepted, by id, the oldest first. */
  readonly accepted: Map<string, number>
  readonly cut: readonly CutPrompt[]
}

interface KeptLines {
  readonly owner: ProcessIdentity
  readonly accepted: { readonly ids: readonly (readonly [id: string, ordinal: number])[] }
  readonly prompt: KeptPrompt
  readonly turn: { readonly id: string; readonly before: number }
  readonly said: { readonly text: string }
  /** What was said so far is stored. */
  readonly stored: Record<never, never>
  readonly over: { readonly id: string }
  /** It was written, and its sender was told that it is not kept. */
  readonly refused: { readonly id: string }
}

export type KeptLine = { readonly [Type in keyof KeptLines]: { readonly type: Type } & KeptLines[Type] }[keyof KeptLines]

/** So many ids stay known. */
const mostAccepted = 20

/** The shortest file that says this. */
export function linesOf({ owner, accepted, cut }: KeptChat): string {
  const lines: KeptLine[] = owner ? [{ type: 'owner', ...owner }] : []
  if (accepted.size > 0) lines.push({ type: 'accepted', ids: [...accepted].slice(-mostAccepted) })
  for (const { before, said, ...prompt } of cut) {
    lines.push({ type: 'prompt', ...prompt })
    if (before !== undefined) lines.push({ type: 'turn', id: prompt.id, before })
    if (said !== '') lines.push({ type: 'said', text: said })
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

interface Reading {
  owner: ProcessIdentity | undefined
  readonly accepted: Map<string, number>
  readonly open: Map<string, Writable<CutPrompt>>
  /** The prompt whose turn runs. */
  turn: Writable<CutPrompt> | undefined
}

export function readChat(text: string): KeptChat {
  const reading: Reading = { owner: undefined, accepted: new Map(), open: new Map(), turn: undefined }
  for (const line of text.split('\n')) take(reading, parse(line))
  const { owner, accepted, open } = reading
  return { owner, accepted, cut: [...open.values()] }
}

const count = z.int().check(z.minimum(0))
const named = z.object({ id: z.string() })
const part = z.union([
  z.object({ type: z.literal('text'), text: z.string(), file: z.exactOptional(z.string()) }),
  z.object({ type: z.literal('image'), url: z.string() }),
])

const schemas: { readonly [Type in keyof KeptLines]: z.ZodMiniType<KeptLines[Type]> } = {
  owner: z.object({ pid: z.int().check(z.minimum(1)), started: z.string() }),
  accepted: z.object({ ids: z.array(z.tuple([z.string(), count])) }),
  prompt: z.object({ id: z.string(), ordinal: count, input: z.array(part).check(z.minLength(1)) }),
  turn: z.object({ id: z.string(), before: count }),
  said: z.object({ text: z.string() }),
  stored: z.object({}),
  over: named,
  refused: named,
}

const typed = z.object({ type: z.enum(Object.keys(schemas) as (keyof KeptLines)[]) })

/** A power cut may leave half a line, and a person anything. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const takes: { readonly [Type in keyof KeptLines]: (reading: Reading, line: KeptLines[Type]) => void } = {
  owner: (reading, owner) => {
    reading.owner = owner
  },
  accepted: ({ accepted }, { ids }) => {
    for (const [id, ordinal] of ids) accepted.set(id, ordinal)
  },
  prompt: ({ accepted, open }, { id, ordinal, input }) => {
    accepted.set(id, ordinal)
    open.set(id, { id, ordinal, input, before: undefined, said: '' })
  },
  turn: (reading, { id, before }) => {
    reading.turn = reading.open.get(id)
    if (reading.turn) reading.turn.before = before
  },
  said: ({ turn }, { text }) => {
    if (turn) turn.said += text
  },
  stored: ({ turn }) => {
    if (turn) turn.said = ''
  },
  over: ({ open }, { id }) => void open.delete(id),
  refused: ({ accepted, open }, { id }) => {
    accepted.delete(id)
    open.delete(id)
  },
}

/** What is no line of ours says nothing, and keeps nobody from the rest. */
function take(reading: Reading, line: unknown): void {
  const { success, data } = typed.safeParse(line)
  if (success) takeAs(data.type, reading, line)
}

function takeAs<Type extends keyof KeptLines>(type: Type, reading: Reading, line: unknown): void {
  const { success, data } = schemas[type].safeParse(line)
  if (success) takes[type](reading, data)
}
