// @module-tag process
import { expect } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const long = `Remember the harbour. ${'The boats come and go. '.repeat(400)}`

proves(
  ['slash.compress', 'config.compression.summary-url'],
  '/compress lets the model that compression.summary_base_url names write notes, and the model of the conversation hears them',
  async () => {
    using home = openTestHome()
    await using talking = await startFakeOpenai({ answers: [{ text: 'Noted.' }] })
    await using writing = await startFakeOpenai({ answers: [{ text: '## Goal\nKnow the boats.' }], models: ['writer'] })
    home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${talking.url}\n`)
    home.write(
      'config.yaml',
      `model: { provider: custom, default: fake-model }\ncompression: { summary_base_url: '${writing.url}', summary_model: writer }\n`,
    )
    const lines = ['/compress', long, 'One more thing.', '/compress the names of the boats', '/usage', 'Go on.']
    const run = await runHere(home, ['chat', '--cli'], { input: `${lines.join('\n')}\n` })
    expect(run).toMatchObject({ code: 0, note: '' })
    expect(run.out).toContain('There is no session yet: say something first.')
    expect(run.out).toMatch(/This conversation was made shorter: about [\d,]+ tokens became [\d,]+\./)
    expect(run.out).toMatch(/This conversation fills [\d,]+ of 128,000 tokens, \d %; from 64,000 on it is made shorter \(once so far\)\./)
    expect(writing.requests).toHaveLength(1)
    expect(writing.requests[0]?.raw).toContain('the names of the boats')
    const last = talking.requests.at(-1)?.raw ?? ''
    expect(last).toContain('Know the boats.')
    expect(last).not.toContain('The boats come and go. The boats')
    const found = await runAgent(home, ['sessions', 'search', 'boats come'])
    expect(found.out).toContain('come')
  },
)
