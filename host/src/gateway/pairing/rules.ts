import { foldCase } from '#kernel/fold-case.ts'
import type { Limits, Pending, PendingRequest } from './pairing-files.ts'

const hourMs = 3_600_000
const codeLifeMs = hourMs
const lockMs = hourMs
const pauseMs = 600_000
const mostPending = 3
const mostWrong = 5

/** One account of one platform knows a person by this id. */
export interface Person {
  readonly account: string
  readonly user: string
}

export function isSamePerson(one: Person, other: Person): boolean {
  return one.account === other.account && foldCase(one.user) === foldCase(other.user)
}

/** A clock that was set back must neither lengthen nor end anything at once, so the distance counts. */
function isWithin(at: number, now: number, ms: number): boolean {
  return Math.abs(now - at) < ms
}

/** Requests whose code still works. */
export function livePending(pending: Pending, now: number): readonly (readonly [id: string, request: PendingRequest])[] {
  return Object.entries(pending).filter(([, { at }]) => isWithin(at, now, codeLifeMs))
}

/** When the lock of a platform ends; undefined when it is not locked. */
export function lockedUntil({ lockedAt }: Limits, now: number): number | undefined {
  return lockedAt !== undefined && isWithin(lockedAt, now, lockMs) ? lockedAt + lockMs : undefined
}

/** Those who got a code so lately that they get no other. */
export function lateOffers({ offered }: Limits, now: number): Limits['offered'] {
  return offered.filter(({ at }) => isWithin(at, now, pauseMs))
}

export interface Books {
  readonly pending: Pending
  readonly limits: Limits
}

/** Whether a stranger may have a code now. The message that a code was made for may have it again: its answer was lost in a crash. */
export function mayAsk({ pending, limits }: Books, stranger: Person & { readonly message: string }, now: number): boolean {
  if (stranger.user === '' || lockedUntil(limits, now) !== undefined) return false
  const live = livePending(pending, now).map(([, request]) => request)
  const own = live.find((request) => isSamePerson(request, stranger))
  const isLate = lateOffers(limits, now).some((offer) => isSamePerson(offer, stranger))
  if (isLate && own?.message !== stranger.message) return false
  return own !== undefined || live.filter(({ account }) => account === stranger.account).length < mostPending
}

/** One more wrong code: the limits afterwards, and how many tries are left. */
export function countWrong(limits: Limits, now: number): { readonly limits: Limits; readonly left: number } {
  const wrong = limits.wrong + 1
  const { offered } = limits
  return wrong < mostWrong
    ? { limits: { wrong, offered }, left: mostWrong - wrong }
    : { limits: { wrong: 0, lockedAt: now, offered }, left: 0 }
}
