import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context, Provider, ToolContext, ToolRun, Toolset, Wire } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import Database from 'better-sqlite3'
import { expect, test, vi } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { createRequest, createTestCall } from '#models/testing/model-call.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import { startFakeOpenai } from '../../../test/support/fakes/fake-openai.ts'
import { openTestHome } from '../../../test/support/test-home.ts'
import { openAgent } from './open-agent.ts'

const installRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** What a tool can ask of the host, each by a verb that its manifest has to declare. */
const uses: Readonly<Record<string, (context: ToolContext, ask: () => Promise<string>) => unknown>> = {
  environment: (context) => context.environment(),
  notify: (context) => context.notify({ session: 'ses', kind: 'result', text: 'It has ended.' }),
  sandbox: (context) => context.sandbox.explain({ session: 's', workspace: '/', command: 'true', output: '', failed: false }),
  skills: (context) => context.skills.list(),
  view: (context) => context.skills.view({ name: 'none' } as never),
  web: (context) => context.web.search({ query: 'roses', most: 1 }, createCall(new AbortController().signal)),
  address: (context) => context.web.extract('http://127.0.0.1/', createCall(new AbortController().signal)),
  models: (context) => context.models.ask({ task: 'compression', system: 's', text: 'say hi' }, createCall(new AbortController().signal)),
  clarify: (_, ask) => ask(),
}

const toolName = (use: string): string => `probe_${use}`

/** What comes of each use in a plugin that declares these verbs. */
async function outcomes(host: readonly string[]): Promise<Readonly<Record<string, string>>> {
  using home = openTestHome()
  vi.stubEnv('TMPDIR', home.work)
  const toolset = {
    ...{ id: 'probe', entry: 'dist/toolset.js', label: 'Probe' },
    tools: Object.keys(uses).map((name) => ({ name: toolName(name), description: name, parameters: { type: 'object' }, effect: 'read' })),
  }
  const manifest = {
    ...{ manifestVersion: 1, id: 'toolset-probe', name: 'Probe', description: 'made up', version: '1.0.0', license: 'MIT' },
    ...{ api: { toolset: 1 }, contributes: { toolsets: [toolset] } },
    permissions: host.length > 0 ? { host: { value: host, reason: 'test' } } : {},
  }
  const folder = join(home.home, 'plugins', 'local', 'toolset-probe')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  home.write('config.yaml', 'plugins: { entries: { toolset-probe: { enabled: true } } }\n')
  const probe: Toolset = {
    open: async (context) => {
      const toolOf =
        (use: (typeof uses)[string]): ToolRun =>
        async ({ ask }) => {
          await use(context, () => ask({ question: 'Which?', choices: [] }))
          return { ok: true, text: 'works' }
        }
      return { tools: Object.fromEntries(Object.entries(uses).map(([name, use]) => [toolName(name), toolOf(use)])) }
    },
  }
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({ default: probe }) },
  })
  try {
    const turn = {
      ...{ turn: 'trn', session: 'ses', workspace: home.work, canAnswer: true, door: 'cli', approved: new Set() },
      ...{
        tools: new Set(Object.keys(uses).map(toolName)),
        signal: new AbortController().signal,
        progress: () => undefined,
        ask: async () => 'this',
      },
    } as unknown as ToolTurn
    const results = Object.keys(uses).map(async (name) => {
      const prepared = await agent.toolbox.prepare({ id: name, name: toolName(name), args: '{}' }, turn)
      const done = prepared.ready ? await prepared.run(createCall(turn.signal)) : prepared.done
      return [name, done.error?.code ?? done.outcome.text] as const
    })
    return Object.fromEntries(await Promise.all(results))
  } finally {
    await agent.close()
    vi.unstubAllEnvs()
    // What commands had for their temporary files is gone.
    expect(readdirSync(home.work)).toEqual([])
    await expect(agent.store.kv.set('a', 'b', 1)).rejects.toMatchObject({ code: 'INTERNAL' })
  }
}

