import { realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { OpenAgent } from '#agent/open-agent.ts'
import { allToolsets } from '#config/toolsets-from.ts'
import type { WrittenConversation } from '#eval/read-conversations.ts'
import { listSets } from '#tools/toolset-sets.ts'

/** What a conversation names and the agent does not have, a sentence each: it would only be missed by its commands and tools. */
export async function findMissing(agent: OpenAgent, conversation: WrittenConversation): Promise<readonly string[]> {
  return [
    ...(conversation.skills.length > 0 ? await brokenSkills(agent, conversation) : []),
    ...blockedPlugins(agent, conversation),
    ...strangeToolsets(agent, conversation),
  ]
}

async function brokenSkills(agent: OpenAgent, { skills, file, placeOf }: WrittenConversation): Promise<readonly string[]> {
  const { broken } = await agent.skills.index()
  return skills.flatMap((path, index) => {
    const name = basename(resolve(dirname(file), path))
    const found = broken.find((each) => basename(dirname(each.file)) === name)
    return found ? [`${placeOf(['skills', index])}: the skill ${name} cannot be loaded: its SKILL.md ${found.problem}`] : []
  })
}

function blockedPlugins({ catalog }: OpenAgent, { plugins, file, placeOf }: WrittenConversation): readonly string[] {
  return plugins.flatMap((path, index) => {
    const root = realpathSync(resolve(dirname(file), path))
    const linked = catalog.plugins.find((each) => each.root === root)
    const reasons = [linked, ...(linked?.contributions ?? [])].flatMap((each) => (each?.reason === undefined ? [] : [each.reason.text]))
    return reasons.length > 0 ? [`${placeOf(['plugins', index])}: the plugin ${path} does not run: ${reasons.join('; ')}`] : []
  })
}

function strangeToolsets({ catalog }: OpenAgent, { toolsets = [], placeOf }: WrittenConversation): readonly string[] {
  const known = new Set([...catalog.of('toolset').map(({ id }) => id), ...Object.keys(listSets(catalog))])
  return toolsets.flatMap((name, index) =>
    known.has(name) || allToolsets.includes(name)
      ? []
      : [`${placeOf(['toolsets', index])}: there is no toolset "${name}"; there are ${[...known].sort().join(', ')}`],
  )
}
