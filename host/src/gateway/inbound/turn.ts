import type { InputPart, PlatformManifest, TurnEvent, WireError } from '@agent/plugin-sdk'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import { sayChild } from '#agent/delegation/child-note.ts'
import type { DoorRequest } from '#agent/turn/prepare-turn.ts'
import { isRetryable } from '#agent/turn/run-turn.ts'
import type { TurnEnd } from '#agent/turn/turn.ts'
import { createCall } from '#kernel/calls/call.ts'
import { ownerOfMessage } from '#tools/memory/owner.ts'
import { quoteReasoning } from '../conversation/reasoning-choice.ts'
import type { RunningTurn } from '../conversation/running-turns.ts'
import { fetchAttachments } from '../media/fetch-attachments.ts'
import { openLiveAnswer } from '../outbound/live-answer.ts'
import { showWork } from '../outbound/show-work.ts'
import { steer } from './gather.ts'
import type { InboxParts } from './inbox-parts.ts'
import { type Job, type Outcome, personOf } from './job.ts'

/** Lets the agent answer. Its steps are in the journal before anybody sees them; what it does is shown meanwhile. */
export async function turn(inbox: InboxParts, job: Job): Promise<Outcome | undefined> {
  const { journal, turns, people, log } = inbox
  const { claim, running, settings } = job
  const { platform } = claim
  const spec = inbox.catalog.find('platform', platform)?.spec
  if (!spec) throw fail('PLATFORM_UNKNOWN', { platform })
  if (!running) return undefined
  const shown = show(inbox, job, spec)
  const reasoning = await inbox.reasoning.of(job.sessionKey)
  const isThoughtShown = reasoning.show && claim.message.deliver === undefined
  let thought = ''
  const hear = (event: TurnEvent): void => {
    if (event.type === 'reasoning.delta' && isThoughtShown) thought += event.text
    if (event.type === 'message.start') running.session = event.session
    shown.hear(event)
    if (isQuestion(event)) {
      people.hear(claim, event)
      job.atEnd.push(() => people.close(claim))
    }
    if (event.type === 'status') log.info(event.text, { platform })
  }
  const canSteer = job.background === undefined && settings.busy_input_mode === 'steer'
  try {
    const end = await turns.take(
      { ...(await createRequest(inbox, job, running, spec)), ...(reasoning.effort ? { reasoning: reasoning.effort } : {}) },
      createCall(running.signal),
      {
        steps: claim.steps,
        recordStep: (step) => journal.recordStep(claim, step),
        steer: canSteer ? () => steer(inbox, job) : undefined,
        hear,
        background: () => inbox.places.behind(job),
      },
    )
    job.atEnd.push(() => end.release())
    // An answer that a shutdown cut off is given back and taken up at the next start.
    if (job.stop.aborted) return { state: 'released' }
    const error = end.error?.code === 'INTERRUPTED' ? undefined : end.error
    if (error) {
      log.warn('a message was answered with an error', { platform, message: claim.message.id, error: fromWireError(error).message })
    }
    return {
      state: 'answered',
      text: conclude(inbox, job, end, quoteReasoning(thought)),
      rows: end.rows,
      mood: end.error ? 'failed' : 'done',
      error,
    }
  } finally {
    await shown.stop()
  }
}

const isQuestion = ({ type }: TurnEvent): boolean => type === 'approval.request' || type === 'clarify.request'

interface Shown {
  hear(event: TurnEvent): void
  /** Edits no more, so that the answer cannot be overtaken. */
  stop(): Promise<void>
}

/** What people see while the agent works: typing, a mark, the answer as it grows. Work in the background shows nothing but the mark. */
function show(inbox: InboxParts, job: Job, spec: PlatformManifest): Shown {
  const { journal, messageHooks, patience, clock, log } = inbox
  const { claim, stop, settings } = job
  const { message } = claim
  const { streaming, typing, reactions, reply_prefix: prefix, reply_to_mode } = settings
  const quiet = job.background !== undefined
  const connection = () => inbox.links.get(claim.platform)?.connection()
  const reference = { account: message.account, conversation: message.conversation.id, id: message.id }
  const wants = { typing: typing && !quiet, reactions }
  const work = isShown(spec, wants) ? showWork({ message: reference, spec, connection, patience, wants, clock, log }, stop) : undefined
  // What grows while it is written would grow where nobody reads it, and be seen before hooks could change it.
  const grows = spec.capabilities.edit && streaming && !quiet && message.deliver === undefined && !messageHooks.revises()
  const refers = reply_to_mode !== 'off'
  const live = grows && openLiveAnswer({ journal, claim, spec, connection, patience, prefix, refers, clock, log })
  job.atEnd.push(async () => {
    if (job.mood) void work?.end(job.mood)
    await work?.end()
  })
  return {
    hear: (event) => {
      if (live) live.hear(event)
      if (isQuestion(event)) work?.pause()
      else work?.resume()
    },
    stop: async () => {
      if (live) await live.stop()
    },
  }
}

function isShown({ capabilities }: PlatformManifest, wants: { readonly typing: boolean; readonly reactions: boolean }): boolean {
  return (capabilities.typing && wants.typing) || (capabilities.react && wants.reactions)
}

async function createRequest(inbox: InboxParts, job: Job, running: RunningTurn, spec: PlatformManifest): Promise<DoorRequest> {
  const { links, cache, clock, log } = inbox
  const { heard } = job
  const { platform, message } = job.claim
  const { media = [], instructions, text } = heard
  const to = media.length > 0 ? links.get(platform)?.connection() : undefined
  const files = to ? await fetchAttachments({ spec, connection: to, cache, clock, log }, media, running.signal) : []
  const said: readonly InputPart[] = text === '' && files.length > 0 ? [] : [{ type: 'text', text }]
  return {
    input: [...said, ...files],
    session: { key: running.sessionKey },
    source: platform,
    ...(spec.gate === 'sender' ? { person: message.sender.id } : {}),
    owner: ownerOfMessage(inbox, job.claim),
    // Asked when a tool makes a job: most turns make none.
    speakers: {
      get may() {
        return inbox.reception.mayMakeJobs(platform, message)
      },
      get people() {
        return [personOf(job.claim)]
      },
    },
    spawned: job.claim.child?.spawned,
    isPublic: spec.reach === 'people',
    // Programs answer nothing, and who asks for an answer elsewhere does not wait here.
    canAnswer: spec.gate === 'sender' && heard.deliver === undefined,
    ...(instructions === undefined ? {} : { instructions }),
  }
}

/** A message that failed is not answered later by itself. */
function explain(error: WireError): string {
  const { message } = fromWireError(error)
  return isRetryable(error.code) && !message.endsWith('again later.') ? `${message} Please write it again.` : message
}

/** What people are told at the end; undefined is nothing. */
function conclude({ notifications }: InboxParts, { background, claim }: Job, end: TurnEnd, thought: string): string | undefined {
  const sentence = end.error && explain(end.error)
  // What the agent cannot say is not lost by that.
  const untold = claim.child && end.error && end.text === '' ? sayChild(claim.child) : ''
  const text = [untold, end.text, sentence ?? '', ...end.notes.map((note) => `(${note})`)].filter((each) => each !== '').join('\n\n')
  if (background === undefined) return thought + text
  const wanted = notifications()
  const isTold = wanted !== 'off' && (wanted !== 'error' || end.error !== undefined)
  return isTold ? `Done in the background: ${background}\n\n${text}` : undefined
}
