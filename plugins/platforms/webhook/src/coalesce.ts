import type { Clock, InboundMessage, State, Wire } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { createMessage } from './inbound.ts'
import type { Route } from './settings.ts'

const group = z.object({
  route: z.string(),
  key: z.string(),
  /** Ids of the events in it, the first of which names the message. */
  ids: z.array(z.string()),
  texts: z.array(z.string()),
  /** Events whose text had no room. */
  left: z.number(),
  since: z.number(),
  due: z.number(),
  /** It is being handed in; what belongs to it from now on begins another one. */
  closed: z.boolean(),
})
const stored = z.object({ groups: z.array(group), taken: z.array(z.string()) })

type Group = z.output<typeof group>
type Stored = z.output<typeof stored>

export interface Coalescer {
  /** Keeps the event until its group is complete. Resolves when it cannot be lost any more; false where it was known. */
  add(route: Route, event: { readonly id: string; readonly key: string; readonly text: string }): Promise<boolean>
}

export interface CoalescerOptions {
  readonly state: State
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly routes: ReadonlyMap<string, Route>
  /** Resolves when the host has the message. */
  readonly accept: (message: InboundMessage) => Promise<void>
  readonly onFailure: (error: unknown) => void
}

const stateKey = 'coalesced'
const mostTexts = 50
const mostCharacters = 32_000
/** Ids of events that are remembered after their group is gone. */
const mostTaken = 1000

/** Makes one message of events that belong together. What waits survives a restart. */
export async function openCoalescer(options: CoalescerOptions): Promise<Coalescer> {
  const { state, clock, signal, routes, accept, onFailure } = options
  let known: Stored = z.safeParse(stored, await state.get(stateKey)).data ?? { groups: [], taken: [] }
  let last: Promise<unknown> = Promise.resolve()
  /** One change after the other, each stored before the next begins. */
  const change = (make: (now: Stored) => Stored): Promise<void> => {
    const work = last.then(async () => {
      const next = make(known)
      if (next !== known) await state.set(stateKey, next as Wire)
      known = next
    })
    last = work.catch(() => undefined)
    return work
  }
  const finish = async (first: string, name: string): Promise<void> => {
    const find = (): Group | undefined => known.groups.find(({ route, ids }) => route === name && ids[0] === first)
    for (let now = find(); now && now.due > clock.now(); now = find()) await clock.sleep(now.due - clock.now(), signal)
    // From here on nothing is added: the message that is handed in once more after a crash has to be the same.
    await change((before) => ({ ...before, groups: before.groups.map((one) => (one === find() ? { ...one, closed: true } : one)) }))
    const done = find()
    const route = routes.get(name)
    if (!done) return
    if (route) await accept(createMessage(route, `coalesced:${first}`, describe(done)))
    await change(({ groups, taken }) => ({
      groups: groups.filter((one) => one !== done),
      taken: [...taken, ...done.ids.map((id) => `${name}/${id}`)].slice(-mostTaken),
    }))
  }
  const watch = ({ ids: [first = ''], route }: Group): void => {
    finish(first, route).catch((error: unknown) => {
      if (!signal.aborted) onFailure(error)
    })
  }
  for (const one of known.groups) watch(one)
  return {
    add: async (route, event) => {
      let isNew = true
      let begun: Group | undefined
      await change((before) => {
        const own = before.groups.filter((one) => one.route === route.name)
        isNew = !before.taken.includes(`${route.name}/${event.id}`) && !own.some(({ ids }) => ids.includes(event.id))
        if (!isNew) return before
        const old = own.find(({ key, closed }) => key === event.key && !closed)
        const next = extend(old, route, event, clock.now())
        begun = old ? undefined : next
        return { ...before, groups: [...before.groups.filter((one) => one !== old), next] }
      })
      if (begun) watch(begun)
      return isNew
    },
  }
}

function extend(old: Group | undefined, { name, coalesce }: Route, event: { id: string; key: string; text: string }, now: number): Group {
  const since = old?.since ?? now
  const texts = old?.texts ?? []
  const fits = texts.length < mostTexts && texts.join('').length + event.text.length <= mostCharacters
  return {
    route: name,
    key: event.key,
    ids: [...(old?.ids ?? []), event.id],
    texts: fits || texts.length === 0 ? [...texts, event.text] : texts,
    left: (old?.left ?? 0) + (fits || texts.length === 0 ? 0 : 1),
    since,
    due: Math.min(now + (coalesce?.windowMs ?? 0), since + (coalesce?.maxWaitMs ?? 0)),
    closed: false,
  }
}

function describe({ texts, left }: Group): string {
  const note = left === 0 ? [] : [`(${left} more ${left === 1 ? 'event' : 'events'} of the same kind had no room)`]
  return [...texts, ...note].join('\n\n---\n\n')
}
