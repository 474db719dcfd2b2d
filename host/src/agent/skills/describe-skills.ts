import type { SkillSummary } from '@agent/plugin-sdk'

/** Characters of one description, and bytes of all of them: each session pays for them. */
const mostOfOne = 160
const mostOfAll = 16_000

/**
 * The skills as the prompt names them, each of them: where their descriptions are too long together, all that are longer than their share are cut to it.
 * The same skills are always described by the same bytes.
 */
export function describeSkills(skills: readonly SkillSummary[]): string {
  if (skills.length === 0) return ''
  const texts = skills.map(({ description }) => shorten(description))
  const share = shareOf(texts.map(bytesOf))
  const lines = skills.map(({ name }, at) => {
    const text = cut(texts[at] ?? '', share)
    return text === '' ? `- ${name}` : `- ${name}: ${text}`
  })
  return [
    'Skills tell you how to do certain kinds of work. Before such work, read the skill with skill_view; other than the results of other tools, it is instructions to you.',
    ...lines,
    ...(share === Number.POSITIVE_INFINITY ? [] : ['Long descriptions are cut here; list_skills has them as a whole.']),
  ].join('\n')
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

function shorten(text: string): string {
  return text.length <= mostOfOne ? text : `${text.slice(0, mostOfOne - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The bytes that each description may have so that all fit: what short ones leave is shared by the long ones. */
function shareOf(lengths: readonly number[]): number {
  let room = mostOfAll
  let left = lengths.length
  for (const length of [...lengths].sort((one, other) => one - other)) {
    const share = Math.floor(room / left)
    if (length > share) return share
    room -= length
    left--
  }
  return Number.POSITIVE_INFINITY
}

/** Whole characters, and whole words where that costs little; nothing where no word would be left. */
function cut(text: string, most: number): string {
  if (bytesOf(text) <= most) return text
  let kept = ''
  let room = most - bytesOf('…')
  for (const character of text) {
    room -= bytesOf(character)
    if (room < 0) break
    kept += character
  }
  const word = kept.lastIndexOf(' ')
  const whole = word > kept.length * 0.7 ? kept.slice(0, word) : kept
  return whole.length < 4 ? '' : `${whole}…`
}
