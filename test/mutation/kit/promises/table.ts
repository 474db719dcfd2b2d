import { createHash } from 'node:crypto'
import type { Declared, PromiseFault } from './fault.ts'
import { inboundFaults } from './inbound.ts'
import { lifeFaults } from './life.ts'
import { methodFaults } from './methods.ts'
import { outboundFaults } from './outbound.ts'
import { requestFaults } from './request.ts'

/** Every promise that is broken somewhere. */
export const promiseFaults: readonly PromiseFault[] = [
  ...inboundFaults,
  ...outboundFaults,
  ...methodFaults,
  ...lifeFaults,
  ...requestFaults,
]

/** `inbound/twice`. */
export const nameOf = ({ about, name }: PromiseFault): string => `${about}/${name}`

/** Those that apply to a platform, in the order in which a sample of the seed takes them: of each part of the contract one, then of each the next. */
export function faultsOf(declared: Declared, platform: string, seed: number): readonly PromiseFault[] {
  const hashOf = (fault: PromiseFault): string =>
    createHash('sha256')
      .update(`${seed}\n${platform}\n${nameOf(fault)}`)
      .digest('hex')
  const sorted = promiseFaults
    .filter(({ applies }) => applies(declared))
    .map((fault) => ({ fault, hash: hashOf(fault) }))
    .sort((one, other) => (one.hash < other.hash ? -1 : 1))
  const rounds = new Map<string, number>()
  return sorted
    .map(({ fault }, index) => {
      const round = rounds.get(fault.about) ?? 0
      rounds.set(fault.about, round + 1)
      return { fault, round, index }
    })
    .sort((one, other) => one.round - other.round || one.index - other.index)
    .map(({ fault }) => fault)
}
