// @module-tag process
import { expect, test } from 'vitest'
import { writeConfig } from '../support/editors/open-editor.ts'
import { startEditor } from '../support/editors/start-editor.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { openTestHome } from '../support/test-home.ts'

test('the program talks to an editor, says nothing but the protocol, and ends with its input', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ text: 'Steered \u001b[31m and \u202e turned.' }] })
  writeConfig(home, server)
  await using started = await startEditor(home)
  const { editor } = started
  const { sessionId } = await editor.begin(home.work)
  started.type('this is no JSON\n[1]\n{"jsonrpc":"2.0","id":"own","method":"session/prompt","params":{"sessionId":7}}\n')
  expect(await editor.say(sessionId, 'hello')).toEqual({ stopReason: 'end_turn' })
  expect(editor.text()).toBe('Steered \u001b[31m and \u202e turned.')
  started.leave()
  expect(await started.ended).toBe(0)
  const lines = started.out().split('\n')
  expect(lines.pop()).toBe('')
  const messages = lines.map(
    (line) => JSON.parse(line) as { readonly jsonrpc: string; readonly id?: unknown; readonly error?: { readonly code: number } },
  )
  expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
  const refused = messages.flatMap(({ id, error }) => (error ? [[id, error.code]] : []))
  expect(refused).toEqual(
    expect.arrayContaining([
      [null, -32700],
      [null, -32600],
      ['own', -32602],
    ]),
  )
  // What an answer holds steers no terminal that shows what the editor is sent.
  for (const letter of ['\u001b', '\u202e']) expect(started.out()).not.toContain(letter)
  expect(started.note()).toBe('')
})

test('input that closes in the middle of a turn ends the turn and the program', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ text: 'First.' }, { text: 'Half', hang: 'body' }] })
  writeConfig(home, server)
  await using started = await startEditor(home)
  const { editor } = started
  const { sessionId } = await editor.begin(home.work)
  await editor.say(sessionId, 'one')
  editor.say(sessionId, 'two').catch(() => undefined)
  await editor.until((update) => update.sessionUpdate === 'agent_message_chunk' && JSON.stringify(update).includes('Half'))
  started.leave()
  expect(await started.ended).toBe(0)
  await server.abandoned
})

test('what was answered is there after a kill: another program loads it and goes on', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ answers: [{ text: 'First.' }, { hang: 'headers' }, { text: 'Second.' }] })
  writeConfig(home, server)
  await using first = await startEditor(home)
  const { sessionId } = await first.editor.begin(home.work)
  await first.editor.say(sessionId, 'one')
  first.editor.say(sessionId, 'two').catch(() => undefined)
  await expect.poll(() => server.requests.length).toBe(2)
  first.kill('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')
  await using second = await startEditor(home)
  await second.editor.agent.request('session/load', { sessionId, cwd: home.work, mcpServers: [] })
  expect(second.editor.text()).toBe('First.')
  expect(await second.editor.say(sessionId, 'three')).toEqual({ stopReason: 'end_turn' })
  expect(second.editor.text()).toBe('First.Second.')
})
