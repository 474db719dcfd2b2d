import { fail } from '../../../contract/errors.ts'
import type { PanelHost } from '../../../contract/panel.ts'

type Hub = PanelHost['skillHub']
type Offer = Awaited<ReturnType<Hub['inspect']>>[number]
type Installed = Awaited<ReturnType<Hub['installed']>>[number]

const source = 'https://skills.example'

/** A source with a skill that is safe, one that asks for a look and one that is dangerous; of the first, an older one is installed. */
export function createTestSkillHub(need: () => void): Hub {
  const offer = (name: string, verdict: Offer['verdict'], ...findings: readonly string[]): Offer => ({
    ...{ name, hash: `hash-of-${name}`, resolved: `${source}/index.json`, verdict, findings },
    ...{ description: `Makes ${name}.`, files: ['SKILL.md'] },
  })
  const offers = [
    offer('tea', 'safe'),
    offer('coffee', 'caution', 'grind.sh is a script, which the agent may run'),
    offer('poison', 'dangerous', 'SKILL.md:5 wants to take over the agent ("obey")'),
  ]
  const about = { source, resolved: 'version 1', installedAt: 1_700_000_000_000 }
  const installed = new Map<string, Installed>([['tea', { name: 'tea', ...about, state: 'unchanged', verdict: 'safe', findings: [] }]])
  const newest = new Set<string>()
  const offered = (from: string): readonly Offer[] => {
    if (from !== source) throw fail('PLUGIN_FETCH', { what: from, detail: 'nothing is there' })
    return offers
  }
  const find = (from: string, skill: string): Offer => {
    const found = offered(from).find(({ name }) => name === skill)
    if (!found) throw fail('SKILL_NOT_FOUND', { skill })
    return found
  }
  const known = (skill: string): Installed => {
    const found = installed.get(skill)
    if (!found) throw fail('SKILL_NOT_INSTALLED', { skill })
    return found
  }
  return {
    installed: async () => {
      need()
      return [...installed.values()]
    },
    inspect: async (wanted) => {
      need()
      return wanted.skill === undefined ? offered(wanted.source) : [find(wanted.source, wanted.skill)]
    },
    check: async ({ skill }) => {
      need()
      const wanted = skill === undefined ? [...installed.values()] : [known(skill)]
      return wanted.map(({ name, state }) => ({ name, state: state !== 'unchanged' ? state : newest.has(name) ? 'current' : 'newer' }))
    },
    install: async ({ source: from, skill, hash }) => {
      need()
      const { verdict, findings, resolved, ...found } = find(from, skill)
      if (verdict === 'dangerous') throw fail('SKILL_REFUSED', { skill, problem: findings.join('; ') })
      if (found.hash !== hash) throw fail('SKILL_REFUSED', { skill, problem: 'its source has something else now' })
      const what = !installed.has(skill) ? 'installed' : newest.has(skill) ? 'same' : 'updated'
      installed.set(skill, { name: skill, ...about, resolved, state: 'unchanged', verdict, findings })
      newest.add(skill)
      return what
    },
    remove: async ({ skill }) => {
      need()
      installed.delete(known(skill).name)
    },
  }
}

/** Two changes that wait. */
export function createTestProposals(need: () => void): PanelHost['skillProposals'] {
  const about = { at: 1_700_000_000_000, for: 'you' }
  let waiting = [
    { id: 'skl_1', ...about, change: 'make the skill tea' },
    { id: 'skl_2', ...about, change: 'delete the skill milk' },
  ]
  const find = (id: string): (typeof waiting)[number] => {
    need()
    const found = waiting.find((each) => each.id === id)
    if (!found) throw fail('SKILL_PENDING_UNKNOWN', { id })
    return found
  }
  return {
    list: async () => {
      need()
      return waiting
    },
    diff: async ({ id }) => `--- /dev/null\n+++ b/${find(id).id}\n+Boil water.\n`,
    decide: async ({ id }) => {
      const { change } = find(id)
      waiting = waiting.filter((each) => each.id !== id)
      return change
    },
  }
}
