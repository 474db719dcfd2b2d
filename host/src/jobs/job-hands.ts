import type { JobHands, JobPerson } from '#store/jobs.ts'

/** Through which doors somebody makes or changes a job, who does it, and which toolsets they have at most. */
export interface JobHand {
  readonly door?: string | undefined
  readonly doors?: readonly string[] | undefined
  readonly people?: readonly JobPerson[] | undefined
  readonly toolsets?: readonly string[] | undefined
}

/** Who changes a job is bound by it and binds it: it keeps the doors and the people of both. */
export function joinHands(before: JobHand, by: JobHand): JobHands {
  const [door, ...doors] = [...new Set([before, by].flatMap((hand) => [hand.door, ...(hand.doors ?? [])]))].filter(isSaid)
  const added = by.people ?? []
  const people = [...(before.people ?? []).filter((one) => !added.some((other) => isSame(one, other))), ...added]
  return {
    ...(door === undefined ? {} : { door }),
    ...(doors.length === 0 ? {} : { doors }),
    ...(people.length === 0 ? {} : { people }),
  }
}

/** The toolsets that a job wants, as far as who makes it has them; undefined: all. */
export function narrowToolsets(wanted: readonly string[] | undefined, most: readonly string[] | undefined): readonly string[] | undefined {
  return wanted && most ? wanted.filter((id) => most.includes(id)) : (wanted ?? most)
}

const isSaid = (door: string | undefined): door is string => door !== undefined

const placeOf = ({ platform, account, conversation, sender }: JobPerson): string =>
  JSON.stringify([platform, account, conversation.id, sender.id])

const isSame = (one: JobPerson, other: JobPerson): boolean => placeOf(one) === placeOf(other)
