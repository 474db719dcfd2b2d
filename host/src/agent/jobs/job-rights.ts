import { fail } from '@agent/plugin-sdk/errors'
import { type JobPerson, runDoor } from '#store/jobs.ts'
import type { JobRights } from '#tools/tool-turn.ts'

/** What a request for a turn says of doors and people. */
export interface RequestBounds {
  /** At most the toolsets of these doors too, where the request was made through others. */
  readonly asDoors?: readonly string[] | undefined
  /** At most these toolsets. */
  readonly toolsets?: readonly string[] | undefined
  /** The door that its model calls count for, where the request was made through another. */
  readonly countsAs?: string | undefined
  /** Id of the job whose run it is. */
  readonly job?: string | undefined
  /** Who speaks on a platform, and whether they may make and change jobs; absent: the owner of this machine does. */
  readonly speakers?: { readonly may: boolean; readonly people: readonly JobPerson[] } | undefined
}

/** What a turn hands on to the jobs that it makes: its run is bound by all that binds the turn. */
export function jobRightsOf({ source, asDoors = [], toolsets, speakers }: RequestBounds & { readonly source: string }): JobRights {
  // What runs may have binds each run anyway.
  const [door, ...doors] = source === runDoor ? asDoors : [source, ...asDoors]
  return {
    may: speakers?.may ?? true,
    ...(door === undefined ? {} : { door }),
    ...(doors.length === 0 ? {} : { doors }),
    ...(speakers && speakers.people.length > 0 ? { people: speakers.people } : {}),
    ...(toolsets === undefined ? {} : { toolsets }),
  }
}

/** What a person who may not use `/cron` hears, whichever way they took to a job. */
export const refuseMaker = (): Error =>
  fail('JOB_INVALID', {
    field: 'the person who asks',
    problem: 'may not use /cron here, and so gets no job made, changed or started; the owner of the agent can let them',
  })
