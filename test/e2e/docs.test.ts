// @module-tag process
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText } from '../repo/source-files.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

test('the toolset of the SDK documentation builds, is linked, and rolls', async () => {
  const folder = join(home.work, 'toolset-dice')
  for (const [, name = '', code = ''] of readText('plugin-sdk/docs/toolset.md').matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
  expect(await runHere(home, ['plugins', 'build', folder])).toMatchObject({ code: 0 })
  mkdirSync(join(home.home, 'plugins', 'local'), { recursive: true })
  symlinkSync(folder, join(home.home, 'plugins', 'local', 'toolset-dice'))
  expect((await runHere(home, ['chat', '-z', 'call roll_die {"sides": 6}'])).out).toMatch(/^[1-6]$/m)
  expect((await runHere(home, ['chat', '-z', 'call roll_die {"sides": 1}'])).out).toContain('one side')
})

test('the provider of the SDK documentation is found, and on once it is enabled', async () => {
  const [, manifest = ''] = /^```json\n([\s\S]*?)^```$/m.exec(readText('plugin-sdk/docs/README.md')) ?? []
  home.write('plugins/local/provider-mine/agent.plugin.json', manifest)
  const reason = async (): Promise<unknown> => JSON.parse((await runHere(home, ['plugins', 'why', 'mine', '--json'])).out).plugins[0].reason
  expect(await reason()).toBe('not-enabled')
  expect(await runHere(home, ['plugins', 'enable', 'provider-mine'])).toMatchObject({ code: 0 })
  expect(await reason()).toBeNull()
  expect(await runHere(home, ['model', 'mine', '--no-try'])).toMatchObject({ code: 0, out: expect.stringContaining('mine-large') })
})
