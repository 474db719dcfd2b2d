import { type Call, type CodeKind, type Context, withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Contribution } from '../catalog/catalog.ts'
import { hostRow } from '../catalog/kind-rows.ts'
import { type CodeRow, type Crossing, kinds } from '../kinds.ts'

const openDeadline = 10_000

type Run = (...args: readonly unknown[]) => unknown
/** An entry, or what it gives: methods, and groups of methods. */
type Opened = Readonly<Record<string, unknown>>

/**
 * An entry whose opened parts outlive its child: who opened a provider, a toolset or the like keeps it for good, so after a crash it is
 * opened again in the next child at the next use. Supervision connects platforms again.
 */
export function reopenEntry({ kind, id }: Contribution, entry: object, demand: () => Promise<object>): object {
  if (hostRow(kind).reload === 'swap') return entry
  const { method } = kinds[kind]
  const open = (of: object, context: Context, call: Call): Promise<Opened> =>
    (of as Record<string, Run>)[method]?.(context, call) as Promise<Opened>
  return {
    [method]: async (context: Context, call: Call) => {
      const { first, current } = await openCurrent(entry, { context, call, demand }, (now, own) => open(now, context, own))
      return standIn(kind, id, first, current)
    },
  }
}

interface Reopening {
  readonly context: Context
  readonly call: Call
  readonly demand: () => Promise<object>
}

/** Gives what was opened, in the child that runs now. */
async function openCurrent<Entry extends object, Opened>(
  first: Entry,
  { context, call, demand }: Reopening,
  open: (entry: Entry, call: Call) => Promise<Opened>,
): Promise<{ first: Opened; current(): Promise<Opened> }> {
  let entry = first
  let opened = open(first, call)
  return {
    first: await opened,
    async current() {
      const now = (await demand()) as Entry
      if (now !== entry) {
        entry = now
        const { clock, signal, about } = context
        opened = withTimeLimit({ clock, signal, ms: openDeadline, what: `Opening ${about.plugin}` }, (own) =>
          open(now, { id: `${call.id} again`, signal: own, deadline: openDeadline }),
        )
        // Its callers get the error; the next call tries again.
        opened.catch(() => (entry = first))
      }
      return opened
    },
  }
}

/** Passes each call on to what was opened last; it has the members that the first one had. */
function standIn(kind: CodeKind, id: string, first: Opened, current: () => Promise<Opened>): Opened {
  const { lost } = hostRow(kind)
  const { members, title }: CodeRow = kinds[kind]
  const find = async (group: string | undefined, name: string): Promise<Run> => {
    const opened = await current()
    const owner = group === undefined ? opened : (opened[group] as Opened | undefined)
    const run = owner?.[name]
    if (typeof run !== 'function') throw fail('UNSUPPORTED', { what: name, by: `This ${title}` })
    return (...args: readonly unknown[]) => run.apply(owner, args)
  }
  const pass = (how: Crossing['how'], group: string | undefined, name: string): Run => {
    if (how !== 'stream') return async (...args) => await (await find(group, name))(...args)
    const lastItem = (error: unknown): unknown => {
      if (!lost || !isAgentError(error, 'PLUGIN_FAILED')) throw error
      return lost(id, error)
    }
    return (...args) => passOn(async () => (await find(group, name))(...args) as AsyncIterable<unknown>, lastItem)
  }
  const entries = Object.entries(members).map(([path, { how }]): [string, unknown] => {
    const [name = '', isGroup] = path.split('.')
    if (!isGroup) return [name, typeof first[name] === 'function' ? pass(how, undefined, name) : undefined]
    const group = Object.keys((first[name] as object | undefined) ?? {})
    return [name, Object.fromEntries(group.map((each) => [each, pass(how, name, each)]))]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** The items of a stream that is opened for the first of them. No generator: handing an item on, it takes five turns of the queue of promises. */
function passOn(open: () => Promise<AsyncIterable<unknown>>, lastItem: (error: unknown) => unknown): AsyncIterableIterator<unknown> {
  let items: AsyncIterator<unknown> | undefined
  let opening: Promise<AsyncIterator<unknown>> | undefined
  let isOver = false
  const failed = (error: unknown): IteratorResult<unknown> => {
    isOver = true
    return { done: false, value: lastItem(error) }
  }
  const begin = async (): Promise<AsyncIterator<unknown>> => {
    items = (await open())[Symbol.asyncIterator]()
    return items
  }
  const over = { done: true, value: undefined } as const
  const reading: AsyncIterableIterator<unknown> = {
    [Symbol.asyncIterator]: () => reading,
    next: () => {
      if (isOver) return Promise.resolve(over)
      if (items) return items.next().catch(failed)
      opening ??= begin()
      return opening.then((begun) => begun.next()).catch(failed)
    },
    return: async (value) => {
      isOver = true
      if (items) await items.return?.(value)
      // What is being opened is left as soon as it is there.
      else void opening?.then((begun) => begun.return?.(value)).catch(() => undefined)
      return { done: true, value }
    },
  }
  return reading
}
