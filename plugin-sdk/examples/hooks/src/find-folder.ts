import type { Wire } from '@agent/plugin-sdk'

/** The first folder of the list that is named anywhere in the arguments of a tool. */
export function findFolder(args: Wire | undefined, folders: readonly string[]): string | undefined {
  if (typeof args === 'string') return folders.find((folder) => args.includes(folder))
  if (typeof args !== 'object' || args === null || args instanceof Uint8Array) return undefined
  for (const value of Object.values(args) as readonly (Wire | undefined)[]) {
    const found = findFolder(value, folders)
    if (found !== undefined) return found
  }
  return undefined
}
