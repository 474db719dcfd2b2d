// @module-tag process
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ManifestInput } from '@agent/plugin-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import { openGateway } from '../../host/src/gateway/gateway.ts'
import { findBwrap } from '../../host/src/kernel/sandbox/find-bwrap.ts'
import { openPrices } from '../../host/src/models/catalog/price-list.ts'
import { createMemoryDesk, createWritingDesk } from '../../host/src/rpc/slash/slash-services.ts'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'
import { importSourceEntry } from '../support/source-entry.ts'
import { openTestHome } from '../support/test-home.ts'

let program: BuiltProgram
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())

/** A messenger in small: each line that comes is a message, each answer is a line. `die` ends the process of the platform. */
const code = `
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
export default {
  connect: async (context) => {
    const socket = connect(context.config.port, '127.0.0.1')
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const run = crypto.randomUUID()
    socket.write('run ' + run + '\\n')
    let count = 0
    createInterface({ input: socket }).on('line', async (text) => {
      if (text === 'die') process.abort()
      count += 1
      const id = run + '-' + count
      await context.receive({ id, account: 'bot', text, addressed: true, conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false } })
    })
    return {
      send: async ({ text }) => { socket.write(text.replaceAll('\\n', ' ') + '\\n'); return { status: 'sent', platformId: '1' } },
      lastHeard: async () => Date.now(),
      close: async () => socket.destroy(),
    }
  },
}`

const manifest: ManifestInput = {
  ...{ manifestVersion: 1, id: 'platform-line', name: 'Line', description: 'made up', version: '1.0.0', license: 'MIT' },
  api: { platform: 1 },
  permissions: { net: { value: ['127.0.0.1'], reason: 'The messenger is here.' } },
  contributes: {
    platforms: [
      {
        ...{ id: 'line', entry: 'dist/platform.js', label: 'Line', door: 'messaging', reach: 'owner', onByDefault: true },
        ...{ capabilities: {}, limits: {} },
        configSchema: { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'], additionalProperties: false },
      },
    ],
  },
}

interface Messenger extends AsyncDisposable {
  readonly port: number
  /** Resolves with the next line. */
  line(): Promise<string>
  say(text: string): void
}

async function openMessenger(): Promise<Messenger> {
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  let latest: Socket | undefined
  const server: Server = createServer((socket) => {
    latest = socket
    socket.on('error', () => socket.destroy())
    createInterface({ input: socket }).on('line', (line) => {
      const next = waiting.shift()
      if (next) next(line)
      else lines.push(line)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as { port: number }).port,
    line: () => new Promise((resolve) => (lines.length > 0 ? resolve(lines.shift() ?? '') : waiting.push(resolve))),
    say: (text) => void latest?.write(`${text}\n`),
    async [Symbol.asyncDispose]() {
      latest?.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a platform of somebody else runs in a separate process, answers, and comes back after its process died', async () => {
  await using messenger = await openMessenger()
  using home = openTestHome()
  const folder = join(home.home, 'plugins', 'local', 'platform-line')
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'dist', 'platform.js'), code)
  home.write(
    'config.yaml',
    `plugins: { entries: { platform-line: { enabled: true } } }\nplatforms: { line: { allow_from: [ann], extra: { port: ${messenger.port} } } }\n`,
  )
  const agent = await openAgent({
    installRoot: fileURLToPath(new URL('../..', import.meta.url)),
    environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' },
    profile: undefined,
    note: () => undefined,
    importEntry: importSourceEntry,
    childProgram: program.file,
    isOwnDoor: async () => false,
  })
  const services = {
    ...{
      sessions: agent.store.sessions,
      usage: agent.store.usage,
      jobs: agent.jobs,
      prices: openPrices(agent),
      catalog: agent.catalog,
      version: '0.0.0',
    },
    compress: async () => '',
    update: async () => '',
    reloadTools: async () => '',
    now: () => agent.clock.now(),
    alone: agent.turns.alone,
    agents: agent.turns.children,
    pressure: async () => undefined,
    memory: createMemoryDesk({ environment: {} }, agent),
    skillWriting: createWritingDesk({ environment: {} }, agent),
    checkpoints: agent.checkpoints,
    skills: agent.skills,
    setHome: async () => undefined,
    model: async () => ({ said: '', kept: false }),
    enablePlugin: async () => undefined,
    runCommand: agent.commands.run,
    platforms: { states: () => undefined, wish: async () => undefined },
  }
  const gateway = await openGateway({ ...agent, services, isOfflineByDefault: () => false, random: () => 0 })
  try {
    const first = await messenger.line()
    const isolation = findBwrap() ? 'bwrap' : 'process'
    expect(agent.hosts?.children()).toMatchObject([{ plugins: ['platform-line'], pid: expect.any(Number), isolation }])
    expect(agent.hosts?.children()[0]?.pid).not.toBe(process.pid)
    messenger.say('good morning')
    expect(await messenger.line()).toContain('offline model')
    messenger.say('die')
    const second = await messenger.line()
    expect(second).toMatch(/^run \S+$/)
    expect(second).not.toBe(first)
    messenger.say('still there?')
    expect(await messenger.line()).toMatch(/./)
    expect(agent.hosts?.status()).toContainEqual(expect.objectContaining({ plugin: 'platform-line', isolation: 'bwrap', faults: 1 }))
  } finally {
    await gateway.close()
    await agent.close()
  }
  expect(agent.hosts?.children()).toEqual([])
})
