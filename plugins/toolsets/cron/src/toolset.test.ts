import type { ToolCall, ToolRun } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import toolset from './toolset.ts'

type ToolJobs = NonNullable<ToolCall['jobs']>

const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
const job: Awaited<ReturnType<ToolJobs['create']>> = {
  ...{ id: 'job_1', name: 'tea', prompt: 'Make tea.', schedule: '0 9 * * *', zone: 'UTC', state: 'scheduled' },
  ...{ nextAt: Date.parse('2026-03-01T09:00:00Z'), skills: ['kitchen'], deliver: 'origin' },
}

/** What the tool answers, and what it asked of the host. */
async function run(args: object, change: Partial<ToolJobs> | null = {}) {
  const asked: unknown[] = []
  const note = (what: unknown, answer: typeof job): typeof job => {
    asked.push(what)
    return answer
  }
  const jobs: ToolJobs = {
    create: async (wish) => note(['create', wish], job),
    list: async () => [job],
    edit: async (id, wish) => note(['edit', id, wish], job),
    act: async (id, what) => note([what, id], { ...job, state: 'paused', nextAt: null }),
    ...change,
  }
  const { tools } = await toolset.open({} as never, call)
  const toolCall = { id: 'c', session: 's', turn: 't', workspace: '/', args, progress: () => undefined, ask: async () => '' }
  return { result: await (tools.cronjob as ToolRun)(change ? { ...toolCall, jobs } : toolCall, call), asked }
}

const shown = 'job_1 "tea": 0 9 * * * (UTC), next 2026-03-01 09:00 UTC, to origin, skills kitchen\nMake tea.'

test('jobs are made, listed and changed by what is said about them', async () => {
  expect(await run({ action: 'create', prompt: 'Make tea.', schedule: 'daily 9:00' })).toEqual({
    result: { ok: true, text: `The job is kept.\n${shown}` },
    asked: [['create', { prompt: 'Make tea.', schedule: 'daily 9:00' }]],
  })
  expect((await run({ action: 'update', job: 'tea', context_from: ['news'] })).asked).toEqual([['edit', 'tea', { contextFrom: ['news'] }]])
  expect((await run({ action: 'list' })).result).toEqual({ ok: true, text: shown })
  expect((await run({ action: 'list' }, { list: async () => [] })).result).toEqual({ ok: true, text: 'There are no jobs.' })
  expect((await run({ action: 'update', job: 'tea', name: 'coffee' })).asked).toEqual([['edit', 'tea', { name: 'coffee' }]])
})

test.for(['pause', 'resume', 'run', 'remove'])('%s is done with the job that is named, and needs one', async (action) => {
  const { result, asked } = await run({ action, job: 'tea' })
  expect(asked).toEqual([[action, 'tea']])
  expect(result).toMatchObject({ ok: true, text: expect.stringContaining('paused') })
  expect((await run({ action })).result).toMatchObject({ ok: false, error: { code: 'TOOL_ARGUMENTS' } })
})

test('what the host refuses is told with its code, and so is a missing permission', async () => {
  const list = () => Promise.reject(fail('JOB_NOT_FOUND', { job: 'x' }))
  expect((await run({ action: 'list' }, { list })).result).toMatchObject({ ok: false, error: { code: 'JOB_NOT_FOUND' } })
  expect((await run({ action: 'list' }, null)).result).toMatchObject({ ok: false, error: { code: 'PLUGIN_UNDECLARED' } })
})
