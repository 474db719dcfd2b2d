import type { ArgsOf, ToolCall, ToolResult, ToolRun, Toolset } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { tools } from './tools.ts'

type Wish = ArgsOf<typeof tools, 'cronjob'>
type Jobs = NonNullable<ToolCall['jobs']>
type Job = Awaited<ReturnType<Jobs['create']>>

const toolset: Toolset = {
  async open() {
    const cronjob: ToolRun<Wish> = async ({ args, jobs }) => {
      try {
        if (!jobs) throw fail('PLUGIN_UNDECLARED', { plugin: 'toolset-cron', access: 'jobs', field: '"jobs" in permissions.host' })
        return { ok: true, text: await answer(args, jobs) }
      } catch (error) {
        return { ok: false, error: toWireError(error) } satisfies ToolResult
      }
    }
    return { tools: { cronjob } }
  },
}

export default toolset

async function answer({ action, job, context_from, ...said }: Wish, jobs: Jobs): Promise<string> {
  const wish = context_from === undefined ? said : { ...said, contextFrom: context_from }
  if (action === 'list') return (await jobs.list()).map(formatJob).join('\n\n') || 'There are no jobs.'
  if (action === 'create') return `The job is kept.\n${formatJob(await jobs.create(wish))}`
  if (job === undefined) throw fail('TOOL_ARGUMENTS', { tool: 'cronjob', problem: `${action} needs job, an id or a name` })
  if (action === 'update') return `The job is changed.\n${formatJob(await jobs.edit(job, wish))}`
  return `${done[action]}\n${formatJob(await jobs.act(job, action))}`
}

const done = {
  pause: 'The job is paused.',
  resume: 'The job goes on.',
  run: 'The job is run once, as soon as the gateway can.',
  remove: 'The job is removed. This was it:',
} as const

function formatJob({ id, name, schedule, zone, state, nextAt, skills, deliver, prompt }: Job): string {
  const next = nextAt === null ? state : `next ${new Date(nextAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const using = skills.length === 0 ? '' : `, skills ${skills.join(', ')}`
  return `${id} "${name}": ${schedule} (${zone}), ${next}, to ${deliver}${using}\n${prompt.length <= 300 ? prompt : `${prompt.slice(0, 299)}…`}`
}
