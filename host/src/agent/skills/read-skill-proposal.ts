import type { SkillWish } from '#skills/writing/skill-wish.ts'

type Proposal = Extract<SkillWish, { action: 'create' | 'patch' }>

/** The skill, or the correction of one, that a model proposes; undefined where it proposes none. */
export function readSkillProposal(answer: string): Proposal | undefined {
  const [object] = /\{.*\}/s.exec(answer) ?? []
  if (object === undefined) return undefined
  try {
    return readOne(JSON.parse(object))
  } catch {
    return undefined
  }
}

function readOne(value: unknown): Proposal | undefined {
  const { action, skill, text, old } = value as Readonly<Record<string, unknown>>
  if (typeof skill !== 'string' || typeof text !== 'string' || text.trim() === '') return undefined
  if (action === 'create') return { action, skill, text }
  return action === 'patch' && typeof old === 'string' ? { action, skill, file: 'SKILL.md', old, text } : undefined
}
