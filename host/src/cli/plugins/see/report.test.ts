import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPluginFolder, type PluginFolder, platformOf } from '#kernel/testing/plugin-folder.ts'
import { runCommand } from '../../../../../test/support/test-cli.ts'
import { command } from '../../commands/plugins.ts'

let folder: PluginFolder
beforeEach(() => {
  folder = openPluginFolder()
  const env = [{ name: 'NOTE_TOKEN', prompt: 'Token', secret: true, required: false }]
  folder.add('local', { id: 'platform-note', contributes: platformOf('note') as never, env } as never)
})
afterEach(() => folder[Symbol.dispose]())

const run = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand((cli) => command({ ...cli, installRoot: join(folder.root, 'install') }), words, {
    environment: { AGENT_HOME: folder.home, ...environment },
  })
const line = (msg: string, fields: object): string =>
  `${JSON.stringify({ level: 'warn', time: 1, pid: 1, name: 'gateway', fields, msg })}\n`

test('a report has what an author asks for first, and nothing of the person', async () => {
  folder.write(
    join(folder.home, 'config.yaml'),
    'plugins: { entries: { platform-note: { enabled: true, config: { owner: ann@example.org, room: 491701234567, most: 20 } } } }\n',
  )
  const own = [
    line(`it could not read ${folder.home}/notes with sesame-open-1`, { platform: 'note' }),
    line('a message of +491701234567 was refused', { plugin: 'platform-note' }),
  ]
  folder.write(join(folder.home, 'logs', 'gateway.log'), [line('elsewhere', { platform: 'other' }), ...own].join(''))
  const { code, out, note } = await run(['report', 'note'], { NOTE_TOKEN: 'sesame-open-1' })
  expect(code).toBe(0)
  expect(note).toContain('Read it before you give it away')
  for (const wanted of [
    /^# Report on platform-note /m,
    /^- node: v\d+/m,
    /^- NOTE_TOKEN: set$/m,
    /^## State$/m,
    /<home>\/notes/,
    /of <number> was/,
  ])
    expect(out).toMatch(wanted)
  expect(out).toContain('"owner": "<address>"')
  expect(out).toMatch(/"room": "<number>",\s+"most": 20/)
  for (const hidden of ['sesame', folder.home, 'ann@', '49170', 'elsewhere']) expect(out).not.toContain(hidden)
})

test('it is JSON where that is asked for, with as many lines as are wanted', async () => {
  folder.write(join(folder.home, 'logs', 'gateway.log'), ['one', 'two'].map((msg) => line(msg, { platform: 'note' })).join(''))
  const report = async (count: string) => JSON.parse((await run(['report', 'platform-note', '-n', count, '--json'])).out)
  expect(await report('1')).toMatchObject({
    plugin: 'platform-note',
    variables: { NOTE_TOKEN: 'not set' },
    log: [expect.stringContaining('two')],
  })
  expect((await report('0')).log).toEqual([])
  expect(await run(['report', 'note', '-n', 'all'])).toMatchObject({ code: 2 })
  expect((await run(['report', 'no-such'])).code).not.toBe(0)
})

test('a plugin of which nothing was written down says so', async () => {
  expect((await run(['report', 'note'])).out).toContain('The gateway has written nothing down about it.')
})
