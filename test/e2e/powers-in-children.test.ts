// @module-tag process
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestInput, TurnEvent } from '@agent/plugin-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { writeGuide } from '../../plugin-sdk/docs/write-guide.ts'
import { buildPlugin } from '../../plugin-sdk/src/testing/index.ts'
import { root } from '../repo/source-files.ts'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { type Body, listOf } from '../support/fakes/fake-vendor.ts'
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
  const folder = join('plugins', 'local', manifest.id)
  home.write(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  home.write(join(folder, 'package.json'), '{ "type": "module" }')
  home.write(join(folder, 'dist', 'entry.js'), code)
  return openIn(home, manifest.id, config)
}

/** The same of what a guide tells its reader to write. */
async function openGuide(home: TestHome, page: string, { id, config }: { readonly id: string; readonly config: string }) {
  const dir = join(home.home, 'plugins', 'local', id)
  writeGuide(page, dir)
  await buildPlugin({ dir })
  return openIn(home, id, config)
}

async function openIn(home: TestHome, id: string, config: string) {
  home.write('config.yaml', `${config}\nplugins: { entries: { ${id}: { enabled: true } } }\n`)
  const agent = await openAgent({
    ...{ installRoot: root, environment: home.environment, profile: undefined, workspace: home.work, note: () => undefined },
    ...{ importEntry: importSourceEntry, childProgram: program.file },
  })
  const hear = async (words: string, key = 'talk', onEvent: (event: TurnEvent) => void = () => undefined): Promise<TurnEvent[]> => {
    const events: TurnEvent[] = []
    const request = { input: [{ type: 'text', text: words }], source: 'cli', canAnswer: false, session: { key } } as const
    for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) {
      events.push(event)
      onEvent(event)
    }
    return events
  }
  const say = async (words: string, key = 'talk'): Promise<TurnEvent | undefined> => (await hear(words, key)).at(-1)
  return { agent, say, hear, [Symbol.asyncDispose]: () => agent.close() }
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

/** The process that a plugin runs in; it is looked for by the program, since a sandbox may stand between. */
function findChild(): number {
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(name))
  expect(found).toHaveLength(1)
  return Number(found[0])
}

function isChild(pid: string): boolean {
  try {
    const [command = '', ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return command.endsWith('node') && words.includes(program.file)
  } catch {
    // It has ended meanwhile.
    return false
  }
}

/** Stops a process at once, so that what it is asked stays unanswered, and kills it where the turn has come to that. */
function killWhere(pid: number, isThere: (event: TurnEvent) => boolean): (event: TurnEvent) => void {
  process.kill(pid, 'SIGSTOP')
  return (event) => {
    // The question is on its way.
    if (isThere(event)) void systemClock.sleep(500).then(() => process.kill(pid, 'SIGKILL'))
  }
}

const complete = { type: 'message.complete', status: 'complete' }

test('the memory provider of the guide recalls in a separate process, and is killed in the middle of a turn without harm', async () => {
  using home = openTestHome()
  let calls = 0
  await using model = await startFakeOpenai({
    answers: ({ body }) => {
      const last = listOf(body.messages).at(-1)
      if (last?.role === 'user' && String(last.content).includes('?'))
        return { calls: [{ id: `call_${++calls}`, name: 'recall', args: JSON.stringify({ query: 'What about the moon?' }) }] }
      return { text: last?.role === 'tool' ? String(last.content) : 'Noted.' }
    },
  })
  home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${model.url}\n`)
  const config = 'model: { provider: custom, default: fake-model }\nmemory: { provider: moon }'
  await using opened = await openGuide(home, 'memory.md', { id: 'memory-moon', config })
  const { say, hear } = opened
  await say('The moon is made of cheese.')
  expect(await say('What do you know?', 'one')).toMatchObject({ ...complete, text: expect.stringContaining('made of cheese') })
  const pid = findChild()
  const events = await hear(
    'What do you know?',
    'two',
    killWhere(pid, ({ type }) => type === 'tool.start'),
  )
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool.complete', name: 'recall', ok: false }))
  expect(events.at(-1)).toMatchObject(complete)
  await expect.poll(async () => await say('What do you know?', 'three')).toMatchObject({ text: expect.stringContaining('made of cheese') })
  expect(findChild()).not.toBe(pid)
})

test('the context engine of the guide works in a separate process, and is killed in the middle of a turn without harm', async () => {
  using home = openTestHome()
  await using model = await startFakeOpenai({
    answers: ({ raw }) => ({ text: 'Yes.', usage: { input: Math.ceil(raw.length / 4), output: 5 } }),
  })
  home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${model.url}\n`)
  const models = 'models: [{ provider: custom, model: fake-model, context: 12000 }]'
  const config = `model: { provider: custom, default: fake-model }\n${models}\ncontext: { engine: last }`
  {
    await using opened = await openGuide(home, 'context.md', { id: 'context-last', config })
    const { agent, say, hear } = opened
    const { sessions } = agent.store
    const long = (word: string): string => `${word} ${'sea '.repeat(3000)}`
    const heard = (): string => JSON.stringify(listOf(model.requests.at(-1)?.body.messages).slice(1) satisfies readonly Body[])
    await say(long('one'))
    await say(long('two'))
    expect(heard()).not.toMatch(/one sea|Background/)
    const id = (await sessions.byKey('talk'))?.id ?? ''
    const before = await sessions.history(id)
    const events = await hear(
      long('three'),
      'talk',
      killWhere(findChild(), ({ type }) => type === 'message.start'),
    )
    expect(events.at(-1)).toMatchObject(complete)
    // The one that comes with agent did it.
    expect(heard()).toContain('[Background: notes on the earlier part')
    expect((await sessions.history(id)).slice(0, before.length)).toEqual(before)
    expect(await sessions.history(id)).toHaveLength(before.length + 2)
  }
  expect(home.read('logs/agent.log')).toContain('a context engine failed')
})
