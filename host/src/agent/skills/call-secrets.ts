import type { HostSkills } from '#skills/open-skills.ts'
import { followedIn, formatSkill } from '#skills/secrets/followed.ts'
import type { SecretsFor } from '#skills/secrets/skill-secrets.ts'
import type { CallSecrets } from '#tools/toolbox/run-call.ts'

/** Older turns have ended long since. */
const mostTurns = 200

/** Knows which skills each turn has read, and so whose scripts get their secrets in it. */
export function createCallSecrets(secretsFor: SecretsFor, { view }: Pick<HostSkills, 'view'>): CallSecrets {
  const read = new Map<string, Set<string>>()
  /** A skill is read where all of its text is heard, and not where something has a heading like it. */
  const followed = async (instructions = ''): Promise<readonly string[]> => {
    const names: string[] = []
    for (const name of followedIn(instructions)) {
      const text = await view({ name }).catch(() => undefined)
      if (text !== undefined && instructions.includes(formatSkill(name, text))) names.push(name)
    }
    return names
  }
  return {
    async of({ plugin }, tool, { args, folder }, turn) {
      const guard = tool.guards.find(({ as }) => as === 'command')
      if (!guard || plugin.manifest.permissions.host?.value.includes('sandbox') !== true) return {}
      const loaded = new Set([...(await followed(turn.instructions)), ...(read.get(turn.turn) ?? [])])
      const command = (args as Readonly<Record<string, unknown>>)[guard.argument]
      const secrets = typeof command === 'string' ? await secretsFor({ command, folder: folder ?? turn.workspace, loaded }) : undefined
      // What Python writes beside a script would make the skill another one than the person saw.
      return secrets === undefined ? {} : { secrets: { ...secrets, PYTHONDONTWRITEBYTECODE: '1' } }
    },
    answered({ plugin }, tool, args, { turn }) {
      if (tool.name !== 'skill_view' || plugin.manifest.permissions.host?.value.includes('skills') !== true) return
      const { name, file } = args as { readonly name: string; readonly file?: string }
      if (file !== undefined) return
      read.set(turn, (read.get(turn) ?? new Set()).add(name))
      for (const oldest of read.keys()) if (read.size > mostTurns) read.delete(oldest)
    },
  }
}
