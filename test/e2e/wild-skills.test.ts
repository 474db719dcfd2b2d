// @module-tag process
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const fixtures = join(import.meta.dirname, 'fixtures', 'wild-skills')

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const run = (...words: string[]) => runHere(home, ['skills', ...words])

/** A repository with these files, as people publish skills. */
function publish(folder: string): string {
  const repository = join(home.work, 'repository')
  cpSync(folder, repository, { recursive: true })
  const git = (...words: string[]) => execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@x.example', ...words])
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '-m', 'skills')
  return `git+file://${repository}`
}

test('a pack in the format that others publish is looked at, installed, listed with all that it says, and read file by file', async () => {
  const source = publish(join(fixtures, 'pack'))
  const looked = JSON.parse((await run('inspect', source, '--json')).out) as {
    skills: { name: string; verdict: string; files: string[] }[]
  }
  expect(looked.skills.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['meeting-report', 'caution'],
    ['paper-watch', 'safe'],
  ])
  const files = ['SKILL.md', 'assets/mark.svg', 'examples/short.md', 'references/format.md', 'scripts/split.sh', 'templates/report.md']
  expect(looked.skills[0]?.files).toEqual(files)
  expect(await run('install', source, 'meeting-report', 'paper-watch', '--yes')).toMatchObject({ code: 0 })
  const folder = join(home.home, 'skills', 'meeting-report')
  for (const file of files)
    expect(readFileSync(join(folder, file))).toEqual(readFileSync(join(fixtures, 'pack/skills/productivity/meeting-report', file)))

  const { skills, broken } = JSON.parse((await run('list', '--json')).out) as { skills: object[]; broken: object[] }
  expect(broken).toEqual([])
  expect(skills).toMatchObject([
    {
      ...{ name: 'meeting-report', description: 'Turn a recording of a meeting into a report, and file it.', command: '/meeting-report' },
      ...{ platforms: ['linux', 'macos'], environments: [], related: ['paper-watch'], offered: true },
      variables: [{ name: 'REPORT_TOKEN', prompt: 'Token of the report server' }, { name: 'REPORT_KEY' }],
      credentialFiles: [
        { path: 'reports/client_secret.json', description: 'OAuth client of the report server' },
        { path: 'reports/token.json' },
      ],
      requires: { toolsets: ['terminal'], tools: ['read_file'] },
      fallbackFor: { toolsets: ['report-server'], tools: ['file_report'] },
      settings: [{ key: 'reports.folder', default: '~/reports' }, { key: 'reports.language' }],
      blueprint: { title: 'Weekly report' },
    },
    { name: 'paper-watch', description: 'Watch for new papers: title, authors, what is new', platforms: ['linux'] },
  ])
  const shown = (await run('show', 'meeting-report')).out
  for (const part of [
    'Compare with `examples/short.md`',
    `bash ${folder}/scripts/split.sh`,
    'REPORT_TOKEN, REPORT_KEY',
    'reports.folder (Folder for finished reports) is ~/reports',
    '- templates/report.md',
    'Related skills: paper-watch',
  ])
    expect(shown).toContain(part)
  expect((await run('show', 'paper-watch')).out).toBe('Look once a week.\n')

  const calls = files.map((file) => ({ name: 'skill_view', args: JSON.stringify({ name: 'meeting-report', file }) }))
  await using server = await startFakeOpenai({ key: 'sk-right', answers: [{ text: 'I read.', calls }, { text: 'Done.' }] })
  const environment = { CUSTOM_API_KEY: 'sk-right', CUSTOM_BASE_URL: server.url }
  expect(await runHere(home, ['chat', '-z', 'read', '--provider', 'custom', '-m', 'fake-model'], { environment })).toMatchObject({
    code: 0,
  })
  const heard = JSON.stringify(server.requests[1]?.body)
  for (const part of ['{{decisions}}', '<circle', 'Ann orders it', 'Decisions first', 'split $1']) expect(heard).toContain(part)
})

const sentences: Readonly<Record<string, string>> = {
  'no-frontmatter': 'does not begin with frontmatter between two lines of ---',
  unclosed: 'does not begin with frontmatter between two lines of ---',
  'no-yaml': 'has frontmatter that is not valid YAML',
  'no-fields': 'has frontmatter without fields',
  'no-name': 'needs a name of at most 64 letters, digits, dots, hyphens and underscores',
  'long-name': 'needs a name of at most 64 letters, digits, dots, hyphens and underscores',
  'name-with-path': 'needs a name of at most 64 letters, digits, dots, hyphens and underscores',
  'no-description': 'needs a description',
  'long-description': 'has a description of more than 1024 characters',
  'no-instructions': 'has no instructions below its frontmatter',
  'odd-platforms': 'has platforms that are no list of words',
  'odd-environments': 'has environments that are no list of words',
  'odd-relations': 'has related_skills that are no list of words',
  'odd-variables': 'has required_environment_variables that are no list of names',
  'odd-files': 'has required_credential_files that are no list of paths inside of the home',
  'odd-gates': 'has requires_toolsets that are no list of words',
  'odd-config': 'has a config in its metadata that is no list of settings, each with a key',
  'no-text': 'is no text',
  'too-large': 'is larger than 64 KiB',
}

test('each malformed skill is refused with its sentence, where it is installed and where it lies in the home, and the others work', async () => {
  const malformed = join(home.work, 'malformed')
  cpSync(join(fixtures, 'malformed'), malformed, { recursive: true })
  mkdirSync(join(malformed, 'too-large'))
  writeFileSync(join(malformed, 'too-large', 'SKILL.md'), `---\nname: too-large\ndescription: x\n---\n${'x'.repeat(70_000)}\n`)
  expect(readdirSync(malformed).sort()).toEqual(Object.keys(sentences).sort())
  cpSync(join(fixtures, 'pack/skills/research/paper-watch'), join(malformed, 'paper-watch'), { recursive: true })

  const source = publish(malformed)
  const { out } = await run('inspect', source)
  for (const [name, sentence] of Object.entries(sentences)) {
    expect(out).toContain(`${name}: no skill: its SKILL.md ${sentence}`)
  }
  for (const name of ['no-yaml', 'odd-gates']) {
    const refused = await run('install', source, 'paper-watch', name, '--yes')
    expect(refused).toMatchObject({ code: 1, note: expect.stringContaining(`its SKILL.md ${sentences[name]}`) })
  }
  expect(existsSync(join(home.home, 'skills', 'paper-watch'))).toBe(false)

  cpSync(malformed, join(home.home, 'skills'), { recursive: true })
  const list = await run('list')
  for (const [name, sentence] of Object.entries(sentences))
    expect(list.note).toContain(`${join(home.home, 'skills', name, 'SKILL.md')} ${sentence}`)
  expect(list.out).toMatch(/^paper-watch +home +Watch for new papers/)
  expect(list.out.trim().split('\n')).toHaveLength(1)
})
