import { estimateTokens, type InputPart, type ModelMessage, type SkillSummary } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'

const begin = '[Skills that this conversation uses, read again after it was shortened.]'

export interface SkillReader {
  list(): Promise<readonly SkillSummary[]>
  view(wanted: { readonly name: string }): Promise<string>
}

/** What a conversation had read, apart from what was said in it. */
export interface ReadBefore {
  /** Without what was read again at an earlier time. */
  readonly messages: readonly ModelMessage[]
  /** Skills that it uses, the one used last at the end. */
  readonly skills: readonly string[]
}

/** Takes what was read again at an earlier time out of a conversation, so that nothing is read twice and no notes are written on it. */
export function takeOutReadings(messages: readonly ModelMessage[]): ReadBefore {
  const skills = messages.flatMap((message) => {
    if (message.role === 'assistant') return message.parts.flatMap((part) => (part.type === 'call' ? skillIn(part) : []))
    return message.role === 'user' ? message.parts.filter(isReading).flatMap(({ text }) => titlesIn(text)) : []
  })
  const kept = messages.map((message) =>
    message.role === 'user' && message.parts.some(isReading)
      ? { ...message, parts: message.parts.filter((part) => !isReading(part)) }
      : message,
  )
  return { messages: kept, skills: [...new Set(skills.toReversed())].toReversed() }
}

const titlesIn = (text: string): readonly string[] => [...text.matchAll(/^## skill (\S+)$/gm)].map(([, name = '']) => name)

const isReading = (part: InputPart): part is Extract<InputPart, { type: 'text' }> => part.type === 'text' && part.text.startsWith(begin)

function skillIn({ name, args }: { readonly name: string; readonly args: string }): readonly string[] {
  if (name !== 'skill_view') return []
  try {
    const { name: skill, file } = JSON.parse(args) as { readonly name?: unknown; readonly file?: unknown }
    return typeof skill === 'string' && file === undefined ? [skill] : []
  } catch {
    // Its model wrote broken JSON, and was told so then.
    return []
  }
}

/** The skills as they are now, as far as there is room, the one used last before the others; undefined where there is none. */
export async function readSkillsAgain(
  skills: readonly string[],
  reader: SkillReader,
  { room, onLost }: { readonly room: number; readonly onLost: (skill: string, problem: string) => void },
): Promise<InputPart | undefined> {
  const texts: string[] = []
  let left = room
  for (const name of skills.toReversed()) {
    const text = await reader.view({ name }).catch((error: unknown) => onLost(name, detailOf(error)))
    if (typeof text !== 'string') continue
    const section = `## skill ${name}\n\n${text}`
    left -= estimateTokens(section)
    if (left < 0) {
      onLost(name, 'there is no room for it')
      break
    }
    texts.unshift(section)
  }
  return texts.length === 0 ? undefined : { type: 'text', text: [begin, ...texts].join('\n\n') }
}

/** Puts what was read again before everything else. */
export function putReadings(messages: readonly ModelMessage[], reading: InputPart | undefined): readonly ModelMessage[] {
  const [first, ...others] = messages
  return reading && first?.role === 'user' ? [{ role: 'user', parts: [reading, ...first.parts] }, ...others] : messages
}
