// @module-tag server
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

test.each([
  ['true', 880, 'from 1,000 on it is made shorter. /compress [what to keep] does so now.'],
  ['false', 250_000, '%. /new begins another.'],
])('the person is told once that a conversation will soon be too long, where compression is %s', async (enabled, input, told) => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ models: ['m'], answers: () => ({ text: 'Yes.', usage: { input } }) })
  home.write('.env', `AGENT_INFERENCE_PROVIDER=custom\nCUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${server.url}\n`)
  home.write('config.yaml', `model: { default: m }\ncompression: { enabled: ${enabled}, threshold_tokens: 1000 }\n`)
  const { code, note } = await runHere(home, ['chat', '--cli'], { input: 'One.\nTwo.\nThree.\nFour.\n' })
  expect(code).toBe(0)
  expect(note.split('\n').filter((line) => line.includes('This conversation fills'))).toEqual([expect.stringContaining(told)])
  expect(JSON.stringify(server.requests)).not.toContain('made shorter')
})
