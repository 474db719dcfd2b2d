// @module-tag process

import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { program } from '../../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../../test/support/test-home.ts'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/package.json')
/** The inspector finds the name by which it asks from this folder alone. */
const folder = join(dirname(manifest), 'build')

interface Said {
  readonly tools?: readonly { readonly name: string; readonly inputSchema: { readonly properties: Record<string, object> } }[]
  readonly content?: readonly { readonly type: string; readonly text: string }[]
  readonly isError?: boolean
}

/** What the protocol's own inspector reads of `agent mcp serve`. */
function inspect(home: TestHome, ...words: readonly string[]): Promise<{ readonly said: Said; readonly note: string }> {
  const argv = ['index.js', process.execPath, program, 'mcp', 'serve', ...words]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, argv, { cwd: folder, env: home.environment, timeout: 30_000 }, (error, out, note) => {
      if (error) reject(new Error(`${out}${note}`, { cause: error }))
      else resolve({ said: JSON.parse(out) as Said, note })
    })
  })
}

test('the inspector lists the tools of `agent mcp serve` and calls them', async () => {
  using home = openTestHome()
  const { said, note } = await inspect(home, '--method', 'tools/list')
  expect(said.tools?.map(({ name }) => name)).toEqual([
    ...['conversations_list', 'conversation_read', 'channels_list', 'message_send', 'approvals_list'],
  ])
  expect(said.tools?.[0]?.inputSchema.properties).toHaveProperty('limit')
  expect(note).toBe('')
  const call = ['--method', 'tools/call', '--tool-name']
  const listed = await inspect(home, ...call, 'conversations_list', '--tool-arg', 'limit=3')
  expect(JSON.parse(listed.said.content?.[0]?.text ?? '')).toEqual({ conversations: [] })
  const unknown = await inspect(home, ...call, 'conversation_read', '--tool-arg', 'conversation=nothing')
  expect(unknown.said).toEqual({
    ...{ isError: true, content: [{ type: 'text', text: 'There is no session "nothing". agent sessions list shows them.' }] },
  })
  const refused = await inspect(home, ...call, 'conversations_list', '--tool-arg', 'limit=0')
  expect(refused.said).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^limit /) }] })
})
