import { parseJson } from '../request/refusal.ts'

/** Reads events that say the same as one before them but for a text. Most of an answer are such, and it takes a third of parsing them. */
export interface TextForm<Event> {
  /** Whether an event was of the form that is known; if not, only parsing tells what it says. */
  read(data: string): boolean
  /** Learns the form of an event that was parsed. */
  learn(data: string, event: Event): void
}

export interface TextFormOptions<Event> {
  /** The text of an event that means nothing but this text; undefined for any other. */
  textOf(event: Event): string | undefined
  /** A text came, and no empty one, in an event that is like `like` in all else. */
  onText(text: string, like: Event): void
}

interface Form<Event> {
  /** All up to the text, with the quote that opens it. */
  readonly head: string
  /** All from the quote that closes it. */
  readonly tail: string
  /** The tail closes what is open and says nothing: spaces in it mean nothing. */
  readonly isLoose: boolean
  readonly like: Event
}

/** Events may differ in more, by a number for instance: then nothing is learnt any more. */
const mostInVain = 32

const quote = 0x22
const backslash = 0x5c
const space = 0x20

export function createTextForm<Event>({ textOf, onText }: TextFormOptions<Event>): TextForm<Event> {
  let form: Form<Event> | undefined
  let left = mostInVain
  return {
    read(data) {
      if (form === undefined || data.slice(0, form.head.length) !== form.head) return false
      const start = form.head.length
      const plainEnd = endOfPlain(data, start)
      const end = plainEnd ?? endOfEscaped(data, start)
      if (!isTail(data, end, form)) return false
      const text = plainEnd === undefined ? parseJson(data.slice(start - 1, end + 1)) : data.slice(start, end)
      if (typeof text !== 'string') return false
      left = mostInVain
      if (text !== '') onText(text, form.like)
      return true
    },
    learn(data, event) {
      const text = left > 0 ? textOf(event) : undefined
      if (typeof text !== 'string' || text === '') return
      left -= 1
      form = left > 0 ? findForm(data, event, { text, textOf }) : undefined
    },
  }
}

function findForm<Event>(
  data: string,
  like: Event,
  { text, textOf }: { readonly text: string } & Pick<TextFormOptions<Event>, 'textOf'>,
): Form<Event> | undefined {
  const written = JSON.stringify(text)
  const at = data.lastIndexOf(written)
  if (at < 0) return undefined
  const head = data.slice(0, at + 1)
  const tail = data.slice(at + written.length - 1)
  // What stands there may be something else that reads the same: the proof is that another text in its place is heard.
  const other = 'another text'
  const proof = parseJson(`${head}${other}${tail}`) as Event | undefined
  if (proof === undefined || textOf(proof) !== other) return undefined
  const isLoose = /^"[}\] ]*$/.test(tail)
  return { head, tail: isLoose ? tail.replaceAll(' ', '') : tail, isLoose, like }
}

/** Where a text ends that is its own JSON; undefined where it is not, or has no end. */
function endOfPlain(data: string, start: number): number | undefined {
  for (let at = start; at < data.length; at++) {
    const code = data.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash || code < space) return undefined
  }
  return undefined
}

function endOfEscaped(data: string, start: number): number {
  let end = start
  while (end < data.length && data.charCodeAt(end) !== quote) end += data.charCodeAt(end) === backslash ? 2 : 1
  return end
}

function isTail<Event>(data: string, start: number, { tail, isLoose }: Form<Event>): boolean {
  if (!isLoose) return data.length - start === tail.length && data.slice(start) === tail
  let matched = 0
  for (let at = start; at < data.length; at++) {
    const code = data.charCodeAt(at)
    if (code === tail.charCodeAt(matched)) matched += 1
    else if (code !== space) return false
  }
  return matched === tail.length
}
