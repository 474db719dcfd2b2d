import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Log, Wire } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { openLedger } from '../ledger.ts'
import { openPluginFolder, platformOf } from '../testing/plugin-folder.ts'
import { createContext, requireHostVerb } from './plugin-context.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function open(verbs: readonly ('turns.run' | 'models')[] = ['turns.run']) {
  using folder = openPluginFolder()
  folder.add('bundled', {
    id: 'platform-note',
    contributes: platformOf('note', { onByDefault: true }) as never,
    env: [{ name: 'NOTE_TOKEN', secret: true, required: false, prompt: 'Token' }],
    permissions: {
      net: { value: ['api.note.test', '*.cdn.note.test'], reason: 'its service' },
      host: { value: [...verbs], reason: 'a request door' },
    },
  })
  const contribution = (await folder.load()).find('platform', 'note')
  if (!contribution) throw new Error('the made-up platform is not ready')
  const logged: unknown[] = []
  const log: Log = { debug() {}, info: (message, fields) => void logged.push([message, fields]), warn() {}, error() {} }
  const kept = new Map<string, Wire>()
  const fetched: { readonly url: string; readonly signal: AbortSignal | null | undefined }[] = []
  const ledger = openLedger('platform-note', log)
  const context = createContext({
    contribution,
    config: { a: 1 },
    secrets: { get: async (name) => `value of ${name}`, find: async () => undefined, set: async () => {} },
    state: {
      get: async (key) => kept.get(key),
      set: async (key, value) => void kept.set(key, value),
      delete: async (key) => void kept.delete(key),
    },
    models: { ask: async ({ text }) => `a model on ${text}` },
    log,
    clock: createFakeClock(),
    ledger,
    fetch: async (url, init) => {
      fetched.push({ url: String(url), signal: init?.signal })
      return new Response('ok')
    },
    profile: 'default',
    agentVersion: '1.4.0',
  })
  return { contribution, context, ledger, logged, fetched, kept }
}

test('what is declared works, and the log says whose line it is', async () => {
  const { context, logged, fetched } = await open()
  expect(context.about).toEqual({ plugin: 'platform-note', contribution: 'note', profile: 'default', agentVersion: '1.4.0' })
  expect(await context.secrets.get('NOTE_TOKEN')).toBe('value of NOTE_TOKEN')
  expect(await context.secrets.find('NOTE_TOKEN')).toBeUndefined()
  await context.state.set('seen', 3)
  expect(await context.state.get('seen')).toBe(3)
  expect(await (await context.fetch('https://eu.cdn.note.test/x')).text()).toBe('ok')
  expect(fetched).toMatchObject([{ url: 'https://eu.cdn.note.test/x' }])
  context.log.info('hello', { n: 1 })
  expect(logged).toEqual([['hello', { plugin: 'platform-note', n: 1 }]])
  expect(Object.isFrozen(context)).toBe(true)
})

test('what is not declared is refused with the field to add', async () => {
  const { context, contribution } = await open()
  await expect(context.secrets.get('OPENAI_API_KEY')).rejects.toThrow('add OPENAI_API_KEY in env to its manifest')
  await expect(context.secrets.find('HOME')).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
  await expect(context.secrets.set('PATH', '')).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
  await expect(context.fetch('https://evil.test/')).rejects.toThrow('add "evil.test" in permissions.net to its manifest')
  await expect(context.fetch('https://cdn.note.test/')).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
  expect(() => requireHostVerb(contribution, 'turns.run')).not.toThrow()
  expect(() => requireHostVerb(contribution, 'http.listen')).toThrow('add "http.listen" in permissions.host to its manifest')
})

test('effects go to the ledger; afterwards the context is dead', async () => {
  const { context, ledger, fetched } = await open()
  const undone: string[] = []
  context.effect(() => void undone.push('effect'))
  await context.fetch('https://api.note.test/poll')
  await ledger.dispose()
  expect(undone).toEqual(['effect'])
  expect(context.signal.aborted).toBe(true)
  expect(fetched[0]?.signal?.aborted).toBe(true)
  await expect(context.state.get('seen')).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  await expect(context.fetch('https://api.note.test/')).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  await expect(context.secrets.get('NOTE_TOKEN')).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
})

test('a signal of the author ends a fetch, whatever garbage is collected', async () => {
  const { context, fetched } = await open()
  // Held: with its body the fetch would be over.
  const response = await context.fetch('https://api.note.test/', { signal: AbortSignal.timeout(30) })
  await expect
    .poll(() => {
      collectGarbage()
      return fetched[0]?.signal?.aborted
    })
    .toBe(true)
  expect(response.bodyUsed).toBe(false)
})

test('a model is asked only where that is declared, and while the plugin runs', async () => {
  const call = { id: 'c', signal: new AbortController().signal, deadline: 1_000 }
  const { context, ledger } = await open(['models'])
  expect(await context.models.ask({ text: 'this' } as never, call)).toBe('a model on this')
  await ledger.dispose()
  await expect(context.models.ask({ text: 'this' } as never, call)).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  const other = await open()
  await expect(other.context.models.ask({ text: 'this' } as never, call)).rejects.toThrow(
    'add "models" in permissions.host to its manifest',
  )
})

test('what is kept can be removed, and is left alone when the plugin is gone', async () => {
  const { context, ledger, kept } = await open()
  await context.state.set('seen', 3)
  await context.state.set('old', 1)
  await context.state.delete('old')
  await ledger.dispose()
  await expect(context.state.set('seen', 4)).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  await expect(context.state.delete('seen')).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  expect([...kept]).toEqual([['seen', 3]])
})
