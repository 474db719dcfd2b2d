// @module-tag process
import { join } from 'node:path'
import type { ManifestInput, TurnEvent } from '@agent/plugin-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import { root } from '../repo/source-files.ts'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'
import { importSourceEntry } from '../support/source-entry.ts'
import { openTestHome } from '../support/test-home.ts'

let program: BuiltProgram
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())

/** Keeps entries in its state, and ends its process where one asks for that. */
const code = `
export default {
  open: async ({ state }) => {
    const entriesOf = async ({ key }) => (await state.get(key)) ?? []
    return {
      snapshot: async (owner) => [{ target: 'memory', entries: await entriesOf(owner), limit: 1000 }],
      change: async (owner, { text }) => {
        if (text === 'die') process.abort()
        const entries = [...(await entriesOf(owner)), text]
        await state.set(owner.key, entries)
        return { target: 'memory', entries, limit: 1000 }
      },
    }
  },
}`

const manifest: ManifestInput = {
  ...{ manifestVersion: 1, id: 'memory-brief', name: 'Brief', description: 'made up', version: '1.0.0', license: 'MIT' },
  api: { memory: 1 },
  contributes: { memory: [{ id: 'brief', entry: 'dist/memory.js', label: 'Brief', capabilities: { snapshot: true, change: true } }] },
}

const remember = (content: string): string => `call memory ${JSON.stringify({ action: 'add', target: 'memory', content })}`

test('a memory provider of somebody else runs in a separate process, and its death in the middle of a turn does no harm', async () => {
  using home = openTestHome()
  home.write(
    'config.yaml',
    'model: { provider: offline, default: offline }\nmemory: { provider: brief }\nplugins: { entries: { memory-brief: { enabled: true } } }\n',
  )
  const folder = join('plugins', 'local', 'memory-brief')
  home.write(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  home.write(join(folder, 'package.json'), '{ "type": "module" }')
  home.write(join(folder, 'dist', 'memory.js'), code)
  const agent = await openAgent({
    ...{ installRoot: root, environment: home.environment, profile: undefined, workspace: home.work, note: () => undefined },
    ...{ importEntry: importSourceEntry, childProgram: program.file },
  })
  const say = async (words: string, key: string): Promise<TurnEvent | undefined> => {
    let last: TurnEvent | undefined
    const request = { input: [{ type: 'text', text: words }], source: 'cli', canAnswer: false, session: { key } } as const
    for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) last = event
    return last
  }
  const promptOf = async (key: string): Promise<string> => (await agent.store.sessions.byKey(key))?.system ?? ''
  try {
    expect(await say(remember('the boat is called Ada'), 'one')).toMatchObject({ type: 'message.complete', status: 'complete' })
    expect(await say(remember('die'), 'one'), 'the turn goes on').toMatchObject({ type: 'message.complete', status: 'complete' })
    expect(await say('hello', 'one')).toMatchObject({ status: 'complete' })
    // Its process is started again for who asks next.
    let tries = 0
    await expect
      .poll(async () => {
        tries += 1
        await say(remember(`it rains ${tries}`), 'one')
        await say('hello', `new ${tries}`)
        return await promptOf(`new ${tries}`)
      })
      .toMatch(/the boat is called Ada[\s\S]*it rains/)
  } finally {
    await agent.close()
  }
  expect(home.read('logs/agent.log')).toMatch(/memory-brief[^\n]*(?:ended|SIGABRT)|SIGABRT[^\n]*memory-brief/)
})
