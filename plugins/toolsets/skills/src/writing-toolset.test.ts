import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type ToolCall, type ToolContext, type ToolRun } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import toolset from './writing-toolset.ts'

type Skills = NonNullable<ToolCall['skills']>

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

/** Runs the tool; gives back what it answered, and what the host was asked for. */
async function run(args: object, skills?: Skills): Promise<{ readonly result: unknown; readonly asked: unknown }> {
  const { context } = openTestContext({ manifest, contribution: 'skill-writing', config: {} })
  let asked: unknown
  const change: Skills['change'] = async (wish) => {
    asked = wish
    return {}
  }
  const { tools } = await toolset.open(context as unknown as ToolContext, call)
  const toolCall = { id: 'c', session: 's', turn: 't', workspace: '/', args, progress: () => undefined, ask: async () => '' }
  const result = await (tools.skill_manage as ToolRun)({ ...toolCall, skills: skills ?? { change } }, call)
  return { result, asked }
}

test.each([
  [
    { action: 'create', content: 'x', category: 'kitchen' },
    { action: 'create', text: 'x', category: 'kitchen' },
  ],
  [
    { action: 'edit', content: 'x' },
    { action: 'write', file: 'SKILL.md', text: 'x' },
  ],
  [
    { action: 'patch', old_string: 'a', new_string: '' },
    { action: 'patch', file: 'SKILL.md', old: 'a', text: '' },
  ],
  [
    { action: 'patch', old_string: 'a', new_string: 'b', file_path: 'x.md' },
    { action: 'patch', file: 'x.md', old: 'a', text: 'b' },
  ],
  [
    { action: 'write_file', file_path: 'x.md', file_content: 'x' },
    { action: 'write', file: 'x.md', text: 'x' },
  ],
  [
    { action: 'remove_file', file_path: 'x.md' },
    { action: 'remove', file: 'x.md' },
  ],
  [{ action: 'delete' }, { action: 'delete' }],
])('%o asks the host for it', async (args, asked) => {
  expect(await run({ ...args, name: 'tea' })).toEqual({
    result: { ok: true, text: `Done: ${args.action} tea.` },
    asked: { ...asked, skill: 'tea' },
  })
})

test.each([
  ['create', 'content'],
  ['edit', 'content'],
  ['patch', 'old_string'],
  ['write_file', 'file_path'],
  ['remove_file', 'file_path'],
])('%s says that it needs %s', async (action, key) => {
  const { result, asked } = await run({ action, name: 'tea' })
  expect(asked).toBeUndefined()
  expect(result).toMatchObject({ ok: false, error: { code: 'TOOL_ARGUMENTS', params: { problem: `${action} needs ${key}` } } })
})

test('what waits says so, and a refusal keeps its code', async () => {
  const { result } = await run({ action: 'delete', name: 'tea' }, { change: async () => ({ waits: 'skl_1' }) })
  expect(result).toEqual({ ok: true, text: expect.stringMatching(/waits for the approval of a person as skl_1/) })
  const { context } = openTestContext({ manifest, contribution: 'skill-writing', config: {} })
  const { tools } = await toolset.open(context as unknown as ToolContext, call)
  const bare = {
    id: 'c',
    session: 's',
    turn: 't',
    workspace: '/',
    args: { action: 'delete', name: 'tea' },
    progress: () => undefined,
    ask: async () => '',
  }
  expect(await (tools.skill_manage as ToolRun)(bare, call)).toMatchObject({ ok: false, error: { code: 'PLUGIN_UNDECLARED' } })
})
