import { scanText } from '#kernel/scan-text.ts'
import type { AboutSkill } from './skill-memory.ts'

interface ScannedAbout {
  /** Without characters that nobody sees, each text on one line. */
  readonly about: AboutSkill
  /** How many of those there were. */
  readonly hidden: number
  /** Words that want to take over the agent. */
  readonly injection?: string
}

/** Looks at what a skill says of itself before prompts and lists say it too. A blueprint is looked at where somebody wants it. */
export function scanAbout({ blueprint, ...about }: AboutSkill): ScannedAbout {
  let hidden = 0
  let injection: string | undefined
  const clean = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    const scanned = scanText(value)
    hidden += scanned.hidden
    injection ??= scanned.injection?.words
    return scanned.text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  }
  const cleaned = JSON.parse(JSON.stringify(about), clean) as AboutSkill
  return {
    about: { ...cleaned, ...(blueprint === undefined ? {} : { blueprint }) },
    hidden,
    ...(injection === undefined ? {} : { injection }),
  }
}
