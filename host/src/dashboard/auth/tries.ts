import type { Clock } from '@agent/plugin-sdk'

export interface Tries {
  /** False where this address has had all that it gets now. */
  take(address: string): boolean
}

const windowMs = 60_000
const mostTries = 10

/** Ten a minute for each address, so that one cannot use up those of another. */
export function createTries(clock: Pick<Clock, 'now'>): Tries {
  const times = new Map<string, number[]>()
  return {
    take(address) {
      const since = clock.now() - windowMs
      for (const [each, at] of times) if (at.every((time) => time <= since)) times.delete(each)
      const owner = ownerOf(address)
      const recent = (times.get(owner) ?? []).filter((time) => time > since)
      if (recent.length < mostTries) times.set(owner, [...recent, clock.now()])
      return recent.length < mostTries
    },
  }
}

/** Somebody with IPv6 has a whole network of 2^64 addresses, which count as one. */
function ownerOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const [first, last] = [head, tail].map((part) => part.split(':').filter((group) => group !== '')) as [string[], string[]]
  const gap = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...gap, ...last]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
