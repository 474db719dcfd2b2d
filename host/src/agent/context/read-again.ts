import { estimateTokens, type InputPart, type ModelMessage, type SkillSummary } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { type ChangedRules, writeRule } from '../rules/changed-rules.ts'

const beginOfSkills = '[Skills that this conversation uses, read again after it was shortened.]'
const beginOfRules =
  '[Rules of the workspace that have changed since this conversation began, read again after it was shortened. They count in place of what the prompt says of the same files.]'

export interface SkillReader {
  list(): Promise<readonly SkillSummary[]>
  view(wanted: { readonly name: string; readonly session: string }): Promise<string>
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
    return message.role === 'user' ? message.parts.filter(isReading).flatMap(titlesIn) : []
  })
  const kept = messages.map((message) =>
    message.role === 'user' && message.parts.some(isReading)
      ? { ...message, parts: message.parts.filter((part) => !isReading(part)) }
      : message,
  )
  return { messages: kept, skills: [...new Set(skills.toReversed())].toReversed() }
}

type Reading = Extract<InputPart, { type: 'text' }>

const titlesIn = ({ text }: Reading): readonly string[] =>
  text.startsWith(beginOfSkills) ? [...text.matchAll(/^## skill (\S+)$/gm)].map(([, name = '']) => name) : []

const isReading = (part: InputPart): part is Reading =>
  part.type === 'text' && [beginOfSkills, beginOfRules].some((begin) => part.text.startsWith(begin))

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
  { session, room, onLost }: { readonly session: string; readonly room: number; readonly onLost: (skill: string, problem: string) => void },
): Promise<InputPart | undefined> {
  const texts: string[] = []
  let left = room
  for (const name of skills.toReversed()) {
    const text = await reader.view({ name, session }).catch((error: unknown) => onLost(name, detailOf(error)))
    if (typeof text !== 'string') continue
    const section = `## skill ${name}\n\n${text}`
    left -= estimateTokens(section)
    if (left < 0) {
      onLost(name, 'there is no room for it')
      break
    }
    texts.unshift(section)
  }
  return texts.length === 0 ? undefined : { type: 'text', text: [beginOfSkills, ...texts].join('\n\n') }
}

/** The rules that a conversation did not begin with, as far as there is room, the nearest file before the others; undefined where there are none. */
export function readRulesAgain(
  { files, gone }: ChangedRules,
  { room, onLost }: { readonly room: number; readonly onLost: (file: string) => void },
): InputPart | undefined {
  const texts = gone.map((path) => `${path} is not followed any more: forget its rules.`)
  let left = room - estimateTokens([beginOfRules, ...texts])
  const fitting: string[] = []
  for (const file of files.toReversed()) {
    const text = writeRule(file)
    left -= estimateTokens(text)
    if (left < 0) {
      onLost(file.path)
      break
    }
    fitting.unshift(text)
  }
  const sections = [...texts, ...fitting]
  return sections.length === 0 ? undefined : { type: 'text', text: [beginOfRules, ...sections].join('\n\n') }
}

/** Puts what was read again before everything else. */
export function putReadings(messages: readonly ModelMessage[], readings: readonly InputPart[]): readonly ModelMessage[] {
  const [first, ...others] = messages
  return readings.length > 0 && first?.role === 'user' ? [{ role: 'user', parts: [...readings, ...first.parts] }, ...others] : messages
}
