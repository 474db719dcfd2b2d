import type { OpenAgent } from '#agent/open-agent.ts'
import { formatMinute } from '#commands/answers/format-minute.ts'
import { offeredCommands, slashSkills } from '#commands/slash-table.ts'
import type { Complete } from '../input/menu.ts'
import { createComplete, type Named } from './complete.ts'

/** So many sessions are offered. */
const offeredSessions = 50

/** Completes with what an agent has: commands, skills, sessions, models, platforms. */
export function completeWith({ catalog, store, skills }: Pick<OpenAgent, 'catalog' | 'store' | 'skills'>, folder: string): Complete {
  const idsOf = (kind: 'platform' | 'provider' | 'toolset') => catalog.of(kind).map(({ id }) => id)
  const sessions = () => store.sessions.list({ limit: offeredSessions })
  const sources: { readonly [word: string]: (() => Promise<readonly Named[]>) | undefined } = {
    platform: async () => idsOf('platform'),
    provider: async () => idsOf('provider'),
    toolset: async () => idsOf('toolset'),
    session: async () =>
      (await sessions()).map(({ id, title, preview, lastAt }) => ({ name: title ?? id, note: `${formatMinute(lastAt)}  ${preview}` })),
    // Others are known only to the providers, and nobody waits for them at a key.
    model: async () => [
      ...catalog.of('provider').flatMap(({ spec }) => spec.defaultModel ?? []),
      ...(await sessions()).map(({ model }) => model),
    ],
  }
  return createComplete({
    commands: () => offeredCommands(catalog, 'cli'),
    slashSkills: () => slashSkills({ catalog, skills }),
    names: async (word) => (await sources[word]?.()) ?? [],
    skills: async () => (await skills.index()).skills.filter(({ offered }) => offered).map(({ name }) => name),
    folder,
  })
}
