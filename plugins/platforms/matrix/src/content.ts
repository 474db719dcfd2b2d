import type { OutboundMedia, OutboundMessage } from '@agent/plugin-sdk'
import { escapeText, formatBody } from './markup.ts'

/** The content of an event. */
export type Content = Readonly<Record<string, unknown>>

/** A conversation of ours: a room, or a thread in it. */
export function readPlace(conversation: string): { readonly room: string; readonly thread: string | undefined } {
  const at = conversation.indexOf('/$')
  return at < 0 ? { room: conversation, thread: undefined } : { room: conversation.slice(0, at), thread: conversation.slice(at + 1) }
}

/** `note` comes below the text: the choices of a question, or its answer. */
export function formatText({ text, body, preview }: Pick<OutboundMessage, 'text' | 'body' | 'preview'>, note = ''): Content {
  const html = preview ? undefined : formatBody(body, text)
  const withNote = note === '' ? html : `${html ?? `<p>${escapeText(text)}</p>`}<p>${escapeText(note).replaceAll('\n', '<br/>')}</p>`
  return {
    msgtype: 'm.text',
    body: note === '' ? text : `${text}\n\n${note}`,
    ...(withNote !== undefined && { format: 'org.matrix.custom.html', formatted_body: withNote }),
    // Nobody is called by a name that happens to stand in the text.
    'm.mentions': {},
  }
}

const types = { image: 'm.image', sticker: 'm.image', audio: 'm.audio', voice: 'm.audio', video: 'm.video', document: 'm.file' } as const

/** A file with the text that belongs to it. */
export function formatFile({ blob, kind }: OutboundMedia, place: Content, caption: Content | undefined): Content {
  const filename = blob.name ?? 'file'
  return {
    ...caption,
    msgtype: types[kind],
    body: caption?.body || filename,
    filename,
    ...place,
    info: { mimetype: blob.mime, size: blob.bytes },
    ...(kind === 'voice' && { 'org.matrix.msc3245.voice': {} }),
  }
}

/** What a message belongs to: a thread, a message that it answers. */
export function formatRelation(thread: string | undefined, replyTo: string | undefined): Content {
  const reply = { 'm.in_reply_to': { event_id: replyTo ?? thread } }
  if (thread !== undefined)
    return { 'm.relates_to': { rel_type: 'm.thread', event_id: thread, is_falling_back: replyTo === undefined, ...reply } }
  return replyTo === undefined ? {} : { 'm.relates_to': reply }
}

/** The new form of a message. */
export function formatEdit(id: string, content: Content): Content {
  const old = { ...content, body: `* ${String(content.body)}` }
  return { ...old, 'm.new_content': content, 'm.relates_to': { rel_type: 'm.replace', event_id: id } }
}
