import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { PassThrough } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** What the person did at the keyboard: `ctrl+c`, `shift+tab`, `up`; characters; or text that came from elsewhere in one go. */
export type Stroke =
  | { readonly type: 'key'; readonly name: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }

export interface Keys {
  take(bytes: Uint8Array | string): void
  close(): void
}

const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'
/** Esc is a key and the beginning of others: so long it waits for the rest. */
const escapeMs = 40
/** Keys that terminals tell in newer ways, which Node does not know. */
const sequences: ReadonlyMap<string | undefined, string> = new Map([
  ['\u001b[13;2u', 'shift+enter'],
  ['\u001b[27;2;13~', 'shift+enter'],
  ['\u001f', 'ctrl+_'],
])

/** Makes strokes of what a terminal sends. Text that is pasted is not looked at key by key. */
export function openKeys(onStroke: (stroke: Stroke) => void): Keys {
  const decoder = new StringDecoder('utf8')
  const typed = new PassThrough()
  // All that it wants of an interface is this member.
  emitKeypressEvents(typed, { escapeCodeTimeout: escapeMs } as unknown as Interface)
  typed.on('keypress', (text: string | undefined, key: Key) => {
    const stroke = toStroke(text, key)
    if (stroke) onStroke(stroke)
  })
  let pasted: string | undefined
  const take = (text: string): void => {
    if (pasted === undefined) {
      const start = text.indexOf(pasteStart)
      typed.write(start < 0 ? text : text.slice(0, start))
      if (start < 0) return
      pasted = ''
      // What was typed before it has to be heard first.
      setImmediate(() => take(text.slice(start + pasteStart.length)))
      return
    }
    pasted += text
    const end = pasted.indexOf(pasteEnd)
    if (end < 0) return
    const rest = pasted.slice(end + pasteEnd.length)
    onStroke({ type: 'paste', text: pasted.slice(0, end) })
    pasted = undefined
    if (rest !== '') take(rest)
  }
  return {
    take: (bytes) => {
      const text = typeof bytes === 'string' ? bytes : decoder.write(Buffer.from(bytes))
      if (text !== '') take(text)
    },
    close: () => void typed.destroy(),
  }
}

function toStroke(text: string | undefined, key: Key): Stroke | undefined {
  const known = sequences.get(key.sequence)
  if (known) return { type: 'key', name: known }
  const { ctrl = false, meta = false, shift = false } = key
  const isPlain = text !== undefined && !ctrl && !meta && !/^[\p{Cc}]/u.test(text)
  if (isPlain) return { type: 'text', text }
  if (key.name === undefined) return undefined
  if (key.name === 'escape') return { type: 'key', name: 'escape' }
  const name = names.get(key.name) ?? key.name
  const isCapital = /^[a-z]$/.test(name)
  return { type: 'key', name: `${ctrl ? 'ctrl+' : ''}${meta ? 'alt+' : ''}${shift && !isCapital ? 'shift+' : ''}${name}` }
}

/** The return key sends a carriage return, Ctrl-J a line feed. */
const names: ReadonlyMap<string, string> = new Map([
  ['return', 'enter'],
  ['enter', 'ctrl+j'],
])
