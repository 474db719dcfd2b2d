import type { Wire } from '@agent/plugin-sdk'
import type { SessionUpdate, ToolCall } from '@agentclientprotocol/sdk'
import { showText } from '#observe/printable.ts'
import type { SessionEvent } from '#rpc/protocol.ts'
import { doneChange, fieldOf, kindOf, locationsOf, outputContent, plannedChange, planOf, textContent } from './tool-content.ts'

type Event<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>
type Question = Event<'approval.request'>

/** Makes what an editor shows of what a session does. */
export interface Updates {
  /** What the editor is told of an event. */
  of(event: SessionEvent): readonly SessionUpdate[]
  /** The call that a question is about. It comes before the call itself, which then goes on under its id. */
  asked(question: Question): ToolCall
}

export interface EditorUpdateOptions {
  /** In which the agent works. */
  readonly folder: string
  /** The editor shows notices as such. */
  readonly notices: boolean
}

interface OpenCall {
  readonly id: string
  readonly name: string
  readonly args: Wire
  progress: string
}

interface State extends EditorUpdateOptions {
  /** Ids of calls are those of a model, which may begin at 1 in each turn. */
  turn: string
  readonly calls: Map<string, OpenCall>
  /** Questions whose call has not begun. */
  asked: Question[]
}

type Tellers = { readonly [Type in SessionEvent['type']]?: (state: State, event: Event<Type>) => readonly SessionUpdate[] }

const said = (text: string): SessionUpdate => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
const thought = (text: string): SessionUpdate => ({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } })

const tellers: Tellers = {
  'message.start': (state, { turn }) => {
    state.turn = turn
    state.calls.clear()
    state.asked = []
    return []
  },
  'message.delta': (_, { text }) => [said(text)],
  'reasoning.delta': (_, { text }) => [thought(text)],
  'command.output': (_, { text }) => [said(`${text}\n\n`)],
  'tool.start': begin,
  'tool.progress': goOn,
  'tool.complete': end,
  status: ({ notices }, { kind, text }) =>
    notices ? [{ sessionUpdate: 'notice', severity: kind === 'notice' ? 'info' : 'warning', title: text }] : [thought(`${text}\n`)],
  'session.title': (_, { title }) => [{ sessionUpdate: 'session_info_update', title }],
  'subagent.start': ({ turn }, { id, goal }) => [
    { sessionUpdate: 'tool_call', toolCallId: `${turn}:${id}`, title: `Child agent: ${goal}`, kind: 'think', status: 'in_progress' },
  ],
  'subagent.tool': ({ turn }, { id, name, preview }) => [
    { sessionUpdate: 'tool_call_update', toolCallId: `${turn}:${id}`, content: [textContent(`${name} ${preview}`)] },
  ],
  'subagent.complete': ({ turn }, { id, status, text }) => [
    {
      ...{ sessionUpdate: 'tool_call_update', toolCallId: `${turn}:${id}`, content: [textContent(text)] },
      status: status === 'completed' ? 'completed' : 'failed',
    },
  ],
}

export function createUpdates(options: EditorUpdateOptions): Updates {
  const state: State = { ...options, turn: '', calls: new Map(), asked: [] }
  return {
    of: (event) => {
      const tell = tellers[event.type] as ((state: State, event: SessionEvent) => readonly SessionUpdate[]) | undefined
      return tell?.(state, event) ?? []
    },
    asked: (question) => {
      state.asked.push(question)
      const { tool, subject, reason, rule } = question
      const always = rule === undefined ? '' : `\n\nAlways would add to command_allowlist: ${rule}`
      return {
        ...{ toolCallId: question.id, title: titleOf(tool, subject), name: tool, kind: kindOf(tool), status: 'pending' },
        // The whole of it as it is: a title is one line, and what follows it would not be seen.
        content: [
          outputContent(showText(subject)),
          textContent(`It is asked because ${showText(reason).replaceAll(/\s+/g, ' ')}.${placeOf(question)}${always}`),
        ],
      }
    },
  }
}

const places = { sandbox: 'in the sandbox', machine: 'on this machine, outside of a sandbox' } as const
const placeOf = ({ where, folder }: Question): string =>
  where === undefined ? '' : ` It runs ${places[where]}${folder === undefined ? '' : `, in ${folder}`}.`

const longestTitle = 160

function titleOf(tool: string, about: string): string {
  const [first = '', ...more] = showText(about).trim().split('\n')
  if (first === '') return tool
  const cut = first.length > longestTitle || more.length > 0
  return `${tool}: ${first.slice(0, longestTitle)}${cut ? ' …' : ''}`
}

function begin(state: State, { id, name, args, preview }: Event<'tool.start'>): readonly SessionUpdate[] {
  const question = takeQuestion(state, name, args)
  const call: OpenCall = { id: question?.id ?? `${state.turn}:${id}`, name, args, progress: '' }
  state.calls.set(id, call)
  const shown = {
    ...{ toolCallId: call.id, title: titleOf(name, fieldOf(args, 'command') ?? preview), name, kind: kindOf(name) },
    ...{ status: 'in_progress' as const, rawInput: args, locations: locationsOf(name, args, state.folder) },
    content: plannedChange(name, args, state.folder),
  }
  return [question ? { sessionUpdate: 'tool_call_update', ...shown } : { sessionUpdate: 'tool_call', ...shown }]
}

/** Secrets are masked in the question alone: where none fits by its subject, the oldest of the tool does. */
function takeQuestion(state: State, name: string, args: Wire): Question | undefined {
  const texts = args !== null && typeof args === 'object' ? Object.values(args) : []
  const same = state.asked.filter(({ tool }) => tool === name)
  const found = same.find(({ subject }) => texts.includes(subject)) ?? same.find(({ subject }) => subject.includes('***'))
  state.asked = state.asked.filter((each) => each !== found)
  return found
}

/** So much of what a tool says meanwhile is shown. */
const mostProgress = 4000

function goOn({ calls }: State, { id, text }: Event<'tool.progress'>): readonly SessionUpdate[] {
  const call = calls.get(id)
  if (!call) return []
  call.progress = (call.progress + text).slice(-mostProgress)
  return [{ sessionUpdate: 'tool_call_update', toolCallId: call.id, content: [outputContent(call.progress)] }]
}

function end(state: State, { id, name, ok, text, result }: Event<'tool.complete'>): readonly SessionUpdate[] {
  const call = state.calls.get(id) ?? { id: `${state.turn}:${id}`, args: {} }
  state.calls.delete(id)
  const change = ok ? doneChange(call.args, text, result, state.folder) : []
  const told = kindOf(name) === 'execute' ? outputContent(text) : textContent(text)
  const planned = ok && change.length === 0 ? plannedChange(name, call.args, state.folder) : []
  const entries = name === 'todo' && ok ? planOf(text) : undefined
  return [
    {
      ...{ sessionUpdate: 'tool_call_update', toolCallId: call.id, status: ok ? 'completed' : 'failed' },
      ...{ rawOutput: result ?? text, content: change.length > 0 ? change : [...planned, told] },
    },
    ...(entries ? [{ sessionUpdate: 'plan' as const, entries }] : []),
  ]
}

/** What is shown of a session that was stored, its people's words too. */
export function replayed(updates: Updates, event: SessionEvent): readonly SessionUpdate[] {
  if (event.type === 'prompt.accepted') return [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: event.text } }]
  return updates.of(event)
}
