import { once } from 'node:events'
import type { Attack } from './attack.ts'
import { bodyAttacks } from './attacks-bodies.ts'
import { connectionAttacks, readerAttacks, textAttacks } from './attacks-connections.ts'
import { type Answers, formatAnswers, type Target } from './target.ts'

export const attacks: readonly Attack[] = [...connectionAttacks, ...bodyAttacks, ...textAttacks, ...readerAttacks]

/** What the driver asks of the attacker: to do one thing, or how much of what it left open the gateway has ended. */
export type Order = { readonly attack: string; readonly target: Target } | 'open'

/** Attacks in a separate process: making the bodies takes long, and those who measure must not be held up. */
export async function runAttacker(): Promise<boolean> {
  let open = 0
  process.on('message', (order: Order) => {
    if (order === 'open') process.send?.(String(open))
    else void attack(order.attack, order.target).then((answer) => process.send?.(answer))
  })
  const leave = (ended: Promise<unknown>): void => {
    open++
    void ended.then(() => open--)
  }
  async function attack(name: string, target: Target): Promise<string> {
    const answers: Answers = new Map()
    const run = attacks.find(([each]) => each === name)?.[1]
    const answer = await run?.(target, { answers, leave }).catch((error: unknown) => String(error))
    return [typeof answer === 'string' ? answer : '', formatAnswers(answers)].filter(Boolean).join(', ') || 'left open'
  }
  await once(process, 'disconnect')
  process.exit()
}
