import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import { main } from '../../host/src/cli/main.ts'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import { type Journey, startRecording } from '../support/record-journey.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const installRoot = fileURLToPath(new URL('../..', import.meta.url))

type Travel = () => Promise<Journey>

/** Things that people do, each against the real code in this process. Platforms bring theirs in `test/journey.ts`. */
export async function listJourneys(): Promise<ReadonlyMap<string, Travel>> {
  const platforms = join(installRoot, 'plugins', 'platforms')
  const files = readdirSync(platforms).map((id) => ({ id, file: join(platforms, id, 'test', 'journey.ts') }))
  const messages = await Promise.all(
    files
      .filter(({ file }) => existsSync(file))
      .map(async ({ id, file }): Promise<[string, Travel]> => {
        const { travel } = (await import(pathToFileURL(file).href)) as { readonly travel: Travel }
        return [`a message on ${id} to its reply`, travel]
      }),
  )
  return new Map([...messages, ...Object.entries(own)])
}

const own: Readonly<Record<string, Travel>> = {
  'a one-shot question to its answer': async () => {
    using home = openTestHome()
    return await runMain(home, ['chat', '-z', 'stream 3 tokens'])
  },
  'enabling a third-party plugin': async () => {
    using home = openTestHome()
    const about = { manifestVersion: 1, id: 'commands-greet', name: 'Greet', description: 'Greets.', version: '1.0.0', license: 'MIT' }
    const commands = [{ name: 'greet', summary: 'Greets', prompt: 'Greet me.' }]
    const contributes = { commands: [{ id: 'greet', label: 'Greet', commands }] }
    home.write('plugins/local/commands-greet/agent.plugin.json', JSON.stringify({ ...about, api: { commands: 1 }, contributes }))
    return await runMain(home, ['plugins', 'enable', 'commands-greet'])
  },
  'a tool call with its approval': async () => {
    using home = openTestHome()
    const agent = await openAgent({
      installRoot,
      environment: offline(home),
      profile: undefined,
      workspace: home.work,
      note: () => undefined,
    })
    const stop = startRecording()
    try {
      const request = { input: [{ type: 'text', text: 'run rm -rf .git' }], source: 'cli', canAnswer: true } as const
      let asked = 0
      for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) {
        if (event.type !== 'approval.request') continue
        asked += 1
        await agent.turns.answer(event.id, 'once')
      }
      if (asked !== 1) throw new Error('nobody was asked')
      return stop()
    } finally {
      await agent.close()
    }
  },
}

function offline(home: TestHome): Readonly<Record<string, string>> {
  return { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline', AGENT_OFFLINE_OPEN: 'true' }
}

async function runMain(home: TestHome, words: readonly string[]): Promise<Journey> {
  const stop = startRecording()
  const code = await main(words, { installRoot, environment: offline(home) })
  if (code !== 0) throw new Error(`agent ${words.join(' ')} ended with ${code}`)
  return stop()
}