test('a tool gets of the host what its manifest declares, and nothing else', async () => {
  const refused = Object.fromEntries(Object.keys(uses).map((name): [string, Wire] => [name, 'PLUGIN_UNDECLARED']))
  expect(await outcomes([])).toEqual(refused)
  // Two of them share the verb of another.
  const granted = await outcomes(Object.keys(uses).filter((use) => use !== 'address' && use !== 'view'))
  expect(Object.values(granted)).not.toContain('PLUGIN_UNDECLARED')
  expect(granted).toMatchObject({ environment: 'works', notify: 'works', sandbox: 'works', skills: 'works', clarify: 'works' })
  expect(granted.address).toBe('WEB_ADDRESS_REFUSED')
})

test.each([
  ['full', 'FULL'],
  ['process', 'NORMAL'],
])('the store flushes as store.durability: %s says', async (durability, level) => {
  using home = openTestHome()
  home.write('config.yaml', `store: { durability: ${durability} }\n`)
  const pragma = vi.spyOn(Database.prototype, 'pragma')
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({}) },
  })
  await agent.close()
  const levels = pragma.mock.calls.map(([source]) => source).filter((source) => source.startsWith('synchronous'))
  pragma.mockRestore()
  expect(levels).toEqual([`synchronous = ${level}`])
})

const plain = (id: string, contributes: object, more: object = {}) => ({
  ...{ manifestVersion: 1, id, name: 'Probe', description: 'made up', version: '1.0.0', license: 'MIT', contributes, ...more },
})

test('plugins of others run in children where there is a program for them, and none is started before it is needed', async () => {
  using home = openTestHome()
  const tool = { name: 'probe', description: 'x', parameters: { type: 'object' }, effect: 'read' }
  const toolset = { id: 'probe', entry: 'dist/toolset.js', label: 'Probe', tools: [tool] }
  const manifest = plain('toolset-probe', { toolsets: [toolset] }, { api: { toolset: 1 } })
  home.write('plugins/local/toolset-probe/agent.plugin.json', JSON.stringify(manifest))
  home.write('config.yaml', 'plugins: { entries: { toolset-probe: { enabled: true } } }\n')
  const options = {
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock() },
  }
  const agent = await openAgent({ ...options, childProgram: join(home.folder, 'child.mjs') })
  const found = agent.hosts?.status().find(({ plugin }) => plugin === 'toolset-probe')
  expect(found).toMatchObject({ faults: 0, child: undefined })
  await agent.close()
  const fromSource = await openAgent({ ...options, importEntry: async () => ({}) })
  expect(fromSource.hosts).toBeUndefined()
  await fromSource.close()
})

test('the next agent of a home knows the manifests that an earlier one has written down', async () => {
  using home = openTestHome()
  home.write('plugins/local/probe/agent.plugin.json', JSON.stringify(plain('probe', {}, { api: {} })))
  const open = () =>
    openAgent({
      ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
      ...{ note: () => undefined, clock: createFakeClock(Date.now() + 60_000), importEntry: async () => ({}) },
    })
  const first = await open()
  first.manifests.save()
  await first.close()
  const stored = join(home.home, 'cache', 'manifests.json')
  writeFileSync(stored, readFileSync(stored, 'utf8').replace('"name":"Probe"', '"name":"Stored"'))
  const second = await open()
  expect(second.catalog.plugin('probe')?.name).toBe('Stored')
  await second.close()
})

test('what a provider has set up is undone when the agent is closed', async () => {
  using home = openTestHome()
  const provider = { id: 'probe', label: 'Probe', entry: 'dist/provider.js', auth: 'none', defaultModel: 'one' }
  const key = { name: 'PROBE_KEY', secret: true, required: false, prompt: 'Key' }
  const manifest = plain('provider-probe', { providers: [provider] }, { api: { provider: 1 }, env: [key] })
  home.write('plugins/local/provider-probe/agent.plugin.json', JSON.stringify(manifest))
  home.write('config.yaml', 'plugins: { entries: { provider-probe: { enabled: true } } }\n')
  let context: Context | undefined
  const probe: Provider = {
    open: async (own) => {
      context = own
      return { stream: async function* () {} }
    },
  }
  const agent = await openAgent({
    ...{ installRoot, profile: undefined },
    environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'probe', PROBE_KEY: 'open sesame' },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({ default: probe }) },
  })
  await agent.models.model({ provider: 'probe', model: 'one' })
  expect(context?.signal.aborted).toBe(false)
  expect(await context?.secrets.find('PROBE_KEY')).toBe('open sesame')
  await agent.close()
  expect(context?.signal.aborted).toBe(true)
})

