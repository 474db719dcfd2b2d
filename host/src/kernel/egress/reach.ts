import { type DeclaredNet, mayReach } from '@agent/plugin-sdk'
import { createPrivateNetworks } from '../private-networks.ts'

/** Where somebody wants to connect to. */
export interface DoorTarget {
  /** A name or an address, in small letters. */
  readonly host: string
  readonly port: number
}

/** What keeps a plugin from a target, as part of a sentence; undefined where nothing does. */
export interface Reach {
  /** Asked before the name is looked up. */
  refuseName(target: DoorTarget): string | undefined
  /** Asked for each address of the name. */
  refuseAddress(target: DoorTarget, address: string): string | undefined
}

export function createReach(net: DeclaredNet): Reach {
  const isPrivate = createPrivateNetworks()
  const declares = (word: string): boolean => net === word || net.includes(word)
  return {
    refuseName: ({ host, port }) => (mayReach(net, host, port) ? undefined : `the manifest does not declare "${host}" in permissions.net`),
    refuseAddress: ({ host, port }, address) => {
      // The word "private" stands for private addresses; it opens no others.
      const wide = typeof net === 'string' ? net : net.filter((each) => each !== 'private')
      if (!isPrivate(address)) return mayReach(wide, host, port) ? undefined : `the manifest does not declare "${host}" in permissions.net`
      const named = host === address || host === 'localhost'
      if (declares('private') || (named && typeof wide !== 'string' && mayReach(wide.filter(isNoWord), host, port))) return undefined
      return `it leads to ${address} in a private network, and the manifest does not declare "private" in permissions.net`
    },
  }
}

const isNoWord = (each: string): boolean => each !== 'any' && each !== 'direct'
