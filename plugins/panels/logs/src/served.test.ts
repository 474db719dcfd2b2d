import { expect, test } from 'vitest'
import { openChatStage } from '../../../../test/support/chats/chat-stage.ts'

const line = (time: number, level: string, msg: string): string => `${JSON.stringify({ time, level, name: 'agent', msg })}\n`

test('the dashboard serves it with the lines of the home, by level and without secrets', async () => {
  await using stage = await openChatStage({ environment: { OPENAI_API_KEY: 'a-key-that-is-secret' } })
  stage.home.write(
    'logs/gateway.log',
    `${line(1_700_000_000_000, 'info', 'began')}${line(1_700_000_001_000, 'warn', 'has a-key-that-is-secret')}loose\n`,
  )
  const client = stage.connect()
  const read = (input: object) => client.call('panel.run', { panel: 'logs', method: 'read', input: { file: 'gateway', ...input } })
  const [began, has, loose] = [
    { at: 1_700_000_000_000, level: 'info', text: 'agent: began' },
    { at: 1_700_000_001_000, level: 'warn', text: expect.stringMatching(/^agent: has (?!a-key)/) },
    { level: '', text: 'loose' },
  ]
  expect(await read({})).toEqual({ lines: [began, has, loose] })
  expect(await read({ level: 'warn' })).toEqual({ lines: [has] })
  expect(await client.fails('panel.run', { panel: 'logs', method: 'read', input: { file: '../../.env' } })).toMatchObject({
    data: { code: 'HTTP_INVALID' },
  })
})
