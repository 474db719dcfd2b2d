import type { InboundMessage } from '@agent/plugin-sdk'
import { foldCase, isChannel, type Line } from './wire.ts'

/** What is the same for every message of a connection. */
export interface Receiver {
  readonly account: string
  /** Our nick at this moment. */
  readonly nick: string
  readonly createId: () => string
}

/** What somebody said to us or in a channel. Undefined for everything else: a NOTICE, a request between clients, a service, ourselves. */
export function readMessage({ command, source, nick, params }: Line, receiver: Receiver): InboundMessage | undefined {
  const [target = '', said = ''] = params
  if (command !== 'PRIVMSG' || isService(source) || foldCase(nick) === foldCase(receiver.nick)) return undefined
  const inChannel = isChannel(target)
  if (!inChannel && foldCase(target) !== foldCase(receiver.nick)) return undefined
  const { text, addressed } = inChannel ? readAddress(readText(said, nick), receiver.nick) : { text: readText(said, nick), addressed: true }
  if (text === '') return undefined
  return {
    id: receiver.createId(),
    account: receiver.account,
    conversation: inChannel
      ? { id: target.toLowerCase(), kind: 'group', name: target }
      : { id: nick.toLowerCase(), kind: 'dm', name: nick },
    sender: { id: nick.toLowerCase(), name: nick, isBot: false },
    text,
    addressed,
  }
}

/** Services answer everything that is said to them, so that a conversation with one would not end. */
function isService(source: string): boolean {
  return !source.includes('!') || /^[a-z]+serv!/i.test(source) || /@services\./i.test(source)
}

/** Begins and ends what clients ask each other. */
const request = '\u0001'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes of colours and styles
const styles = /\u0003(?:\d{1,2}(?:,\d{1,2})?)?|\u0004(?:[\da-f]{6})?|[\u0002\u000f\u0011\u0016\u001d-\u001f]/gi

/** The bare words. Of the requests between clients only an action is something said. */
function readText(said: string, nick: string): string {
  const text = said.replaceAll(request, '').replace(styles, '').trim()
  if (!said.startsWith(request)) return text
  return text.startsWith('ACTION ') ? `* ${nick} ${text.slice('ACTION '.length)}` : ''
}

/** Whether a message in a channel is meant for us, and what it says then. */
export function readAddress(text: string, nick: string): { readonly text: string; readonly addressed: boolean } {
  const folded = foldCase(text)
  const name = foldCase(nick)
  if (folded.startsWith(name) && /^[:,]/.test(text.slice(name.length))) {
    return { text: text.slice(name.length + 1).trim(), addressed: true }
  }
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return { text, addressed: new RegExp(`(?<![\\w{|}~\`-])${escaped}(?![\\w{|}~\`-])`).test(folded) }
}
