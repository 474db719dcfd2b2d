// @module-tag process
import { expect, test } from 'vitest'
import { runAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

test('a group of commands alone says what it has, and so does help with its name', async () => {
  using home = openTestHome()
  for (const words of [['gateway'], ['help', 'gateway'], ['gateway', '--help']]) {
    const { code, out, note } = await runAgent(home, words)
    expect([code, note]).toEqual([0, ''])
    expect(out).toMatch(/Usage: agent gateway [\s\S]*start in the background/)
  }
  expect((await runHere(home, ['help', 'config', 'set'])).out).toMatch(/Usage: agent config set /)
  expect((await runHere(home, ['plugins'])).out).toMatch(/Usage: agent plugins /)
})

test('a mistyped word is answered in one line, and what is not built says so', async () => {
  using home = openTestHome()
  expect(await runHere(home, ['gateway', 'statuss'])).toMatchObject({
    ...{ code: 2, out: '' },
    note: 'agent: agent gateway has no command "statuss". Did you mean "status"? Try: agent gateway --help\n',
  })
  // A group whose first command needs no name has no other words either.
  expect((await runHere(home, ['sessions', 'show', 'x'])).note).toBe(
    'agent: agent sessions has no command "show". Try: agent sessions --help\n',
  )
  expect(await runHere(home, ['desktop'])).toMatchObject({ code: 2, note: 'agent: agent desktop is not part of this version yet.\n' })
})

test('no profile is called like a command', async () => {
  using home = openTestHome()
  for (const name of ['chat', 'update', 'help'])
    expect(await runHere(home, ['profile', 'create', name])).toMatchObject({
      code: 2,
      note: expect.stringContaining(`"${name}" is a command of agent`),
    })
  expect(await runHere(home, ['profile', 'create', 'work'])).toMatchObject({ code: 0 })
})

test('a command that fails with --json says so as JSON too', async () => {
  using home = openTestHome()
  const { code, out, note } = await runHere(home, ['plugins', 'why', 'nope', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(out)).toEqual({ error: { code: 'PLUGIN_NOT_FOUND', message: expect.stringContaining('"nope"') } })
  expect(note).toContain('"nope"')
  expect((await runHere(home, ['send', 'local', '--', 'no', '--json'])).out).not.toContain('"error"')
})
