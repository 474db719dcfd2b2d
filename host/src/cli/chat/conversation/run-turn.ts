import type { TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { createCall } from '#kernel/calls/call.ts'
import type { TalkState } from './talk.ts'

/** A turn that is shown. */
export async function runTurn(talk: TalkState, text: string): Promise<void> {
  const { agent, wish, canAnswer } = talk.options
  const request: TurnRequest = {
    input: [{ type: 'text', text }],
    source: 'cli',
    canAnswer,
    ...wish,
    ...(talk.session ? { session: talk.session } : {}),
    ...(talk.reasoning.effort ? { reasoning: talk.reasoning.effort } : {}),
  }
  const controller = new AbortController()
  const over = new AbortController()
  talk.turn = {
    abort: (reason) => controller.abort(reason),
    over: new Promise((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true })),
  }
  try {
    for await (const event of agent.turns.run(request, createCall(controller.signal))) await hear(talk, event, over.signal)
  } finally {
    talk.turn = undefined
    over.abort()
  }
}

async function hear(talk: TalkState, event: TurnEvent, over: AbortSignal): Promise<void> {
  const { audience } = talk.options
  if (event.type === 'message.start') {
    talk.sessionId = event.session
    talk.session = { id: event.session }
  }
  audience.hear(event)
  if (event.type === 'approval.request' || event.type === 'clarify.request') talk.questions.ask(event, over)
  if (event.type === 'message.complete') await settleSession(talk, event.status === 'failed')
}

/** A first turn that failed leaves no session behind; a title that was given early is set now. */
async function settleSession(talk: TalkState, failed: boolean): Promise<void> {
  const { agent, audience } = talk.options
  const id = talk.sessionId
  const { sessions } = agent.store
  if (id === undefined) return
  if (failed && !(await sessions.find(id))) {
    talk.session = undefined
    talk.sessionId = undefined
    return
  }
  if (talk.title === undefined) return
  const title = await sessions.rename(id, await sessions.nextTitle(talk.title))
  if (title !== talk.title) audience.say(`That title is taken; this session is called "${title}".`)
  talk.title = undefined
}
