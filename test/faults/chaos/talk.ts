import { setTimeout as pause } from 'node:timers/promises'
import type { Crowd } from '../../support/gateways/crowds.ts'
import type { TestHome } from '../../support/test-home.ts'
import type { Random } from '../random.ts'
import { readStored } from '../stored.ts'

/** One conversation, as its person sees it. */
export interface Conversation {
  readonly crowd: Crowd
  readonly person: number
  /** What was said, in order: `<platform>-<person>-<number>`. */
  readonly said: string[]
}

export function listConversations(crowds: readonly Crowd[]): readonly Conversation[] {
  return crowds.flatMap((crowd) => Array.from({ length: crowd.people }, (_, person) => ({ crowd, person, said: [] })))
}

/** The next message of a conversation. The offline model answers a note with the same words. */
export function sayNext({ crowd, person, said }: Conversation): void {
  const id = `${crowd.platform}-${person}-${said.length}`
  said.push(id)
  crowd.say(person, `note ${id}`)
}

/** Somebody says something, somewhere, about so many times a second, until the signal fires. */
export async function keepTalking(
  conversations: readonly Conversation[],
  random: Random,
  { perSecond, signal }: { readonly perSecond: number; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    sayNext(pickConversation(conversations, random))
    await new Promise((resolve) => setTimeout(resolve, random.between(0, 2000 / perSecond)))
  }
}

/** A platform of which less was accepted tells nothing. */
export const fewestAccepted = 3
const heardWithinMs = 20_000

/** Goes on, calmly, where less was accepted: platforms that keep nothing lose what is said while they are cut off, which is longer on a slow machine. */
export async function talkUntilHeard(home: TestHome, conversations: readonly Conversation[], random: Random): Promise<void> {
  const end = performance.now() + heardWithinMs
  const isUnheard = ({ crowd }: Conversation): boolean => readStored(home, crowd.platform).length < fewestAccepted
  for (let unheard = conversations.filter(isUnheard); unheard.length > 0; unheard = unheard.filter(isUnheard)) {
    if (performance.now() > end) return
    for (const crowd of new Set(unheard.map((one) => one.crowd))) {
      sayNext(random.pick(unheard.filter((one) => one.crowd === crowd) as [Conversation, ...Conversation[]]))
    }
    await pause(500)
  }
}

/** Mostly any of them; now and then one of a platform that is picked first, so that those with one conversation have their say. */
function pickConversation(conversations: readonly Conversation[], random: Random): Conversation {
  const one = random.pick(conversations as [Conversation, ...Conversation[]])
  if (random.next() < 0.75) return one
  const crowd = random.pick([...new Set(conversations.map((each) => each.crowd))] as [Crowd, ...Crowd[]])
  return random.pick(conversations.filter((each) => each.crowd === crowd) as [Conversation, ...Conversation[]])
}
