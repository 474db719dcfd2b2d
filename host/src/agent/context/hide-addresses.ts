import type { InputPart, ModelMessage } from '@agent/plugin-sdk'

/** Longer addresses hold a picture themselves. */
const longest = 200

/** Messages with short references in place of pictures, and the way back. */
export interface Hidden {
  readonly messages: readonly ModelMessage[]
  restore(messages: readonly ModelMessage[]): readonly ModelMessage[]
}

/** An engine need not see pictures, and no border has to carry them. */
export function hideAddresses(messages: readonly ModelMessage[]): Hidden {
  const urls: string[] = []
  const hide = (part: InputPart): InputPart => {
    if (part.type !== 'image' || part.url.length <= longest) return part
    const at = urls.indexOf(part.url)
    return { type: 'image', url: `image:${at === -1 ? urls.push(part.url) - 1 : at}` }
  }
  const show = (part: InputPart): InputPart => {
    if (part.type !== 'image' || !part.url.startsWith('image:')) return part
    const url = urls[Number(part.url.slice('image:'.length))]
    return url === undefined ? { type: 'text', text: '(a picture)' } : { type: 'image', url }
  }
  return { messages: mapParts(messages, hide), restore: (kept) => mapParts(kept, show) }
}

function mapParts(messages: readonly ModelMessage[], change: (part: InputPart) => InputPart): readonly ModelMessage[] {
  return messages.map((message) => (message.role === 'user' ? { ...message, parts: message.parts.map(change) } : message))
}