test('secrets that others can read are told at once', async () => {
  using home = openTestHome()
  const told: string[] = []
  const open = async (): Promise<void> => {
    const agent = await openAgent({
      ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
      ...{ note: (text) => void told.push(text), clock: createFakeClock(), importEntry: async () => ({}) },
    })
    await agent.close()
  }
  const file = home.write('.env', 'A=1\n')
  await open()
  expect(told).toEqual([])
  chmodSync(file, 0o644)
  chmodSync(home.home, 0o755)
  await open()
  expect(told).toEqual([expect.stringContaining('other users read the secrets')])
})

test('what a command of a plugin has set up is undone when the agent is closed', async () => {
  using home = openTestHome()
  const set = { id: 'probe', entry: 'dist/commands.js', label: 'Probe', commands: [{ name: 'probe', summary: 'Probe' }] }
  home.write(
    'plugins/local/commands-probe/agent.plugin.json',
    JSON.stringify(plain('commands-probe', { commands: [set] }, { api: { commands: 1 } })),
  )
  home.write('config.yaml', 'plugins: { entries: { commands-probe: { enabled: true } } }\n')
  let context: Context | undefined
  const probe = {
    open: async (own: Context) => {
      context = own
      return { run: async () => ({ text: 'done' }) }
    },
  }
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({ default: probe }) },
  })
  const states: unknown[] = []
  agent.hooks.tap('plugin.state', { owner: 'test' }, async (change) => void states.push(change) as undefined)
  const found = agent.catalog.find('commands', 'probe')
  if (!found) throw new Error('not ready')
  const request = { name: 'probe', args: '', surface: 'cli' } as const
  expect(await agent.commands.run(found, request, new AbortController().signal)).toBe('done')
  await expect.poll(() => states.length).toBeGreaterThan(0)
  expect(context?.signal.aborted).toBe(false)
  await agent.close()
  expect(context?.signal.aborted).toBe(true)
})

test('a setting without effect is told in a sentence, and nothing else of the settings', async () => {
  using home = openTestHome()
  home.write('.env', 'UNREAD_NAME=1\n')
  home.write('config.yaml', 'model: { base_url: "http://me:secret@host/v1" }\n')
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({}) },
  })
  const notes = await agent.silentSettings()
  await agent.close()
  expect(notes.filter((note) => note.includes('UNREAD_NAME'))).toEqual(['UNREAD_NAME has no effect: nothing reads it'])
  expect(notes.filter((note) => note.includes('base_url'))).toEqual([])
})

test('a call of a model that gives it no id gets one', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ models: ['fake'], answers: [{ calls: [{ id: '', name: 'look', args: '{}' }] }] })
  home.write('config.yaml', `model: { provider: custom, base_url: "${server.url}", default: fake }\n`)
  const agent = await openAgent({
    ...{ installRoot, environment: home.environment, profile: undefined },
    ...{ note: () => undefined, importEntry: async () => ({}) },
  })
  const chat = await agent.models.model({ provider: 'custom', model: 'fake' })
  const ids: string[] = []
  for await (const event of chat.stream(createRequest({ model: 'fake' }), createTestCall())) if (event.type === 'call') ids.push(event.id)
  expect(ids).toEqual([expect.stringMatching(/^call_./)])
  await agent.close()
})

test.each([
  ['model: { provider: nothing }', false],
  ['{}', true],
])('with %s the offline model stands in: %s', async (config, isOffline) => {
  using home = openTestHome()
  home.write('config.yaml', `${config}\n`)
  const agent = await openAgent({
    ...{ installRoot, environment: home.environment, profile: undefined },
    ...{ note: () => undefined, clock: createFakeClock(), importEntry: async () => ({}) },
  })
  expect(agent.isOfflineByDefault()).toBe(isOffline)
  await agent.close()
})
