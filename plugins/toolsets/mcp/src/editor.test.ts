// @module-tag process
import { expect, test } from 'vitest'
import { call } from '../../../../test/support/agents/scripted-agents.ts'
import { openEditor } from '../../../../test/support/editors/open-editor.ts'
import { fixtureServer } from '../test/contract.ts'

test('a server that an editor brings is there for the sessions that it brings it for, and is asked about', async () => {
  const echo = call('tool_call', { name: 'mcp_My_notes_echo', arguments: { message: 'from the editor' } })
  await using stage = await openEditor({
    permit: () => 'once',
    answers: (request) => (JSON.stringify(request.body.messages).includes('"tool"') ? { text: 'Done.' } : echo),
  })
  const { editor, home, server } = stage
  const brought = { name: 'My notes', command: process.execPath, args: [fixtureServer], env: [] }
  const { sessionId } = await editor.begin(home.work, [brought])
  await editor.say(sessionId, 'echo')
  expect(editor.permissions).toMatchObject([{ sessionId, toolCall: { title: expect.stringContaining('mcp_My_notes_echo') } }])
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('from the editor')
  const { sessionId: other } = await editor.begin(home.work)
  await editor.say(other, 'echo')
  expect(editor.permissions.length).toBe(1)
  expect(editor.of('tool_call_update', other).at(-1)).toMatchObject({ status: 'failed' })
  await expect(editor.begin(home.work, [{ type: 'http', name: 'far', url: 'ftp://far', headers: [] }])).rejects.toThrow(
    'neither http:// nor https://',
  )
})
