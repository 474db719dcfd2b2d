import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type ToolContext, type ToolRun } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import toolset from './toolset.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

async function run(tool: 'list_skills' | 'skill_view', args: object, list?: ToolContext['skills']['list']): ReturnType<ToolRun> {
  const { context } = openTestContext({ manifest, contribution: 'skills', config: {} })
  const skills = list ? { ...context.skills, list } : context.skills
  const { tools } = await toolset.open({ ...context, skills }, call)
  const toolCall = { id: 'c', session: 's', turn: 't', workspace: '/', args, progress: () => undefined, ask: async () => '' }
  return (tools[tool] as ToolRun)(toolCall, call)
}

test('skills are listed, all or those of a category', async () => {
  const list = async () => [
    { name: 'tea', description: 'Makes tea.', category: 'kitchen' },
    { name: 'walk', description: 'Goes out.' },
  ]
  expect(await run('list_skills', {}, list)).toEqual({ ok: true, text: 'tea (kitchen): Makes tea.\nwalk: Goes out.' })
  expect(await run('list_skills', { category: 'kitchen' }, list)).toEqual({ ok: true, text: 'tea (kitchen): Makes tea.' })
  expect(await run('list_skills', { category: 'garden' }, list)).toEqual({ ok: true, text: 'There are no skills.' })
})

test('a skill is read, and what cannot be read is told with its code', async () => {
  expect(await run('skill_view', { name: 'greeting' })).toEqual({ ok: true, text: 'Hello from the test host.' })
  expect(await run('skill_view', { name: 'greetin' })).toMatchObject({ ok: false, error: { code: 'SKILL_NOT_FOUND' } })
  expect(await run('skill_view', { name: 'greeting', file: 'x.md' })).toMatchObject({ ok: false, error: { code: 'SKILL_FILE' } })
})
