import type { SlotValues } from './blueprint.ts'

/** A name, and what is said of its slots: `morning-brief time=08:00 what="drink water"`. */
export function readSlots(args: string): { readonly name: string; readonly values: SlotValues | undefined } {
  const pair = /(?:^|\s)([a-z_][\w-]*)=(?:"([^"]*)"|“([^”]*)”|(\S*))/gi
  const values: Record<string, string> = {}
  let first = args.length
  for (const match of args.matchAll(pair)) {
    first = Math.min(first, match.index)
    values[(match[1] ?? '').toLowerCase()] = match[2] ?? match[3] ?? match[4] ?? ''
  }
  return { name: args.slice(0, first).trim(), values: first === args.length ? undefined : values }
}

/** What a link of the form `agent://blueprint/<key>?slot=value` says; undefined where it is another. */
export function readLink(link: string): { readonly name: string; readonly values: SlotValues } | undefined {
  if (!URL.canParse(link)) return undefined
  const { protocol, hostname, pathname, searchParams } = new URL(link)
  const name = decodeURIComponent(pathname.slice(1))
  if (protocol !== 'agent:' || hostname !== 'blueprint' || name === '' || name.includes('/')) return undefined
  return { name, values: Object.fromEntries(searchParams) }
}
