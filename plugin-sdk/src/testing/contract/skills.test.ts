import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openPluginFolder } from '../../build/plugin-folder.ts'
import { manifestSchema } from '../../kinds/manifest.ts'
import { skillsContract } from './skills.ts'

const manifest = manifestSchema.parse({
  ...{ manifestVersion: 1, id: 'skills-kitchen', name: 'Kitchen', description: 'd', version: '1.0.0', license: 'MIT', api: { skills: 1 } },
  contributes: { skills: [{ id: 'tea', path: 'skills/tea' }] },
})

const sound = {
  'skills/tea/SKILL.md':
    '---\nname: tea\ndescription: Makes tea.\n---\nRead [the sorts](sorts.md#green), [more](https://a.example), `[not](this.md)`.\n\n```md\n[nor](that.md)\n```\n',
  'skills/tea/sorts.md': 'green',
}

/** The rules that are broken, with what is said of each. */
async function findings(files: Readonly<Record<string, string>>, outside?: string): Promise<string[]> {
  await using folder = await openPluginFolder({ ...sound, ...files })
  if (outside !== undefined) symlinkSync(join(folder.dir, outside), join(folder.dir, 'skills/tea/link'))
  const found: string[] = []
  for (const { rule, run } of skillsContract({ root: folder.dir, manifest, contribution: 'tea' }))
    await run().catch((error: Error) => found.push(`${rule}: ${error.message}`))
  return found
}

test('a sound skill keeps every rule', async () => {
  expect(await findings({})).toEqual([])
  expect(await findings({}, 'skills/tea/sorts.md')).toEqual([])
})

const skill = (text: string, head = 'name: tea\ndescription: Makes tea.'): Record<string, string> => ({
  'skills/tea/SKILL.md': `---\n${head}\n---\n${text}\n`,
})

test.each([
  ['frontmatter that is none', { 'skills/tea/SKILL.md': '# Tea' }, /^frontmatter: .*does not begin with frontmatter/],
  ['no instructions', skill(''), /^frontmatter: .*no instructions/],
  ['instructions that are too long', skill('x'.repeat(65_536)), /^frontmatter: .*larger than 64 KiB/],
  ['another name', skill('Boil.', 'name: coffee\ndescription: x'), /^name: .*says that it is coffee/],
  ['a long description', skill('Boil.', `name: tea\ndescription: ${'x'.repeat(161)}`), /^description: .*161 characters/],
  ['a link to nothing', skill('[a](gone.md)'), /^links: .*gone\.md, which is not there/],
  ['a link to what is not its own', skill('[a](../../package.json)'), /^links: .*not its own/],
  [
    'a link to what nobody can read',
    { ...skill('[a](long.md)'), 'skills/tea/long.md': 'x'.repeat(65_537) },
    /^links: .*larger than 64 KiB/,
  ],
  ['much ballast', { 'skills/tea/data.csv': 'x'.repeat(1_048_577) }, /^size: /],
])('%s breaks its own rule and only that', async (_name, files, problem) => {
  expect(await findings(files)).toEqual([expect.stringMatching(problem)])
})

test('a link out of the folder is found, also one that ends nowhere', async () => {
  expect(await findings({}, 'package.json')).toEqual([expect.stringMatching(/^inside: .*link leads out of it/)])
  expect(await findings({}, 'nowhere')).toEqual([expect.stringMatching(/^inside: /)])
})

test('a skill that is not there is said to be missing', async () => {
  await using folder = await openPluginFolder({})
  const [first] = skillsContract({ root: folder.dir, manifest, contribution: 'tea' })
  await expect(first?.run()).rejects.toThrow('SKILL.md is missing')
})
