// @module-tag process
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CodeKind } from '../../kinds/kinds.ts'
import { manifests } from '../broken/manifest.ts'
import { bundleChild, openChild, shareChild } from './child.ts'
import type { OpenedPlugin } from './subject.ts'
import { openTestContext } from './test-context.ts'

interface Running<Kind extends CodeKind> extends AsyncDisposable {
  readonly plugin: OpenedPlugin<Kind>
}

async function run<Kind extends CodeKind>(kind: Kind, code: string): Promise<Running<Kind>> {
  const folder = await mkdtemp(join(tmpdir(), 'child-test-'))
  const file = join(folder, 'entry.ts')
  await writeFile(file, code)
  const program = await bundleChild(kind, file)
  const plugin = await openChild(kind, program.file)
  return {
    plugin,
    [Symbol.asyncDispose]: async () => {
      await plugin[Symbol.asyncDispose]()
      await program[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

test('a child that dies ends what waits for it, with what it said last', async () => {
  await using child = await run('provider', `export default { open: async () => { console.error('out of luck'); process.exit(3) } }`)
  const host = openTestContext({ manifest: manifests.provider, contribution: 'parrot', config: {} })
  await expect(child.plugin.entry.open(host.context, call)).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
  await expect(child.plugin.control.busy()).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
  expect(child.plugin.said()).toContain('out of luck')
})

test('the child has no environment and uses the context of the host across the pipe', async () => {
  await using child = await run(
    'provider',
    `export default { open: async (context) => ({ models: async () => {
      await context.state.set('bytes', new Uint8Array([1, 2]))
      const bytes = await context.state.get('bytes')
      context.log.info('asked', { size: bytes.length })
      const secret = await context.secrets.get('OTHER').catch((error) => error.code)
      return [...Object.keys(process.env), context.about.plugin, context.config.nick, String(bytes), secret, String(context.receive === undefined)]
    } }) }`,
  )
  const host = openTestContext({ manifest: manifests.provider, contribution: 'parrot', config: { nick: 'bot' } })
  const source = await child.plugin.entry.open(host.context, call)
  expect(await source.models?.(call)).toEqual(['provider-parrot', 'bot', '1,2', 'PLUGIN_UNDECLARED', 'false'])
  expect(host.lines).toEqual([expect.stringContaining('"size":2')])
})

test('an effect that fails is told, the others are undone in reverse order', async () => {
  await using child = await run(
    'provider',
    `const done = []
    export default { open: async (context) => {
      context.effect(() => done.push('first', context.signal.aborted))
      context.effect(() => { throw new Error('stuck') })
      context.effect(() => done.push('last'))
      return { stream: async function* () {}, models: async () => done.map(String) }
    } }`,
  )
  const host = openTestContext({ manifest: manifests.provider, contribution: 'parrot', config: {} })
  const source = await child.plugin.entry.open(host.context, call)
  expect(await child.plugin.control.dispose()).toEqual(['stuck'])
  expect(await child.plugin.control.dispose()).toEqual([])
  expect(await source.models?.(call)).toEqual(['last', 'first', 'true'])
})

test('what a plugin has set up is undone before its process is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'child-test-'))
  const left = JSON.stringify(join(folder, 'left'))
  const child = await run(
    'provider',
    `import { rmSync, writeFileSync } from 'node:fs'
    export default { open: async (context) => {
      writeFileSync(${left}, '')
      context.effect(() => rmSync(${left}))
      return { stream: async function* () {} }
    } }`,
  )
  await child.plugin.entry.open(openTestContext({ manifest: manifests.provider, contribution: 'parrot', config: {} }).context, call)
  expect(await readdir(folder)).toEqual(['left'])
  await child[Symbol.asyncDispose]()
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test('a method that is not there is refused by name', async () => {
  await using child = await run('provider', `export default { open: async () => ({ stream: 1 }) }`)
  const host = openTestContext({ manifest: manifests.provider, contribution: 'parrot', config: {} })
  const source = await child.plugin.entry.open(host.context, call)
  expect(Object.keys(source)).toEqual([])
  await using other = await run('toolset', `export default {}`)
  await expect(other.plugin.entry.open(host.context, call)).rejects.toMatchObject({ code: 'UNSUPPORTED', params: { what: 'open' } })
})

/** Opens the plugin once for each life, and answers in which process it ran. */
async function listProcesses(during: string, lives: number): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'child-test-'))
  const file = join(folder, 'entry.ts')
  await writeFile(
    file,
    `export default { open: async (context) => {
      let lives = 0
      return { stream: async function* () {}, models: async () => { ${during}; return [String(process.pid), String(++lives)] } }
    } }`,
  )
  await using program = await bundleChild('provider', file)
  await using child = shareChild('provider', program.file)
  const seen: string[] = []
  for (let life = 0; life < lives; life += 1) {
    await using plugin = await child.open()
    const host = openTestContext({ manifest: manifests.provider, contribution: 'parrot', config: {} })
    const source = await plugin.entry.open(host.context, call)
    const [pid = '', count] = (await source.models?.(call)) ?? []
    expect(count).toBe('1')
    expect(plugin.said()).not.toContain(pid)
    seen.push(pid)
    await host.close()
  }
  await rm(folder, { recursive: true, force: true })
  return seen
}

test('one process serves one plugin after another, until its borders are used up', async () => {
  const processes = await listProcesses('', 18)
  expect([new Set(processes).size, processes.lastIndexOf(processes[0] ?? '')]).toEqual([2, 15])
})

test.each([
  ['leaves a timer', 'setInterval(() => undefined, 1000)'],
  ['cannot be ended', "context.effect(() => { throw new Error('stuck') })"],
  ['still does something', 'void context.receive; const hung = new Promise(() => undefined); context.effect(() => hung)'],
  ['dies', 'setImmediate(() => setImmediate(() => process.exit(3)))'],
])('a process in which a plugin %s is not used again', async (_what, during) => {
  expect(new Set(await listProcesses(during, 2)).size).toBe(2)
})
