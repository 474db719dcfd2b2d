import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fail } from '../../contract/errors.ts'
import { parseSkill, type Skill, skillFileLimit } from '../../contract/skill.ts'
import type { ContractCase, ReadOptions } from './stage.ts'

/** A longer one is cut in the prompt. */
const longestDescription = 160
const largestFolder = 1_048_576

/** The rules of a skill; all of them read files only. */
export function skillsContract({ root, manifest, contribution }: ReadOptions): readonly ContractCase[] {
  const { path = '' } = manifest.contributes.skills.find(({ id }) => id === contribution) ?? {}
  const folder = join(root, path)
  const rule = (name: string, title: string, find: () => Promise<string>): ContractCase => ({
    rule: name,
    title,
    run: async () => {
      const problem = await find()
      if (problem !== '') throw fail('CONTRACT_BROKEN', { plugin: manifest.id, rule: name, problem })
    },
  })
  return [
    rule('frontmatter', 'SKILL.md begins with valid frontmatter, and has instructions', async () => (await read(folder)).problem),
    rule('name', 'it is called as its folder', async () => {
      const { skill } = await read(folder)
      return skill === undefined || skill.name === contribution ? '' : `${path}/SKILL.md says that it is ${skill.name}`
    }),
    rule('description', 'its description fits into the prompt', async () => {
      const { length = 0 } = (await read(folder)).skill?.description ?? ''
      return length <= longestDescription ? '' : `the description has ${length} characters; more than ${longestDescription} are cut`
    }),
    rule('links', 'every file that it links to is there and can be read', async () => findBadLink(folder, (await read(folder)).skill)),
    rule('inside', 'nothing of it lies outside of its folder', async () => findStray(folder)),
    rule('size', 'its files are small', async () => {
      const size = listFiles(folder).reduce((sum, file) => sum + lstatSync(file).size, 0)
      return size <= largestFolder ? '' : `its files have ${size} bytes; the most are ${largestFolder}`
    }),
  ]
}

async function read(folder: string): Promise<{ readonly skill?: Skill; readonly problem: string }> {
  const file = join(folder, 'SKILL.md')
  if (!existsSync(file)) return { problem: `${file} is missing` }
  if (statSync(file).size > skillFileLimit) return { problem: `SKILL.md is larger than ${skillFileLimit / 1024} KiB` }
  const { parse } = await import('yaml')
  const parsed = parseSkill(readFileSync(file, 'utf8'), (text) => parse(text))
  return parsed.ok ? { skill: parsed.skill, problem: '' } : { problem: `SKILL.md ${parsed.problem}` }
}

/** Links in the text; what stands in code is none. */
function findBadLink(folder: string, skill: Skill | undefined): string {
  const text = (skill?.text ?? '').replaceAll(/^ *```.*?^ *```/gms, '').replaceAll(/`[^`\n]*`/g, '')
  const targets = [...text.matchAll(/\]\(<?([^)>\s]+)/g)].map(([, target = '']) => target.replace(/#.*$/, ''))
  for (const target of targets) {
    if (target === '' || /^[a-z][a-z0-9+.-]*:/i.test(target)) continue
    const file = join(folder, target)
    if (!file.startsWith(folder + sep)) return `it links to ${target}, which is not its own`
    if (!existsSync(file)) return `it links to ${target}, which is not there`
    if (statSync(file).isFile() && statSync(file).size > skillFileLimit)
      return `it links to ${target}, which is larger than ${skillFileLimit / 1024} KiB`
  }
  return ''
}

function findStray(folder: string): string {
  if (!existsSync(folder)) return ''
  const own = realpathSync(folder)
  const stray = listFiles(folder).find((file) => !existsSync(file) || !realpathSync(file).startsWith(own + sep))
  return stray === undefined ? '' : `${stray.slice(folder.length + 1)} leads out of it`
}

function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
}
