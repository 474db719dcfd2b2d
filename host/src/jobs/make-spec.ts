import { fail } from '@agent/plugin-sdk/errors'
import type { CronJob, JobScript, JobSpec, MissedRule } from '#store/jobs.ts'
import { type JobHand, joinHands, narrowToolsets } from './job-hands.ts'
import { parseSchedule, requireZone, type Schedule } from './parse-schedule.ts'
import { commandOf } from './script-command.ts'

/** What somebody says about a job; what is absent stays as it was, or is as usual. */
export interface CronWish {
  readonly name?: string | undefined
  readonly prompt?: string | undefined
  readonly schedule?: string | undefined
  readonly zone?: string | undefined
  readonly missed?: MissedRule | undefined
  readonly skills?: readonly string[] | undefined
  readonly toolsets?: readonly string[] | undefined
  readonly deliver?: string | undefined
  /** Jobs of the same owner, whose last answers a run is given. */
  readonly contextFrom?: readonly string[] | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly repeat?: number | undefined
  readonly timeoutSeconds?: number | undefined
  /** It is made and waits until it is resumed. */
  readonly paused?: boolean | undefined
}

/** Where a job is made. */
export interface JobMaker extends Pick<JobSpec, 'owner' | 'origin'>, JobHand {
  /** A stranger's jobs answer where they were made, and nowhere else. */
  readonly isStranger?: boolean
  /** The owner types `agent cron`. Nobody else gives a job a script, or changes one that has one. */
  readonly terminal?: { readonly script?: JobScript | undefined } | undefined
}

export interface JobGround {
  readonly now: () => number
  /** The zone of who names none. */
  readonly zone: () => string
  /** Whether repeated jobs make up for what they missed unless they say otherwise. */
  readonly catchesUp: () => boolean
  /** Whether there is such a messaging platform, skill or toolset. */
  readonly knows: (kind: 'platform' | 'skill' | 'toolset', name: string) => boolean
}

const longestPrompt = 50_000
const longestName = 100
const mostSources = 5
const usualTimeoutSeconds = 600
const longestTimeoutSeconds = 24 * 3600

/** Checks what is said about a job, by a schedule that was written at `since`; throws JOB_INVALID, SCHEDULE_INVALID or ZONE_UNKNOWN. */
export function makeSpec(ground: JobGround, wish: CronWish, maker: JobMaker, since: number): JobSpec {
  const script = readScript(wish, maker)
  const prompt = readText('prompt', wish.prompt?.trim() || (script && `Run ${script.name}.`), longestPrompt)
  const zone = requireZone(wish.zone ?? ground.zone())
  const schedule = parseSchedule(readText('schedule', wish.schedule, 200), { zone, now: since })
  return {
    name: readText('name', wish.name ?? script?.name ?? nameFrom(prompt), longestName),
    ...{ prompt, script, schedule: schedule.text, zone },
    missed: wish.missed ?? usualRule(schedule, ground),
    contextFrom: readSources(wish),
    ...readPowers(ground, { ...wish, toolsets: narrowToolsets(wish.toolsets, maker.toolsets) }),
    deliver: readDeliver(ground, wish.deliver, maker),
    ...(maker.origin === undefined ? {} : { origin: maker.origin }),
    ...joinHands({}, maker),
    owner: maker.owner,
    ...readModel(wish),
    ...(wish.repeat === undefined ? {} : { repeat: readCount('repeat', wish.repeat, 1_000_000) }),
    timeoutSeconds: readCount('timeoutSeconds', wish.timeoutSeconds ?? usualTimeoutSeconds, longestTimeoutSeconds),
  }
}

function readPowers({ knows }: JobGround, { skills = [], toolsets }: CronWish): Pick<JobSpec, 'skills' | 'toolsets'> {
  for (const skill of skills) if (!knows('skill', skill)) throw invalid('skills', `names "${skill}", which is none`)
  for (const one of toolsets ?? []) if (!knows('toolset', one)) throw invalid('toolsets', `names "${one}", which is none`)
  return { skills: [...new Set(skills)], ...(toolsets === undefined ? {} : { toolsets: [...new Set(toolsets)] }) }
}

function readScript({ contextFrom = [], skills = [] }: CronWish, { terminal }: JobMaker): JobScript | undefined {
  const script = terminal?.script
  if (script === undefined) return undefined
  commandOf(script)
  if (contextFrom.length > 0 || skills.length > 0) throw invalid('script', 'is run without the agent, so it takes no skills and no answers')
  return script
}

function readSources({ contextFrom = [] }: CronWish): readonly string[] | undefined {
  if (contextFrom.length > mostSources) throw invalid('contextFrom', `names more than ${mostSources} jobs`)
  return contextFrom.length === 0 ? undefined : [...new Set(contextFrom)]
}

function readModel({ provider, model }: CronWish): Pick<JobSpec, 'provider' | 'model'> {
  return { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }) }
}

/** The schedule of a job as it is kept. */
export function readSchedule(
  { schedule, zone, createdAt }: Pick<JobSpec, 'schedule' | 'zone'> & Partial<Pick<CronJob, 'createdAt'>>,
  now: number,
): Schedule {
  // What was still to come when the job was made may be over by now.
  return parseSchedule(schedule, { zone, now: Math.min(createdAt ?? now, now) - 1 })
}

const invalid = (field: string, problem: string): Error => fail('JOB_INVALID', { field, problem })

function readText(field: string, value: string | undefined, longest: number): string {
  const text = value?.trim() ?? ''
  if (text === '') throw invalid(field, 'is missing')
  if (text.length > longest) throw invalid(field, `is longer than ${longest} characters`)
  return text
}

function readCount(field: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most) throw invalid(field, `is no number from 1 to ${most}`)
  return value
}

function nameFrom(prompt: string): string {
  const [line = ''] = prompt.split('\n')
  return line.length <= 40 ? line : `${line.slice(0, 39).trimEnd()}…`
}

/** What comes once and too late is told: done then, it may do harm, and unsaid nobody would know. */
function usualRule(schedule: Schedule, { catchesUp }: JobGround): MissedRule {
  if (schedule.type === 'once') return 'tell'
  return catchesUp() ? 'run' : 'skip'
}

function readDeliver({ knows }: JobGround, value: string | undefined, { origin, isStranger = false }: JobMaker): string {
  const usual = origin === undefined ? 'local' : 'origin'
  const targets = (value ?? usual).split(',').map((target) => target.trim())
  for (const target of targets) {
    const [word = ''] = target.toLowerCase().split(':')
    if (['origin', 'local', 'all'].includes(target.toLowerCase())) continue
    if (!knows('platform', word.replaceAll('_', '-')))
      throw invalid('deliver', `names "${target}"; it takes origin, local, all, PLATFORM or PLATFORM:CONVERSATION`)
  }
  if (isStranger && targets.some((target) => !['origin', 'local'].includes(target.toLowerCase())))
    throw invalid('deliver', 'can be origin or local here: only the owner sends to other places')
  return targets.map((target) => (target.includes(':') ? target : target.toLowerCase())).join(',')
}
