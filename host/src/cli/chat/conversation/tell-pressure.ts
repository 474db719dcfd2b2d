import { describeLength, isNear, readPressure } from '#agent/context/session-length.ts'
import type { TalkState } from './talk.ts'

/** Tells the person, and not the model, that the conversation will soon be too long: once until it was made shorter. */
export async function tellPressure(talk: TalkState): Promise<void> {
  const { agent, audience } = talk.options
  if (talk.sessionId === undefined) return
  const pressure = await readPressure(agent, talk.sessionId)
  if (!pressure || !isNear(pressure)) return
  const state = `${talk.sessionId} ${pressure.compressions}`
  if (talk.nearTold === state) return
  talk.nearTold = state
  const next = pressure.limit === undefined ? '/new begins another' : '/compress [what to keep] does so now'
  audience.note(`${describeLength(pressure)} ${next}.`)
}
