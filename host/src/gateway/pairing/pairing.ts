import type { Clock, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { foldCase } from '#kernel/fold-case.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { createCode, createRequestId, isCodeOf, parseCode, type RandomBytes, sealCode } from './code.ts'
import { type ApprovedPerson, openPairingFiles, type PairingFiles, type PendingRequest } from './pairing-files.ts'
import { countWrong, isSamePerson, lateOffers, livePending, lockedUntil, mayAsk, type Person } from './rules.ts'

export interface PairingOptions {
  /** `<home>/platforms/pairing`. */
  readonly folder: string
  /** Runs one change at a time, of whichever process. */
  readonly exclusive: <T>(change: () => T) => Promise<T>
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly log: Log
}

export interface Stranger extends Person {
  readonly name?: string
  /** Id of the message in which they asked, and of the conversation. */
  readonly message: string
  readonly conversation: string
}

/** Somebody who was let in just now. */
export interface LetIn extends ApprovedPerson {
  /** Where they asked; unknown where an older version wrote the request down. */
  readonly conversation?: string
}

/** A request as its owner sees it; the code is known to the stranger alone. */
export interface WaitingRequest extends Person {
  readonly id: string
  readonly name?: string
  readonly at: number
}

/** Lets people in who were strangers: they get a code in a direct message, and the owner approves it. */
export interface Pairing {
  /** Read again when the file changed, so that an approval and its end count at once. Closed where the file is damaged. */
  isApproved(platform: string, person: Person): boolean
  /** A code for a stranger; undefined where the rules allow none. */
  offer(platform: string, stranger: Stranger): Promise<string | undefined>
  /** Lets in who got this code. Five wrong ones in a row lock the platform for an hour. */
  approve(platform: string, code: string): Promise<LetIn>
  /** The same for who has seen the list of requests; nothing can be guessed here, so nothing is counted. */
  approveRequest(platform: string, id: string): Promise<LetIn>
  /** Forgets a person on every account of the platform, with what they asked for; resolves to how many approvals ended. */
  revoke(platform: string, user: string): Promise<number>
  /** Makes every open code worthless; resolves to how many there were. */
  clearPending(platform: string): Promise<number>
  waiting(platform: string): readonly WaitingRequest[]
  approved(platform: string): readonly ApprovedPerson[]
  /** When the lock of a platform ends, in milliseconds since 1970. */
  lockedUntil(platform: string): number | undefined
}

interface Parts extends PairingOptions {
  readonly files: PairingFiles
}

export function openPairing(options: PairingOptions): Pairing {
  const files = openPairingFiles(options.folder)
  const parts: Parts = { ...options, files }
  const { exclusive, clock } = options
  return {
    isApproved: createApprovedReader(parts),
    offer: async (platform, stranger) => {
      const books = (): Parameters<typeof mayAsk>[0] => ({ pending: files.pending(platform), limits: files.limits(platform) })
      // Asked first without the lock: a person who writes all day long must not keep others waiting for it.
      if (!mayAsk(books(), stranger, clock.now())) return undefined
      return exclusive(() => (mayAsk(books(), stranger, clock.now()) ? offerCode(parts, platform, stranger) : undefined))
    },
    approve: (platform, code) => exclusive(() => approveCode(parts, platform, parseCode(code))),
    approveRequest: (platform, id) =>
      exclusive(() => {
        const request = livePending(files.pending(platform), clock.now()).find(([each]) => each === id)
        if (!request) throw fail('PAIRING_REQUEST_UNKNOWN', { platform, request: id })
        return letIn(parts, platform, request[1])
      }),
    revoke: (platform, user) => exclusive(() => forget(parts, platform, user)),
    clearPending: (platform) =>
      exclusive(() => {
        const open = livePending(files.pending(platform), clock.now()).length
        if (Object.keys(files.pending(platform)).length > 0) files.writePending(platform, {})
        return open
      }),
    waiting: (platform) =>
      livePending(files.pending(platform), clock.now()).map(([id, { account, user, name, at }]) => ({
        id,
        account,
        user,
        ...(name === undefined ? {} : { name }),
        at,
      })),
    approved: (platform) => files.approved(platform),
    lockedUntil: (platform) => lockedUntil(files.limits(platform), clock.now()),
  }
}

function createApprovedReader({ files, log }: Parts): Pairing['isApproved'] {
  const known = new Map<string, { readonly version: string; readonly people: readonly ApprovedPerson[] }>()
  const read = (platform: string): readonly ApprovedPerson[] => {
    try {
      return files.approved(platform)
    } catch (error) {
      log.error('nobody is let in by pairing', { platform, error: String(error) })
      return []
    }
  }
  return (platform, person) => {
    const version = files.approvedVersion(platform)
    const held = known.get(platform)
    const current = held?.version === version ? held : { version, people: version === '' ? [] : read(platform) }
    known.set(platform, current)
    return person.user !== '' && current.people.some((each) => isSamePerson(each, person))
  }
}

/** A person has one code at a time: a new one makes the old one worthless. */
function offerCode({ files, clock, randomBytes }: Parts, platform: string, stranger: Stranger): string {
  const at = clock.now()
  const code = createCode(randomBytes)
  const { account, user, name, message, conversation } = stranger
  const others = livePending(files.pending(platform), at).filter(([, request]) => !isSamePerson(request, stranger))
  const about = { account, user, ...(name === undefined ? {} : { name }), message, conversation }
  const request: PendingRequest = { ...about, ...sealCode(code, randomBytes), at }
  files.writePending(platform, Object.fromEntries([...others, [createRequestId(randomBytes), request]]))
  const limits = files.limits(platform)
  const late = lateOffers(limits, at).filter((offer) => !isSamePerson(offer, stranger))
  files.writeLimits(platform, { ...limits, offered: [...late, { account, user, at }] })
  return code
}

function approveCode(parts: Parts, platform: string, code: string): LetIn {
  const { files, clock } = parts
  const limits = files.limits(platform)
  const locked = lockedUntil(limits, clock.now())
  if (locked !== undefined) throw lockError(platform, locked)
  // Every request is compared, so that the time does not tell which one was near.
  const [found] = livePending(files.pending(platform), clock.now()).filter(([, request]) => isCodeOf(request, code))
  if (found) {
    const person = letIn(parts, platform, found[1])
    files.writeLimits(platform, { wrong: 0, offered: limits.offered })
    return person
  }
  const counted = countWrong(limits, clock.now())
  files.writeLimits(platform, counted.limits)
  const until = lockedUntil(counted.limits, clock.now())
  throw until === undefined ? fail('PAIRING_CODE_WRONG', { platform, left: counted.left }) : lockError(platform, until)
}

function lockError(platform: string, until: number): Error {
  return fail('PAIRING_LOCKED', { platform, until: new Date(until).toISOString() })
}

function letIn({ files, clock }: Parts, platform: string, request: PendingRequest): LetIn {
  const { account, user, name, conversation } = request
  const person: ApprovedPerson = { account, user, ...(name === undefined ? {} : { name }), at: clock.now() }
  files.writeApproved(platform, [...files.approved(platform).filter((each) => !isSamePerson(each, person)), person])
  const rest = livePending(files.pending(platform), clock.now()).filter(([, each]) => !isSamePerson(each, person))
  files.writePending(platform, Object.fromEntries(rest))
  return { ...person, ...(conversation === undefined ? {} : { conversation }) }
}

function forget({ files }: Parts, platform: string, user: string): number {
  const isMeant = (each: Person): boolean => foldCase(each.user) === foldCase(user)
  const approved = files.approved(platform)
  const kept = approved.filter((each) => !isMeant(each))
  const pending = Object.entries(files.pending(platform))
  const waiting = pending.filter(([, each]) => !isMeant(each))
  const ended = approved.length - kept.length
  if (ended === 0 && waiting.length === pending.length) {
    const nearest = nearestName(
      user,
      approved.map((each) => each.user),
    )
    throw fail('PAIRING_USER_UNKNOWN', { platform, user, ...(nearest === undefined ? {} : { nearest }) })
  }
  if (ended > 0) files.writeApproved(platform, kept)
  files.writePending(platform, Object.fromEntries(waiting))
  return ended
}
