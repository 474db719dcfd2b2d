import { isIP } from 'node:net'

/** Addresses that stand for names within one process. */
export interface MadeUpNames {
  addressOf(name: string, family: 4 | 6): { readonly address: string; readonly family: number }
  /** The name for which an address stands; any other stays as it is. */
  nameOf(address: string): string
}

/** 198.18.0.0/15, which belongs to nobody; its counterpart of version 6 is 2001:2::/48. */
const most = 2 ** 17

export function createMadeUpNames(): MadeUpNames {
  const numbers = new Map<string, number>()
  const names = new Map<string, string>()
  return {
    addressOf(name, family) {
      const known = isIP(name)
      if (known !== 0) return { address: name, family: known }
      const number = numbers.get(name) ?? (numbers.size % most) + 1
      numbers.set(name, number)
      const address =
        family === 6
          ? `2001:2::${(number >> 16).toString(16)}:${(number & 65_535).toString(16)}`
          : `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
      names.set(address, name)
      return { address, family }
    },
    nameOf: (address) => names.get(address) ?? address,
  }
}
