import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import type { Call, Wire } from '../contract/wire.ts'
import { defineKind, repeated } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of a notifier's entry file. */
export interface Notifier<C = unknown> {
  open(context: Context<C>, call: Call): Promise<OpenNotifier>
}

/** A notifier that is open. */
export interface OpenNotifier {
  /**
   * What people are to read of an event, in order; nothing where it is not worth a word. After a crash it may hear an event again: for the same
   * event it gives the same posts. Rejects with a coded error; then it hears the event again some time later.
   */
  hear(event: NotifierEvent, call: Call): Promise<readonly NotifierPost[]>
}

/** Something that has happened. */
export interface NotifierEvent {
  /** The same whenever the event is heard again. */
  readonly id: string
  /** One of the declared events. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Of an event of the host: what `HostEvents` says; of an own one: what was raised. */
  readonly data: Wire
}

/** What the events of the host hold. */
export interface HostEvents {
  /** A due time of a job is over: its run has ended, or there was none. `text` is the answer, or why there is none. */
  readonly 'job.end': {
    readonly job: string
    readonly name: string
    readonly state: 'ok' | 'failed' | 'skipped' | 'missed' | 'lost'
    readonly text: string
  }
  /** Work that a conversation left in the background has ended, where people may hear of it by `background_process_notifications`. */
  readonly 'background.end': { readonly kind: 'result' | 'error'; readonly text: string }
  /** A child agent that worked behind a conversation has ended. `task` is the beginning of what it had to do, `text` what it says, or why it says nothing. */
  readonly 'subagent.end': {
    readonly task: string
    readonly state: 'completed' | 'failed' | 'timeout' | 'interrupted' | 'lost'
    readonly text: string
  }
  /** A person is asked something in a conversation, and has not answered. `text` is what people see there. */
  readonly 'question.waiting': { readonly kind: 'approval' | 'clarify'; readonly text: string }
}

/** One message. The person who set the notifier up says where it goes, and when. */
export interface NotifierPost {
  /** Markdown, as the agent writes it. A long text is cut in the middle. */
  readonly text: string
  /** What is wrong, which people may want to hear although they want to hear nothing else. */
  readonly isError?: boolean
}

type Shapes = { readonly [Name in keyof HostEvents]: z.ZodType<HostEvents[Name]> }

const words = z.string()
const shapes: Shapes = {
  'job.end': z.strictObject({ job: words, name: words, state: z.enum(['ok', 'failed', 'skipped', 'missed', 'lost']), text: words }),
  'background.end': z.strictObject({ kind: z.enum(['result', 'error']), text: words }),
  'subagent.end': z.strictObject({
    task: words,
    state: z.enum(['completed', 'failed', 'timeout', 'interrupted', 'lost']),
    text: words,
  }),
  'question.waiting': z.strictObject({ kind: z.enum(['approval', 'clarify']), text: words }),
}

const hostEvents: readonly string[] = Object.keys(shapes)
/** First words of events that only the host raises, those of now and of later. */
const hostWords = [
  ...['job', 'background', 'subagent', 'agent', 'session', 'turn', 'tool', 'model', 'question'],
  ...['plugin', 'platform', 'gateway', 'message'],
]

const eventName = z.string().regex(/^[a-z][a-z0-9-]{0,31}(\.[a-z][a-z0-9-]{0,31}){1,3}$/)

const notifier = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  /** Those of the host, and those that a toolset of the same plugin raises. */
  events: z.array(eventName).min(1),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** A notifier, as the manifest has it. */
export type NotifierManifest = z.output<typeof notifier>

export const notifierKind = defineKind({
  spec: notifier,
  problems: ({ events }, path) => [
    ...repeated(events, `${path}.events`),
    ...events
      .filter((event) => isHostEvent(event) && !hostEvents.includes(event))
      .map((event) => ({ path: `${path}.events.${event}`, problem: `is no event of the host, which has ${hostEvents.join(', ')}` })),
  ],
})

/** Whether an event has a name that no plugin may raise. */
function isHostEvent(event: string): boolean {
  return hostWords.includes(event.split('.')[0] ?? '')
}

/** What in an event is not as the host raises it; undefined where all fits, and for events of plugins. */
export function findEventMisfit({ name, data }: Pick<NotifierEvent, 'name' | 'data'>): string | undefined {
  const shape = Object.entries(shapes).find(([event]) => event === name)?.[1]
  const [issue] = shape?.safeParse(data).error?.issues ?? []
  return issue && [issue.path.join('.'), issue.message].filter(Boolean).join(': ')
}
