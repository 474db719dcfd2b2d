// @module-tag process
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listFiles, root } from '../repo/source-files.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

test('the conversation of every skill that comes with the program passes', async () => {
  const skills = listFiles('skills', /\/SKILL\.md$/)
  const report = join(home.work, 'report.xml')
  const run = await runHere(home, ['eval', 'skills', '--jobs', '3', '--junit', report], { cwd: root })
  expect(run.out).toContain(`${skills.length} conversations with offline/offline: ${skills.length} passed, 0 failed.`)
  expect(run).toMatchObject({ code: 0, note: '' })
  for (const skill of skills) expect(run.out).toContain(`✓ ${skill.replace('SKILL.md', 'eval.yaml')}: `)
  expect(readFileSync(report, 'utf8')).toContain(`tests="${skills.length}" failures="0"`)
  expect(readdirSync(home.home)).toEqual(['.no-bundled-skills', 'cache'])
})

test('each of them fails without what its skill says, and names the skill, the file and what was expected', async () => {
  cpSync(join(root, 'skills'), join(home.work, 'skills'), { recursive: true })
  const skills = listFiles('skills', /\/SKILL\.md$/)
  for (const skill of skills) {
    const file = join(home.work, skill)
    const [head = ''] = /^---\n.*?\n---\n/s.exec(readFileSync(file, 'utf8')) ?? []
    writeFileSync(file, `${head}\nDo it well.\n`)
  }
  const run = await runHere(home, ['eval', 'skills', '--jobs', '3', '--json'], { cwd: home.work })
  expect(run.code).toBe(1)
  const { conversations } = JSON.parse(run.out) as {
    readonly conversations: readonly { readonly file: string; readonly problems: string[] }[]
  }
  for (const { file, problems } of conversations) {
    const name = file.split('/').at(-2)
    expect(problems, file).toEqual([
      expect.stringMatching(new RegExp(`^${file}:\\d+: step 1 of the script with the skill ${name} needs ".+" in what the model is given`)),
    ])
  }
  expect(conversations).toHaveLength(skills.length)
})

test('a skill that is empty or gone makes its conversation fail with a sentence that says where', async () => {
  const folder = join(home.work, 'git-work')
  cpSync(join(root, 'skills', 'development', 'git-work'), folder, { recursive: true })
  const problems = async (): Promise<string> => {
    const run = await runHere(home, ['eval', 'git-work'], { cwd: home.work })
    expect(run.code).toBe(1)
    return run.out
  }
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: git-work\ndescription: Work with git.\n---\n')
  expect(await problems()).toContain('git-work/eval.yaml:2: the skill git-work cannot be loaded: its SKILL.md ')
  rmSync(join(folder, 'SKILL.md'))
  expect(await problems()).toContain('git-work/eval.yaml:2: the skill git-work is not there: SKILL.md is missing')
  cpSync(join(root, 'skills', 'development', 'git-work', 'SKILL.md'), join(folder, 'SKILL.md'))
  const mended = await runHere(home, ['eval', 'git-work'], { cwd: home.work })
  expect(mended).toMatchObject({ code: 0, out: expect.stringContaining('mended: git-work/eval.yaml: ') })
})

test('no home gets the conversation of a skill, and the model hears nothing of it', async () => {
  rmSync(join(home.home, '.no-bundled-skills'))
  await runHere(home, ['chat', '-z', 'hello'])
  const seeded = join(home.home, 'skills', 'development', 'git-work')
  expect(existsSync(join(seeded, 'SKILL.md'))).toBe(true)
  expect(existsSync(join(seeded, 'eval.yaml'))).toBe(false)
  writeFileSync(join(seeded, 'eval.yaml'), 'name: mine\n')
  writeFileSync(join(seeded, 'more.md'), 'More.\n')
  const shown = (await runHere(home, ['skills', 'show', 'git-work'])).out
  expect(shown).toContain('more.md')
  expect(shown).not.toContain('eval.yaml')
})
