import { refuseMaker } from '#agent/jobs/job-rights.ts'
import type { Blueprint } from '#jobs/blueprints/blueprint.ts'
import { askerIn, cronCommand } from './cron-command.ts'
import { makerOf } from './jobs/answer-jobs.ts'
import { formatJob } from './jobs/format-job.ts'
import type { SlashCommand } from './slash.ts'

/**
 * Alone it lists the catalog. With a name the agent asks for one slot after the other and makes the job. With slots the job is made at once, or what
 * is missing or wrong is named.
 */
export const blueprintCommand: SlashCommand = {
  name: 'blueprint',
  aliases: ['bp'],
  args: '[name] [slot=value …]',
  summary: 'Make a job from a template',
  surfaces: ['cli', 'gateway'],
  knownOnly: true,
  asks: true,
  run: async ({ args, door, services }) => {
    const { findBlueprint, fillBlueprint, readSlots, renderEntry } = await import('#jobs/blueprints/blueprints.ts')
    const { name, values } = readSlots(args)
    const blueprints = await services.jobs.blueprints()
    if (name === '' && values === undefined)
      return door.say(['Blueprints, templates for jobs. /blueprint NAME makes a job from one.', ...blueprints.map(renderEntry)].join('\n'))
    // It makes what /cron makes: a run of it would be refused.
    if (door.chat?.mayUse(cronCommand) === false) throw refuseMaker()
    const blueprint = findBlueprint(blueprints, name)
    if (values === undefined) return await door.ask(`Make a job from the blueprint ${blueprint.key}.`, { instructions: seedOf(blueprint) })
    const wish = fillBlueprint(blueprint, values)
    const desk = await services.jobs.desk()
    const { job, isNew } = await desk.create(wish, makerOf(askerIn(door)))
    door.say(
      `${isNew ? 'The job is kept' : 'There was such a job; it is changed'}:\n${formatJob(job, undefined)}\nEach run is told: ${job.prompt}`,
    )
  },
}

/** What the agent is to do in the turn that a blueprint begins. */
function seedOf({ title, description, schedule_template, prompt_template, slots, skills }: Blueprint): string {
  const asked = slots.map(({ name, label, default: usual, options = [] }) => {
    const choice = options.length === 0 ? '' : `; ${options.join(', ')}`
    return `- ${name}: ${label}${choice}${usual === '' ? '' : `; usually ${usual}`}`
  })
  return [
    `The person wants a job from the blueprint "${title}": ${description}`,
    'Ask for the value of each slot, one at a time, and offer what is usual. Then make the job by the tool cronjob (tool_search finds it) with action create.',
    `Slots:\n${asked.join('\n')}`,
    `Its schedule is ${schedule_template}, where {hour} and {minute} come from a time, and {dow} from days (0 is Sunday). Its prompt is: ${prompt_template}`,
    ...(skills.length === 0 ? [] : [`Its skills are ${skills.join(', ')}.`]),
  ].join('\n\n')
}
