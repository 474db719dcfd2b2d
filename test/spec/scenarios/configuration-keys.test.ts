// @module-tag process
import { expect } from 'vitest'
import { runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'
import type { RequirementId } from '../requirements.ts'

interface Key {
  readonly id: RequirementId
  readonly key: string
  readonly unset: unknown
  readonly taken: readonly unknown[]
  /** Texts that `config set` refuses; a key that holds text takes every one. */
  readonly refused: readonly string[]
  /** One letter off. */
  readonly slip: string
}

const keys: readonly Key[] = [
  {
    id: 'config.display.interface',
    key: 'display.interface',
    unset: 'cli',
    taken: ['tui', 'cli'],
    refused: ['gui', '1'],
    slip: 'display.interfac',
  },
  {
    id: 'config.display.theme-mode',
    key: 'display.theme_mode',
    unset: 'system',
    taken: ['light', 'dark', 'system'],
    refused: ['blue', 'true'],
    slip: 'display.theme_mod',
  },
  {
    id: 'config.checkpoints.enabled',
    key: 'checkpoints.enabled',
    unset: false,
    taken: [true, false],
    refused: ['sometimes', '2'],
    slip: 'checkpoint.enabled',
  },
  {
    id: 'config.checkpoints.max-snapshots',
    key: 'checkpoints.max_snapshots',
    unset: 20,
    taken: [1, 500],
    refused: ['0', '-1', '2.5', 'many'],
    slip: 'checkpoints.max_snapshot',
  },
  {
    id: 'config.terminal.mount-cwd',
    key: 'terminal.container_mount_cwd_to_workspace',
    unset: false,
    taken: [true, false],
    refused: ['here', '3'],
    slip: 'terminal.container_mount_cwd_to_workspaces',
  },
  {
    id: 'config.auxiliary.compression-default',
    key: 'auxiliary.compression.provider',
    unset: 'auto',
    taken: ['openai', 'auto'],
    refused: [],
    slip: 'auxiliary.compression.providr',
  },
  {
    id: 'config.background-notifications.values',
    key: 'background_process_notifications',
    unset: 'all',
    taken: ['result', 'error', 'off', 'all'],
    refused: ['none', '1'],
    slip: 'background_process_notification',
  },
]

const get = async (home: TestHome, key: string, environment: Record<string, string> = {}): Promise<unknown> =>
  JSON.parse((await runHere(home, ['config', 'get', key, '--json'], { environment })).out)

/** The key in a separate file, its last part on the last line. */
function writeKey(home: TestHome, key: string, value: unknown): number {
  const lines = key.split('.').map((part, depth) => `${'  '.repeat(depth)}${part}:`)
  home.write('config.yaml', `${lines.join('\n')} ${JSON.stringify(value)}\n`)
  return lines.length
}

for (const { id, key, unset, taken, refused, slip } of keys) {
  proves(id, `${key} has a default, takes what it should, and refuses the rest with its place`, async () => {
    using home = openTestHome()
    expect(await get(home, key)).toEqual({ key, value: unset, source: 'default' })
    for (const value of taken) {
      expect(await runHere(home, ['config', 'set', key, String(value)])).toMatchObject({ code: 0 })
      expect(await get(home, key)).toEqual({ key, value, source: 'file' })
    }
    const before = home.read('config.yaml')
    for (const word of refused)
      expect(await runHere(home, ['config', 'set', key, word])).toMatchObject({ code: 1, note: expect.stringContaining(key) })
    expect(await runHere(home, ['config', 'set', slip, String(unset)])).toMatchObject({
      code: 1,
      note: expect.stringMatching(new RegExp(`mean.*${key.replaceAll('.', '\\.')}`)),
    })
    expect(home.read('config.yaml')).toBe(before)

    const line = writeKey(home, key, ['no', 'such', 'value'])
    const place = `${home.home}/config.yaml:${line}: `
    expect(await runHere(home, ['config', 'check'])).toMatchObject({ code: 1, out: expect.stringContaining(`${place}error: ${key}: `) })
    writeKey(home, key, null)
    expect(await get(home, key)).toEqual({ key, value: unset, source: 'default' })
  })
}

proves(
  ['config.background-notifications.environment', 'env.background-notifications'],
  'AGENT_BACKGROUND_NOTIFICATIONS beats the file, and a word that does not fit is named',
  async () => {
    using home = openTestHome()
    const key = 'background_process_notifications'
    writeKey(home, key, 'off')
    for (const value of ['all', 'result', 'error', 'off'])
      expect(await get(home, key, { AGENT_BACKGROUND_NOTIFICATIONS: value })).toMatchObject({
        ...{ value, source: 'environment', shadowedBy: 'AGENT_BACKGROUND_NOTIFICATIONS' },
      })
    const environment = { AGENT_BACKGROUND_NOTIFICATIONS: 'some' }
    expect(await get(home, key, environment)).toMatchObject({ value: 'off' })
    expect(await runAgent(home, ['chat', '-z', 'hello'], { environment })).toMatchObject({
      code: 1,
      note: expect.stringMatching(/AGENT_BACKGROUND_NOTIFICATIONS: must be one of all, result, error, off, not "some"/),
    })
    home.write('.env', 'AGENT_BACKGROUND_NOTIFICATIONS=error\n')
    expect(await get(home, key)).toMatchObject({ value: 'error', source: 'env-file' })
  },
)
