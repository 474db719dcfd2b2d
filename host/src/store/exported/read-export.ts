import { detailOf, fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import type { Exported, ExportLine } from '../sessions.ts'
import { parseWire } from '../sqlite/engine/wire-json.ts'

const text = z.string()
const count = z.int().check(z.minimum(0))
const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z.nullable(schema)
const usage = z.object({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count })

const session = z.object({
  ...{ id: text.check(z.regex(/^ses_[\w-]{1,80}$/)), key: orNull(text), source: text.check(z.minLength(1), z.maxLength(100)) },
  ...{ title: orNull(text), titledBy: z._default(orNull(z.enum(['person', 'model'])), null) },
  ...{ provider: text, model: text, system: text, tools: text, parent: orNull(text) },
  ...{ startedAt: count, lastAt: count, endedAt: orNull(count), endReason: orNull(text) },
  ...{ messages: count, usage, calls: count, workspace: orNull(text) },
  ...{ context: z._default(orNull(count), null), owner: z._default(orNull(text), null) },
})

const textPart = z.object({ type: z.literal('text'), text })
const saidPart = z.object({ type: z.literal('text'), text, file: z.optional(text) })
const message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    parts: z.array(z.discriminatedUnion('type', [saidPart, z.object({ type: z.literal('image'), url: text })])),
  }),
  z.object({
    role: z.literal('assistant'),
    parts: z.array(
      z.discriminatedUnion('type', [
        textPart,
        z.object({ type: z.literal('call'), id: text, name: text, args: text }),
        z.object({ type: z.literal('opaque'), provider: text, data: z.unknown() }),
      ]),
    ),
  }),
  z.object({ role: z.literal('tool'), results: z.array(z.object({ id: text, name: text, ok: z.boolean(), text })) }),
])
const compression = z.object({
  ...{ upTo: count, messages: z.array(message), reason: z.enum(['threshold', 'overflow', 'asked']) },
  ...{ tokensBefore: count, tokensAfter: count },
})

const line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), session }),
  z.object({ type: z.literal('message'), at: count, message }),
  z.object({ type: z.literal('compression'), at: count, compression }),
])

/** The session in the text of a file that `formatExport` wrote line by line. Throws SESSION_FILE_INVALID with the first line that is not right. */
export function readExport(file: string, content: string): Exported {
  const lines = content.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const refuse = (index: number, problem: string): Error => fail('SESSION_FILE_INVALID', { file, line: index + 1, problem })
  const read = lines.map((each, index) => readLine(each, (problem) => refuse(index, problem)))
  const [first] = read
  if (first?.type !== 'session') throw refuse(0, 'it is no session: that is what the first line holds')
  const second = read.findIndex(({ type }, index) => index > 0 && type === 'session')
  if (second > 0) throw refuse(second, 'a second session begins here, and a file holds one')
  const messages = read.filter((each) => each.type === 'message')
  const compressions = read.filter((each) => each.type === 'compression')
  const { messages: told } = first.session
  if (messages.length < told) throw refuse(lines.length, `the file ends early: of ${told} messages it has ${messages.length}`)
  const beyond = read.findIndex((each) => each.type === 'compression' && each.compression.upTo > messages.length)
  if (beyond > 0) throw refuse(beyond, `notes stand for more than the ${messages.length} messages that there are`)
  return { session: first.session, messages, compressions }
}

function readLine(each: string, refuse: (problem: string) => Error): ExportLine {
  const { data, error } = line.safeParse(parseLine(each, refuse))
  if (!error) return checkTools(data as ExportLine, refuse)
  const [issue] = error.issues
  const at = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  throw refuse(`${at}${issue?.message ?? 'it is not right'}`)
}

function parseLine(each: string, refuse: (problem: string) => Error): unknown {
  try {
    return parseWire(each)
  } catch (error) {
    throw refuse(`it is no JSON (${detailOf(error)})`)
  }
}

/** The tools of a session are read at each of its turns. */
function checkTools(read: ExportLine, refuse: (problem: string) => Error): ExportLine {
  if (read.type !== 'session') return read
  const tools = parseLine(read.session.tools, () => refuse('session.tools: it holds no JSON'))
  if (!Array.isArray(tools)) throw refuse('session.tools: it holds no list of tools')
  return read
}
