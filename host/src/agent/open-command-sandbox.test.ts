import { expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { SandboxLevel } from '#kernel/sandbox/sandbox-level.ts'
import { openTestHome } from '../../../test/support/test-home.ts'
import { openCommandSandboxes } from './open-command-sandbox.ts'

const works: SandboxLevel = { works: true, kind: 'bwrap', program: '/bin/bwrap', flags: [] }
const broken: SandboxLevel = { works: false, reason: 'there is no bwrap', fix: 'install it' }

/** How a program would be started that a toolset of this source asks for. */
async function prepared(source: 'bundled' | 'local', level: SandboxLevel, hasChildren: boolean, outside = false) {
  using home = openTestHome()
  const { environment } = home
  const own = openHome({ environment })
  const loaded = await loadConfig(own, environment)
  const sandboxes = openCommandSandboxes({ home: own, loaded, environment, sandbox: { level: async () => level }, hasChildren })
  const manifest = { id: 'toolset-x', permissions: { host: { value: ['sandbox'], reason: 'x' } } }
  const { prepare, explain } = sandboxes.of({ kind: 'toolset', plugin: { manifest, source } } as unknown as Contribution)
  const ended = { session: 's', workspace: home.work, command: 'ls', output: '', failed: false }
  try {
    expect(await explain(ended)).toBeUndefined()
    return await prepare({ session: 's', workspace: home.work, argv: ['/bin/ls', '-l'], outside })
  } finally {
    await sandboxes.close()
  }
}

test('what a plugin in a sandbox starts stays in that one, and cannot be started outside of it', async () => {
  const inside = { file: '/bin/ls', args: ['-l'], contained: true, infoPipe: null }
  expect(await prepared('local', works, true)).toMatchObject(inside)
  await expect(prepared('local', works, true, true)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('what any other starts gets its own sandbox, where there is one, or none', async () => {
  for (const [source, hasChildren] of [
    ['bundled', true],
    ['local', false],
  ] as const) {
    expect(await prepared(source, works, hasChildren)).toMatchObject({ file: '/bin/bwrap', contained: true })
    expect(await prepared(source, works, hasChildren, true)).toMatchObject({ file: '/bin/ls', args: ['-l'], contained: false })
  }
  expect(await prepared('local', broken, true)).toMatchObject({ file: '/bin/ls', contained: false })
})
