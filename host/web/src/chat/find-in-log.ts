import type { Bubble, Part } from './log.ts'

/** Which bubbles hold these words, whatever their case; none where nothing is looked for. */
export function findInLog(bubbles: readonly Bubble[], words: string): readonly number[] {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return []
  return bubbles.flatMap((bubble, index) => (textsOf(bubble).some((text) => text.toLowerCase().includes(wanted)) ? [index] : []))
}

/** What a reader sees without opening anything: what was said, names of files, and the heads of tools. */
function textsOf(bubble: Bubble): readonly string[] {
  if (bubble.kind === 'user') return [bubble.text, ...(bubble.files ?? []).map(({ name }) => name)]
  return bubble.parts.flatMap(shownOf)
}

function shownOf(part: Part): readonly string[] {
  if (part.kind === 'tool') return [`${part.name} ${part.preview}`]
  return part.kind === 'text' || part.kind === 'notice' || part.kind === 'error' ? [part.text] : []
}
