import type { MemoryHit, PastMessage } from '@agent/plugin-sdk'
import type { Config } from './config.ts'

const dayMs = 86_400_000

/**
 * The hits in the order in which they help: what fits best and is not old. The search gives them by how well they fit; each further place, and each
 * half-life, counts less. Of one session at most three, so that a long one does not hide the others; the same words only once.
 */
export function rankHits(found: readonly PastMessage[], { most, half_life_days: halfLife }: Config, now: number): readonly MemoryHit[] {
  const ranked = found
    .map((message, place) => ({ message, score: fresh(now - message.at, halfLife) / (place + 5) }))
    .sort((a, b) => b.score - a.score)
  const perSession = new Map<string, number>()
  const said = new Set<string>()
  const kept = ranked.filter(({ message: { session, text } }) => {
    const before = perSession.get(session) ?? 0
    if (before === 3 || said.has(text)) return false
    perSession.set(session, before + 1)
    said.add(text)
    return true
  })
  return kept.slice(0, most).map(({ message }) => toHit(message))
}

function fresh(age: number, halfLife: number): number {
  return halfLife === 0 ? 1 : 0.5 ** (Math.max(age, 0) / dayMs / halfLife)
}

function toHit({ text, role, at, session, title }: PastMessage): MemoryHit {
  const who = { user: 'The person said', assistant: 'You said', tool: 'A tool said' }[role]
  return { text: `${who}: ${text}`, at, session, ...(title === null ? {} : { title }) }
}
