import type { TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import type { AskedMore } from '#commands/slash.ts'
import { createCall } from '#kernel/calls/call.ts'
import type { TurnQuestion } from './questions.ts'
import type { TalkState } from './talk.ts'
import { tellPressure } from './tell-pressure.ts'

/** A turn that is shown. */
export async function runTurn(
  talk: TalkState,
  { text, instructions }: AskedMore & { readonly text: string },
  takeAdded: () => readonly string[],
): Promise<void> {
  const { agent } = talk.options
  const said = [talk.wish.instructions, instructions].filter((each) => each !== undefined)
  const request = {
    ...requestOf(talk, text),
    ...(said.length > 0 ? { instructions: said.join('\n\n') } : {}),
    ...(talk.session ? { session: talk.session } : {}),
  }
  const controller = new AbortController()
  const over = new AbortController()
  talk.turn = {
    abort: (reason) => controller.abort(reason),
    over: new Promise((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true })),
  }
  try {
    // What works on behind the turn may ask when that is over.
    const behind = (event: TurnEvent): void => {
      if (event.type === 'approval.request') ask(talk, event, new AbortController().signal)
    }
    for await (const event of agent.turns.run(request, createCall(controller.signal), { steer: async () => takeAdded(), behind }))
      await hear(talk, event, over.signal)
    await tellPressure(talk)
  } finally {
    talk.turn = undefined
    over.abort()
  }
}

function requestOf({ options: { canAnswer }, wish, reasoning }: TalkState, text: string): TurnRequest {
  return {
    input: [{ type: 'text', text }],
    source: 'cli',
    canAnswer,
    ...wish,
    ...(reasoning.effort ? { reasoning: reasoning.effort } : {}),
  }
}

const mostBeside = 4
const shownPrompt = 60

/** A turn in a separate session; its end is told. */
export async function runBeside(talk: TalkState, prompt: string): Promise<void> {
  const { agent, audience } = talk.options
  if (talk.background.size >= mostBeside) {
    audience.say(`I already work on ${talk.background.size} things in the background. /stop ends them.`)
    return
  }
  const shown = prompt.length > shownPrompt ? `${prompt.slice(0, shownPrompt)}…` : prompt
  const controller = new AbortController()
  const over = new AbortController()
  talk.background.set(controller, shown)
  audience.say(`I work on it in the background: ${shown}`)
  audience.changed()
  try {
    for await (const event of agent.turns.run(requestOf(talk, prompt), createCall(controller.signal))) {
      if (event.type === 'approval.request' || event.type === 'clarify.request') ask(talk, event, over.signal)
      if (event.type === 'error') audience.complain(event.text)
      if (event.type === 'message.complete') audience.report(`Done in the background: ${shown}\n\n${event.text}`)
    }
  } finally {
    over.abort()
    talk.background.delete(controller)
    audience.changed()
  }
}

function ask({ questions, options }: TalkState, question: TurnQuestion, over: AbortSignal): void {
  options.audience.ask(question)
  questions.ask(question, over)
}

async function hear(talk: TalkState, event: TurnEvent, over: AbortSignal): Promise<void> {
  const { audience } = talk.options
  if (event.type === 'message.start') {
    talk.sessionId = event.session
    talk.session = { id: event.session }
  }
  audience.hear(event)
  if (event.type === 'approval.request' || event.type === 'clarify.request') ask(talk, event, over)
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
