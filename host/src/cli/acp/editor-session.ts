import type { TurnStatus } from '@agent/plugin-sdk'
import { fromWireError } from '@agent/plugin-sdk/errors'
import type { AvailableCommand, PromptResponse, StopReason } from '@agentclientprotocol/sdk'
import { findSlash } from '#commands/slash-table.ts'
import { newId } from '#kernel/ids.ts'
import type { SessionEvent } from '#rpc/protocol.ts'
import type { SessionWishes } from '#rpc/sessions/hub.ts'
import { type EditorPeer, tellClient } from './client.ts'
import type { EditorAgent } from './editor-agents.ts'
import { createEditorQuestions } from './questions.ts'
import type { Said } from './read-prompt.ts'
import { refusalOf, refuseParams } from './refusals.ts'
import { describeChoices, readChoice, type SessionChoices } from './session-options.ts'
import { createUpdates, replayed } from './updates.ts'

/** A session that is open in an editor. */
export interface EditorSession {
  readonly id: string
  /** Resolves when all that came of it is told. */
  prompt(said: Said): Promise<PromptResponse>
  cancel(): Promise<void>
  choices(): Promise<SessionChoices>
  choose(option: string, value: unknown): Promise<SessionChoices>
  setMode(mode: string): Promise<void>
  /** What is told when the editor knows of the session. */
  greet(): void
  close(): void
}

export interface SessionOptions extends EditorPeer, EditorAgent {
  readonly id: string
  /** Shows what was said before. */
  readonly replay: boolean
}

/** An editor has its own ways for these, and its thread always stands for the same session. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['new', 'Begin a new thread in the editor instead.'],
  ['resume', 'Open the thread in the editor instead.'],
  ['branch', 'A terminal does it: agent chat --resume'],
  ['exit', 'Close the thread in the editor instead.'],
])

const stops: { readonly [Status in TurnStatus]: StopReason } = {
  ...{ complete: 'end_turn', interrupted: 'cancelled', length: 'max_tokens', 'max-iterations': 'max_turn_requests', failed: 'end_turn' },
}

interface State {
  isBusy: boolean
  isCancelled: boolean
  status: TurnStatus
  failure: { readonly code: string; readonly message: string } | undefined
}

/** Begins to tell the editor what the session does. */
export async function openEditorSession(options: SessionOptions): Promise<EditorSession> {
  const { id, hub, ground, replay } = options
  const updates = createUpdates({ folder: ground.folder, notices: options.can.session?.notices != null })
  const questions = createEditorQuestions({ ...options, session: id, updates, answer: hub.answer })
  const state: State = { isBusy: false, isCancelled: false, status: 'complete', failure: undefined }
  const hear = (event: SessionEvent): void => {
    note(state, event)
    if (event.type === 'prompt.accepted' && state.isCancelled) void hub.interrupt(id)
    if (event.type === 'approval.request' || event.type === 'clarify.request') questions.ask(event)
    if (event.type === 'request.closed') questions.close(event.id)
    for (const update of updates.of(event)) tellClient(options, id, update)
  }
  const open = await hub.load(id)
  for (const { event } of replay ? open.events() : []) for (const update of replayed(updates, event)) tellClient(options, id, update)
  const unwatch = open.watch(({ event }) => hear(event))
  const deaf = ground.agent.onNotice(({ session, text }) => {
    if (session === id) hear({ type: 'status', kind: 'notice', text })
  })
  const sight = async (wishes: Partial<SessionWishes> = {}) => ({ ground, wishes: await hub.choose(id, wishes) })
  const choices = async (): Promise<SessionChoices> => describeChoices(await sight())
  return {
    ...{ id, choices },
    prompt: async (said) => {
      if (state.isBusy) throw refuseParams('This session answers a prompt already. Cancel it, or wait until it is over.')
      refuseElsewhere(options, said.text)
      Object.assign(state, { isBusy: true, isCancelled: false, status: 'complete', failure: undefined } satisfies State)
      try {
        const before = await choices()
        await hub.submit({ session_id: id, id: newId('msg'), ...said })
        await hub.settled(id)
        await tellChanges(options, before, await choices())
        return { stopReason: endOf(state) }
      } finally {
        state.isBusy = false
      }
    },
    cancel: async () => {
      state.isCancelled = state.isBusy
      await hub.interrupt(id)
    },
    choose: async (option, value) => {
      const after = describeChoices(await sight(readChoice(await sight(), option, value)))
      if (option === 'mode') tellClient(options, id, { sessionUpdate: 'current_mode_update', currentModeId: after.modes.currentModeId })
      return after
    },
    setMode: async (mode) => {
      const { configOptions } = describeChoices(await sight(readChoice(await sight(), 'mode', mode)))
      tellClient(options, id, { sessionUpdate: 'config_option_update', configOptions })
    },
    greet: () => tellClient(options, id, { sessionUpdate: 'available_commands_update', availableCommands: listCommands(options) }),
    close: () => {
      state.isCancelled = state.isBusy
      questions.closeAll()
      unwatch()
      deaf()
      void hub.interrupt(id)
    },
  }
}

function note(state: State, event: SessionEvent): void {
  if (event.type === 'message.complete') state.status = event.status
  if (event.type === 'error') state.failure = { code: event.error.code, message: event.text || fromWireError(event.error).message }
}

/** How a prompt ended. Its failure is one of the request, which an editor shows as such. */
function endOf({ isCancelled, status, failure }: State): StopReason {
  if (isCancelled) return 'cancelled'
  if (status === 'failed' && failure) throw refusalOf(failure)
  return stops[status]
}

function refuseElsewhere({ ground }: SessionOptions, text: string): void {
  const name = findSlash(ground.services, text, 'cli')?.command.name
  const way = name === undefined ? undefined : elsewhere.get(name)
  if (way !== undefined) throw refuseParams(`/${name} does nothing here. ${way}`)
}

function listCommands({ hub }: SessionOptions): AvailableCommand[] {
  const offered = hub.commands().filter(({ name }) => !elsewhere.has(name))
  return offered.map(({ name, summary, args }) => ({
    name,
    description: summary || `Work by the skill ${name}`,
    ...(args === '' ? {} : { input: { hint: args } }),
  }))
}

/** A command may have chosen another model, say. */
async function tellChanges(options: SessionOptions, before: SessionChoices, after: SessionChoices): Promise<void> {
  const { id, ground } = options
  const { configOptions } = after
  if (JSON.stringify(before) !== JSON.stringify(after)) tellClient(options, id, { sessionUpdate: 'config_option_update', configOptions })
  const length = await ground.services.pressure(id).catch(() => undefined)
  if (length) tellClient(options, id, { sessionUpdate: 'usage_update', used: length.tokens, size: length.window })
}
