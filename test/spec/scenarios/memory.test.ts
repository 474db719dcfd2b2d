// @module-tag process
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const remember = (content: string, target = 'memory'): string => `call memory ${JSON.stringify({ action: 'add', target, content })}`

async function agent(home: TestHome, ...words: readonly string[]): Promise<string> {
  const run = await runHere(home, words)
  expect(run).toMatchObject({ code: 0 })
  return run.out
}

/** The prompt of the newest session. */
async function promptOf(home: TestHome): Promise<string> {
  const { sessions } = JSON.parse(await agent(home, 'sessions', 'list', '--json'))
  const [line = ''] = (await agent(home, 'sessions', 'export', sessions[0].id)).split('\n')
  return JSON.parse(line).session.system
}

proves(
  'purpose.memory',
  'what the agent is told to remember begins later sessions, in files that people edit, and can wait for approval',
  async () => {
    using home = openTestHome()
    const file = join(home.home, 'memories', 'MEMORY.md')
    expect(await agent(home, 'memory')).toContain('Nothing is remembered yet.')
    await agent(home, 'chat', '-z', 'hello')
    expect(await promptOf(home)).not.toContain('remembered')
    expect(existsSync(join(home.home, 'memories'))).toBe(false)
    expect(await agent(home, 'chat', '-z', remember('Prefers tea.'))).toContain('memory has 1 entry now')
    writeFileSync(file, `${readFileSync(file, 'utf8')}§\nLives in Rome.\n`)
    await agent(home, 'chat', '-z', 'hello')
    expect(await promptOf(home)).toContain('MEMORY (your notes) [1% — 29/2,200 chars]\nPrefers tea.\n§\nLives in Rome.')
    await agent(home, 'chat', '--ignore-rules', '-z', 'hello')
    expect(await promptOf(home)).not.toContain('tea')

    expect(await agent(home, 'memory', 'approval', 'on')).toContain('waits for approval')
    expect(await agent(home, 'chat', '-z', remember('Likes jazz.'))).toMatch(/It waits for the approval of a person as mem_/)
    await agent(home, 'chat', '-z', remember('Hates jazz.', 'user'))
    const waiting = readdirSync(join(home.home, 'pending', 'memory'))
      .map((name) => name.replace('.json', ''))
      .sort()
    expect(waiting).toHaveLength(2)
    expect(await agent(home, 'memory', 'pending')).toMatch(new RegExp(`^${waiting[0]} \\(.*, of you\\)\\n  add to memory: Likes jazz\\.`))
    expect(await agent(home, 'memory', 'approve', waiting[0] ?? '')).toContain('is remembered')
    expect(await agent(home, 'memory', 'reject', 'all')).toContain('is dropped: add to user: Hates jazz.')
    expect(await agent(home, 'memory')).toMatch(
      /memory \(2% — 43\/2,200 chars\)\n- Prefers tea\.\n- Lives in Rome\.\n- Likes jazz\.\n\nChanges wait for approval\./,
    )
    expect(await runHere(home, ['memory', 'approve', 'mem_x'])).toMatchObject({ code: 1, note: expect.stringContaining('"mem_x"') })
    await agent(home, 'memory', 'approval', 'off')
    expect(readFileSync(join(home.home, 'config.yaml'), 'utf8')).toContain('write_approval: false')
    await agent(home, 'config', 'set', 'memory.provider', 'none')
    expect(await agent(home, 'chat', '-z', remember('x'))).toContain('There is no tool "memory"')
  },
)

proves(
  'slash.memory',
  '/memory shows what is remembered, decides about what waits, and switches the approval for the same run',
  async () => {
    using home = openTestHome()
    const lines = [
      ...['/memory', remember('Prefers tea.'), '/memory', '/memory approval on', '/memory approval'],
      ...['/memory pending', '/memory reject all', '/memory shwo', '/memory approve', '/memory approval off'],
    ]
    const { out, note } = await runHere(home, ['chat', '--cli'], { input: `${lines.join('\n')}\n` })
    expect(out).toContain('Nothing is remembered yet.')
    expect(out).toContain('memory (1% — 12/2,200 chars)\n- Prefers tea.')
    expect(out.match(/waits for approval: \/memory pending lists it/g)).toHaveLength(2)
    expect(out.match(/No change of the memory waits\./g)).toHaveLength(2)
    expect(note).toContain('There is no "shwo" among show, pending, approve, reject and approval. Try: /memory pending')
    expect(note).toContain('Say which change is meant.')
    expect(out).toContain('is remembered at once')
  },
)

proves('purpose.memory', 'a provider that runs in a child keeps its files in the home, with a sandbox and without', async () => {
  using home = openTestHome()
  const read = (): string => readFileSync(join(home.home, 'memories', 'MEMORY.md'), 'utf8')
  for (const [sandbox, words] of [
    ['off', 'Prefers tea.'],
    ['bwrap', 'Lives in Rome.'],
  ] as const) {
    home.write('config.yaml', JSON.stringify({ plugins: { entries: { 'memory-files': { isolation: 'process', sandbox } } } }))
    expect(await agent(home, 'chat', '-z', remember(words))).toContain('now')
    expect(read()).toContain(words)
    expect(await agent(home, 'memory')).toContain(words)
  }
})
