import { printable } from '#observe/printable.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { openSkills } from '#rpc/skills/open-home-skills.ts'
import { lookAround } from '#skills/here.ts'
import { optionalFolder } from '#skills/hub/optional-skills.ts'
import { createSkills } from '#skills/open-skills.ts'
import { readSkillLock, stateOf } from '#skills/skill-lock.ts'
import { type Cli, formatTable, paint } from '../../console/cli.ts'

/** `agent skills list --optional`: each with the words that install it. */
export async function listOptional(cli: Cli, { json }: { readonly json?: true }): Promise<void> {
  const here = lookAround(process.platform)
  const optional = createSkills({ home: optionalFolder(cli.installRoot), others: () => [], here, log: { warn: cli.note } })
  const home = openHomeOf(cli)
  const lock = readSkillLock(home)
  const mine = new Set((await (await openSkills(cli)).index()).skills.map(({ name }) => name))
  const stateOfOne = (name: string): 'installed' | 'yours' | 'absent' => {
    const locked = Object.hasOwn(lock, name) ? lock[name] : undefined
    if (locked?.source === `optional:${name}` && stateOf(home, name, locked) !== 'missing') return 'installed'
    return mine.has(name) ? 'yours' : 'absent'
  }
  const rows = (await optional.index()).skills.map(({ name, category, description }) => ({
    ...{ name, category: category ?? null, description, source: `optional:${name}`, state: stateOfOne(name) },
  }))
  if (json) return cli.json({ skills: rows })
  cli.out(formatTable(rows.map(({ name, state, description }) => [paint(cli, 'cyan', name), words[state], printable(description)])))
  cli.out('agent skills install optional:<name> puts one into this home.')
}

const words = { installed: 'installed', yours: 'you have one of this name', absent: 'optional' } as const
