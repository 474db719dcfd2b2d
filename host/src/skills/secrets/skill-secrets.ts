import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { trialFile } from '../find-skills.ts'
import type { HostSkills } from '../open-skills.ts'
import { hashForGrant } from '../place-skill.ts'
import { readGrants } from './grants.ts'
import { scriptOf } from './script-of.ts'

export interface SkillSecretsOptions {
  readonly skills: Pick<HostSkills, 'index'>
  /** Where it stands what people gave to which skill. */
  readonly grants: string
  /** The value of a variable, which counts as a secret from then on. */
  readonly read: (name: string) => string | undefined
}

/** A command of a turn. */
export interface SkillCommand {
  readonly command: string
  /** Where it starts. */
  readonly folder: string
  /** Skills that the turn has read. */
  readonly loaded: ReadonlySet<string>
}

/** The secrets of a skill for a command that does nothing but start a script of it; undefined for every other command. */
export type SecretsFor = (command: SkillCommand) => Promise<Readonly<Record<string, string>> | undefined>

export function createSkillSecrets({ skills, grants, read }: SkillSecretsOptions): SecretsFor {
  return async ({ command, folder, loaded }) => {
    const script = loaded.size === 0 ? undefined : realOf(scriptOf(command, folder))
    if (script === undefined) return undefined
    const given = readGrants(grants)
    const own = (await skills.index()).skills.find((skill) => script.startsWith(`${realOf(skill.folder)}${sep}`))
    const grant = own && loaded.has(own.name) && Object.hasOwn(given, own.name) ? given[own.name] : undefined
    if (!own || !grant || script === realOf(join(own.folder, trialFile))) return undefined
    // Who has changed a file of it is perhaps not who was trusted.
    if (grant.hash !== hashForGrant(own.folder)) return undefined
    const declared = new Set((own.variables ?? []).map(({ name }) => name))
    const values = grant.variables.filter((name) => declared.has(name)).map((name) => [name, read(name)] as const)
    return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  }
}

function realOf(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path)
  } catch {
    return undefined
  }
}
