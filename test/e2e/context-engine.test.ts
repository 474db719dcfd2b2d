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
import { openTestHome } from '../support/test-home.ts'

let program: BuiltProgram
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())

/** Lets a model write a word, and ends its process where that is asked for. */
const code = `
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

const manifest: ManifestInput = {
  ...{ manifestVersion: 1, id: 'context-word', name: 'Word', description: 'made up', version: '1.0.0', license: 'MIT' },
  api: { context: 1 },
  permissions: { host: { value: ['models'], reason: 'A model writes the word.' } },
  contributes: { context: [{ id: 'word', entry: 'dist/context.js', label: 'Word' }] },
}

test('an engine of somebody else runs in a separate process, and its death in the middle of a compression does no harm', async () => {
  using home = openTestHome()
  await using model = await startFakeOpenai({ answers: [{ text: 'harbour' }] })
  home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${model.url}\n`)
  home.write(
    'config.yaml',
    'model: { provider: custom, default: fake-model }\ncontext: { engine: word }\nplugins: { entries: { context-word: { enabled: true } } }\n',
  )
  const folder = join('plugins', 'local', 'context-word')
  home.write(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  home.write(join(folder, 'package.json'), '{ "type": "module" }')
  home.write(join(folder, 'dist', 'context.js'), code)
  const agent = await openAgent({
    ...{ installRoot: root, environment: home.environment, profile: undefined, workspace: home.work, note: () => undefined },
    ...{ importEntry: importSourceEntry, childProgram: program.file },
  })
  const { signal } = new AbortController()
  const say = async (words: string): Promise<TurnEvent | undefined> => {
    let last: TurnEvent | undefined
    const request = { input: [{ type: 'text', text: words }], source: 'cli', canAnswer: false, session: { key: 'talk' } } as const
    for await (const event of agent.turns.run(request, createCall(signal))) last = event
    return last
  }
  try {
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
  } finally {
    await agent.close()
  }
  expect(home.read('logs/agent.log')).toContain('a context engine failed')
})
