import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { printable } from '#observe/printable.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import {
  checkSkills,
  choose,
  type HubCaller,
  keepSkill,
  namedIn,
  type OfferedSkill,
  removeSkill,
  requireSound,
  type SourceState,
  withOffered,
} from '#skills/hub/skill-hub.ts'
import type { JudgedSkill } from '#skills/judge-skill.ts'
import { stateOf } from '#skills/skill-lock.ts'
import { type Cli, formatTable } from '../../console/cli.ts'
import { confirm } from '../../console/confirm.ts'
import { createProgress } from '../../plugins/package/progress.ts'

export interface HubOptions {
  readonly json?: true
  readonly yes?: true
}

const callerOf = (cli: Cli): HubCaller => ({ ...cli, progress: createProgress(cli) })

interface Done {
  readonly name: string
  readonly what: 'installed' | 'updated' | 'same'
}

/** `agent skills install <source> [skills...]`. All of them are judged before the first one is put in place. */
export async function install(cli: Cli, source: string, names: readonly string[], options: HubOptions): Promise<void> {
  const home = openHomeOf(cli)
  const done = await withOffered(callerOf(cli), home, source, async (offered) => {
    const chosen = choose(source, offered, names)
    for (const skill of chosen) await requireSound(skill, askerFor(cli, skill, options))
    return chosen.map((skill): Done => ({ name: skill.name, what: keepSkill(home, source, skill) }))
  })
  if (options.json) return cli.json({ skills: done })
  cli.out(done.map(describeDone).join('\n'))
}

function askerFor(cli: Cli, { name }: OfferedSkill, { yes, json }: HubOptions): (judged: JudgedSkill) => Promise<boolean> {
  return async ({ findings }) => {
    if (!json) cli.note(printable(`${name}: ${findings.join('; ')}.`))
    if (yes) return true
    if (!cli.terminal) throw fail('SKILL_CAUTION', { skill: name, findings: findings.join('; ') })
    return confirm(cli, `Install ${name} all the same?`)
  }
}

const words = { installed: 'is installed', updated: 'is updated', same: 'is installed already' } as const
const describeDone = ({ name, what }: Done): string => `${name} ${words[what]}.`

/** `agent skills inspect <source> [skills...]`. */
export async function inspect(cli: Cli, source: string, names: readonly string[], { json }: HubOptions): Promise<void> {
  await withOffered(callerOf(cli), openHomeOf(cli), source, async (offered) => {
    const chosen = names.length === 0 ? offered : choose(source, offered, names)
    if (json) return cli.json({ skills: chosen.map(toRow) })
    cli.out(chosen.map(describeOffered).join('\n'))
  })
}

function toRow(skill: OfferedSkill): object {
  const { name, hash, resolved } = skill
  if ('problem' in skill) return { name, hash, resolved, verdict: 'broken', findings: [skill.problem], description: '', files: [] }
  const { verdict, findings, files } = skill.judged
  return { name, hash, resolved, verdict, findings, description: skill.judged.skill.description, files }
}

function describeOffered(skill: OfferedSkill): string {
  if ('problem' in skill) return printable(`${skill.name}: no skill: ${skill.problem}`)
  const { verdict, findings, files } = skill.judged
  return [`${skill.name} (${verdict}): ${skill.judged.skill.description}`, ...findings.map((each) => `  ${each}`), `  ${files.join(', ')}`]
    .map(printable)
    .join('\n')
}

const states: { readonly [State in SourceState]: string } = {
  current: 'is what its source has',
  newer: 'is older than what its source has',
  edited: 'was edited by you, so updates leave it alone',
  missing: 'is not there any more',
  gone: 'is not in its source any more',
  unreachable: 'has a source that cannot be reached',
}

/** `agent skills check [skills...]`. */
export async function check(cli: Cli, names: readonly string[], { json }: HubOptions): Promise<void> {
  const rows = await checkSkills(callerOf(cli), openHomeOf(cli), names)
  if (json) return cli.json({ skills: rows })
  if (rows.length === 0) return cli.out('No skill was installed from a source.')
  cli.out(formatTable(rows.map(({ name, state, source, problem }) => [name, states[state], printable(problem ?? source)])))
}

/** `agent skills update [skills...]`. One that cannot be updated keeps none of the others from it. */
export async function update(cli: Cli, names: readonly string[], options: HubOptions): Promise<void> {
  const home = openHomeOf(cli)
  const done: Done[] = []
  const kept: { readonly name: string; readonly problem: string }[] = []
  for (const [name, { source }] of namedIn(home, names)) {
    try {
      done.push({ name, what: await updateOne(cli, home, name, source, options) })
    } catch (error) {
      if (!isAgentError(error) || cli.signal.aborted) throw error
      kept.push({ name, problem: error.message })
      cli.exit(1)
    }
  }
  if (options.json) return cli.json({ skills: done, kept })
  for (const { problem } of kept) cli.note(printable(problem))
  cli.out(done.length + kept.length === 0 ? 'No skill was installed from a source.' : done.map(describeUpdate).join('\n'))
}

const describeUpdate = ({ name, what }: Done): string => (what === 'same' ? `${name} is what its source has.` : `${name} is updated.`)

async function updateOne(cli: Cli, home: Home, name: string, source: string, options: HubOptions): Promise<Done['what']> {
  const [, locked] = namedIn(home, [name])[0] ?? []
  if (locked && stateOf(home, name, locked) === 'edited')
    throw fail('SKILL_REFUSED', { skill: name, problem: 'you have edited it, and your edits stay' })
  return withOffered(callerOf(cli), home, source, async (offered) => {
    const [skill] = choose(source, offered, [name])
    if (!skill) throw fail('SKILL_NOT_FOUND', { skill: name })
    if (locked?.hash !== skill.hash) await requireSound(skill, askerFor(cli, skill, options))
    return keepSkill(home, source, skill)
  })
}

/** `agent skills remove <skill>`. */
export async function remove(cli: Cli, name: string, { json, yes }: HubOptions): Promise<void> {
  const home = openHomeOf(cli)
  const [, locked] = namedIn(home, [name])[0] ?? []
  const isEdited = locked && stateOf(home, name, locked) === 'edited'
  if (isEdited && !yes && !(await confirm(cli, `You have edited ${name}. Delete it all the same?`))) return cli.out('Nothing was changed.')
  removeSkill(home, name)
  if (json) cli.json({ removed: name })
  else cli.out(`${name} is removed.`)
}
