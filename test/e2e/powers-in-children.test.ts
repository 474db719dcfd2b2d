// @module-tag process
import { join } from 'node:path'
import type { ManifestInput, TurnEvent } from '@agent/plugin-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import { root } from '../repo/source-files.ts'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { importSourceEntry } from '../support/source-entry.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let program: BuiltProgram
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())

/** An agent whose home has this plugin of somebody else, switched on, in a separate process. */
async function openWith(
  home: TestHome,
  { manifest, code, config }: { readonly manifest: ManifestInput; readonly code: string; readonly config: string },
) {
  home.write('config.yaml', `${config}\nplugins: { entries: { ${manifest.id}: { enabled: true } } }\n`)
  const folder = join('plugins', 'local', manifest.id)
  home.write(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  home.write(join(folder, 'package.json'), '{ "type": "module" }')
  home.write(join(folder, 'dist', 'entry.js'), code)
  const agent = await openAgent({
    ...{ installRoot: root, environment: home.environment, profile: undefined, workspace: home.work, note: () => undefined },
    ...{ importEntry: importSourceEntry, childProgram: program.file },
  })
  const say = async (words: string, key = 'talk'): Promise<TurnEvent | undefined> => {
    let last: TurnEvent | undefined
    const request = { input: [{ type: 'text', text: words }], source: 'cli', canAnswer: false, session: { key } } as const
    for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) last = event
    return last
  }
  return { agent, say, [Symbol.asyncDispose]: () => agent.close() }
}

/** Lets a model write a word, and ends its process where that is asked for. */
const wordCode = `
export default {
  open: async ({ models }) => ({
    compress: async ({ messages, focus }, call) => {
      const word = await models.ask({ task: 'compression', system: 'Write one word.', text: focus ?? '' }, call)
      if (focus === 'die') process.abort()
      const from = messages.findLastIndex(({ role }) => role === 'user')
      const [asked, ...answer] = messages.slice(from)
      return { messages: [{ role: 'user', parts: [{ type: 'text', text: 'The word is ' + word }, ...asked.parts] }, ...answer] }
    },
  }),
}`

const word: ManifestInput = {
  ...{ manifestVersion: 1, id: 'context-word', name: 'Word', description: 'made up', version: '1.0.0', license: 'MIT' },
  api: { context: 1 },
  permissions: { host: { value: ['models'], reason: 'A model writes the word.' } },
  contributes: { context: [{ id: 'word', entry: 'dist/entry.js', label: 'Word' }] },
}

test('an engine of somebody else runs in a separate process, and its death in the middle of a compression does no harm', async () => {
  using home = openTestHome()
  await using model = await startFakeOpenai({ answers: [{ text: 'harbour' }] })
  home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${model.url}\n`)
  const config = 'model: { provider: custom, default: fake-model }\ncontext: { engine: word }'
  {
    await using opened = await openWith(home, { manifest: word, code: wordCode, config })
    const { agent, say } = opened
    const { signal } = new AbortController()
    const { sessions } = agent.store
    for (const word of ['one', 'two']) await say(`${word} ${'sea '.repeat(2000)}`)
    const id = (await sessions.byKey('talk'))?.id ?? ''
    expect(await agent.turns.compress(id, 'boats', signal)).toMatchObject({ upTo: 4, reason: 'asked' })
    expect(JSON.stringify(await sessions.heard(id))).toContain('The word is harbour')
    for (const word of ['three', 'four']) await say(`${word} ${'sea '.repeat(2000)}`)
    const before = await sessions.history(id)
    expect(await agent.turns.compress(id, 'die', signal)).toMatchObject({ upTo: 8 })
    // The one that comes with agent did it.
    const heard = JSON.stringify(await sessions.heard(id))
    expect(heard).toContain('[Background: notes on the earlier part')
    expect(heard).not.toContain('The word is harbour')
    expect(await sessions.history(id)).toEqual(before)
    expect(await say('five')).toMatchObject({ type: 'message.complete', status: 'complete' })
  }
  expect(home.read('logs/agent.log')).toContain('a context engine failed')
})

/** Keeps entries in its state, and ends its process where one asks for that. */
const briefCode = `
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

const brief: ManifestInput = {
  ...{ manifestVersion: 1, id: 'memory-brief', name: 'Brief', description: 'made up', version: '1.0.0', license: 'MIT' },
  api: { memory: 1 },
  contributes: { memory: [{ id: 'brief', entry: 'dist/entry.js', label: 'Brief', capabilities: { snapshot: true, change: true } }] },
}

const remember = (content: string): string => `call memory ${JSON.stringify({ action: 'add', target: 'memory', content })}`

test('a memory provider of somebody else runs in a separate process, and its death in the middle of a turn does no harm', async () => {
  using home = openTestHome()
  const config = 'model: { provider: offline, default: offline }\nmemory: { provider: brief }'
  {
    await using opened = await openWith(home, { manifest: brief, code: briefCode, config })
    const { agent, say } = opened
    const promptOf = async (key: string): Promise<string> => (await agent.store.sessions.byKey(key))?.system ?? ''
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
  }
  expect(home.read('logs/agent.log')).toMatch(/memory-brief[^\n]*(?:ended|SIGABRT)|SIGABRT[^\n]*memory-brief/)
})
