import { detailOf } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { readSkillCall } from './skill-commands.ts'
import type { AskedMore, SlashCall, TermRow } from './slash.ts'
import { findSlash, slashSkills } from './slash-table.ts'

const catalog = { of: () => [] } as unknown as Pick<Catalog, 'of'>

function deskOf(...names: readonly string[]) {
  return {
    known: () =>
      names.map((name) => ({
        name,
        description: `About ${name}.`,
        offered: name !== 'elsewhere',
        ...(name === 'all' ? { isBundle: true as const } : {}),
      })),
    view: async ({ name }: { readonly name: string }) => `How ${name} goes.`,
    bundle: async (name: string) => ({ name, description: '', skills: ['git-work', 'Tea'], instruction: 'Together:' }),
  }
}
const skills = deskOf('git-work', 'code.review', 'Tea', 'a1', 'b2', 'c3', 'd4', 'elsewhere', 'stop')

/** What a line says, and what it asks of the agent. */
async function give(line: string, known = skills) {
  const said: string[] = []
  const rows: TermRow[] = []
  const asked: (AskedMore & { readonly text: string })[] = []
  const found = findSlash({ catalog, skills: known }, line, 'cli')
  const door = {
    surface: 'cli',
    interrupt: () => true,
    say: (text: string) => said.push(text),
    sayRows: (each: readonly TermRow[]) => rows.push(...each),
    ask: (text: string, more?: AskedMore) => void asked.push({ text, ...more }),
  }
  try {
    await found?.command.run({ args: found.args, door, services: { catalog, skills: known } } as unknown as SlashCall)
  } catch (error) {
    said.push(detailOf(error))
  }
  return { said, asked, rows, asks: found?.command.asks }
}

test('a skill is followed in the turn that its text is said in', async () => {
  const text = 'Follow these skills.\n\n# git-work\n\nHow git-work goes.'
  expect(await give('/git-work look at it')).toMatchObject({ asks: true, said: [], asked: [{ text: 'look at it', instructions: text }] })
  expect((await give('/git_work')).asked).toEqual([{ text: 'Follow the skill git-work.', instructions: text }])
})

test('several stand in a row, each of them once', async () => {
  const { asked } = await give('/git-work /CODE-REVIEW /git-work\n/tea look /at it')
  expect(asked).toEqual([
    {
      text: 'look /at it',
      instructions:
        'Follow these skills.\n\n# git-work\n\nHow git-work goes.\n\n# code.review\n\nHow code.review goes.\n\n# Tea\n\nHow Tea goes.',
    },
  ])
  expect((await give('/git-work /tea')).asked).toMatchObject([{ text: 'Follow the skills git-work, Tea.' }])
})

test('a name that is nearly one is asked about, any other word is text', async () => {
  expect(await give('/git-work /code-reviw x')).toMatchObject({
    said: [expect.stringMatching(/^There is no skill "code-reviw"\. Did you mean "code-review"\?/)],
    asked: [],
  })
  expect((await give('/git-work /somethingelse is full')).asked).toMatchObject([{ text: '/somethingelse is full' }])
  expect((await give('/git-work /etc/hosts')).asked).toMatchObject([{ text: '/etc/hosts' }])
})

test('where a slash means nothing else, only a skill in front of the text counts', async () => {
  expect(await readSkillCall(skills, ' /tea make it')).toEqual({ text: 'make it', instructions: expect.stringContaining('How Tea goes.') })
  for (const line of ['/teaa make it', '/etc/hosts', 'make /tea', '/help', '']) expect(await readSkillCall(skills, line)).toBeUndefined()
})

test('a bundle gives its skills after its instruction, each of them once', async () => {
  const known = deskOf('all', 'git-work', 'Tea')
  const follow = 'Follow these skills.\n\n'
  const [first, second] = ['# git-work\n\nHow git-work goes.', '# Tea\n\nHow Tea goes.']
  expect((await give('/all make it', known)).asked).toEqual([
    { text: 'make it', instructions: `${follow}Together:\n\n${first}\n\n${second}` },
  ])
  expect((await give('/tea /all x', known)).asked).toMatchObject([{ instructions: `${follow}${second}\n\nTogether:\n\n${first}` }])
})

test('of one name the first counts, which is that of a bundle', () => {
  const known = () => [
    { name: 'tea', description: 'Bundle', offered: true },
    { name: 'soup', description: '', offered: true },
    { name: 'Tea', description: 'Skill', offered: true },
  ]
  expect(slashSkills({ catalog, skills: { ...skills, known } }).map(({ name, summary }) => [name, summary])).toEqual([
    ['tea', 'Bundle'],
    ['soup', ''],
  ])
})

test('more than five at once are too many', async () => {
  expect((await give('/git-work /tea /a1 /b2 /c3 x')).asked).toHaveLength(1)
  const line = '/git-work /tea /a1 /b2 /c3 /d4 x'
  expect(await give(line)).toMatchObject({ said: ['At most 5 skills are followed at once.'], asked: [] })
  await expect(readSkillCall(skills, line)).rejects.toMatchObject({ code: 'SKILLS_TOO_MANY' })
})

test('a command wins over a skill of its name, and skills of other surroundings are offered nowhere', async () => {
  expect((await give('/stop')).asked).toEqual([])
  expect((await give('/elsewhere')).asked).toHaveLength(1)
  const offered = slashSkills({ catalog, skills }).map(({ name }) => name)
  expect(offered).toEqual(['git-work', 'code-review', 'tea', 'a1', 'b2', 'c3', 'd4'])
})

test('help tells of them in one line, and lists them where that is asked for', async () => {
  expect((await give('/help')).rows.at(-1)).toEqual(['/<skill> [text]', 'Work by a skill; /help skills lists all 7'])
  expect((await give('/help Skills')).rows[0]).toEqual(['/git-work [text]', 'About git-work.'])
  expect((await give('/help', deskOf())).rows.some(([term]) => term.includes('skill>'))).toBe(false)
  expect((await give('/help skills', deskOf())).said).toEqual(['There are no skills here.'])
})
