import { fail } from '@agent/plugin-sdk/errors'
import { openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'
import { readToolsets } from './read-toolsets.ts'

/** The toolset by its name; throws where there is none, where it is of no use as it is, or has nothing to set up. */
export async function requireSetUp(context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>, id: string): Promise<void> {
  const toolsets = await readToolsets(context)
  const found = toolsets.find((toolset) => toolset.id === id)
  if (!found) {
    const names = toolsets.map((toolset) => toolset.id)
    const nearest = nearestName(id, names)
    throw fail('PLUGIN_NOT_FOUND', nearest === undefined ? { id } : { id, nearest })
  }
  if (found.setUp === undefined) throw fail('USAGE', { problem: `The toolset ${id} has nothing to set up.`, try: 'agent tools list' })
  if (!found.enabled) throw fail('USAGE', { problem: `The toolset ${id} is off.`, try: `agent tools enable ${id}` })
}

/** Sets a toolset up with the settings, the secrets and the files of the home that is meant, and says what came of it. */
export async function setUpTools(context: HomeContext, id: string): Promise<readonly string[]> {
  await requireSetUp(context, id)
  const { installRoot, profile, signal, note } = context
  const agent = await openAgent({ installRoot, ...applySafeMode(context), profile, note, ownCommands: ownNames })
  try {
    return (await agent.toolbox.setUp(id, signal)).split('\n').filter((line) => line.trim() !== '')
  } finally {
    await agent.close()
  }
}
