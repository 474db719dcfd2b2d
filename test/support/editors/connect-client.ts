import { Readable, Writable } from 'node:stream'
import {
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  client,
  type InitializeResponse,
  type McpServer,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'

type UpdateOf<Type extends SessionUpdate['sessionUpdate']> = Extract<SessionUpdate, { sessionUpdate: Type }>

/** What a person at the editor does. */
export interface EditorPerson {
  readonly can?: ClientCapabilities
  /** Which option is chosen; undefined closes the question, a promise that never resolves leaves it open. */
  readonly permit?: (request: RequestPermissionRequest) => string | undefined | Promise<string>
  /** What is typed into a form. */
  readonly fill?: (message: string) => string
}

/** An editor that is made with the protocol's own SDK, and what it has heard. */
export interface TestClient {
  readonly agent: ClientConnection['agent']
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[]
  readonly permissions: RequestPermissionRequest[]
  /** Questions that it showed as a form. */
  readonly forms: string[]
  initialize(): Promise<InitializeResponse>
  begin(cwd: string, mcpServers?: McpServer[]): Promise<NewSessionResponse>
  prompt(sessionId: string, prompt: ContentBlock[]): Promise<PromptResponse>
  say(sessionId: string, text: string): Promise<PromptResponse>
  cancel(sessionId: string): Promise<void>
  of<Type extends SessionUpdate['sessionUpdate']>(type: Type, sessionId?: string): readonly UpdateOf<Type>[]
  /** All that the agent has said. */
  text(sessionId?: string): string
  /** The first update for which this holds, among those that came and will come. */
  until(is: (update: SessionUpdate) => boolean): Promise<SessionUpdate>
  /** Resolves with so many questions of permission. */
  asked(count: number): Promise<void>
  close(): void
}

export function connectClient(toAgent: Writable, fromAgent: Readable, person: EditorPerson = {}): TestClient {
  const heard: Pick<TestClient, 'updates' | 'permissions' | 'forms'> = { updates: [], permissions: [], forms: [] }
  const watching = new Set<(update: SessionUpdate) => void>()
  const waiting = new Set<() => void>()
  const app = client({ name: 'test editor' })
    .onNotification('session/update', ({ params: { sessionId, update } }) => {
      heard.updates.push({ sessionId, update })
      for (const look of watching) look(update)
    })
    .onRequest('session/request_permission', async ({ params }) => {
      heard.permissions.push(params)
      for (const look of waiting) look()
      const optionId = await person.permit?.(params)
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
    })
    .onRequest('elicitation/create', ({ params: { message } }) => {
      heard.forms.push(message)
      return { action: 'accept', content: { answer: person.fill?.(message) ?? '' } }
    })
  const streams = [Writable.toWeb(toAgent), Readable.toWeb(fromAgent) as ReadableStream<Uint8Array>] as const
  const connection = app.connect(ndJsonStream(...streams))
  const asked = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (heard.permissions.length >= count && resolve())
      waiting.add(look)
      look()
    })
  const own = { agent: connection.agent, asked, close: () => connection.close() }
  return { ...heard, ...actions(connection.agent, person), ...views(heard.updates, watching), ...own }
}

function actions(
  agent: ClientConnection['agent'],
  { can = {} }: EditorPerson,
): Pick<TestClient, 'initialize' | 'begin' | 'prompt' | 'say' | 'cancel'> {
  return {
    initialize: () => agent.request('initialize', { protocolVersion: 1, clientCapabilities: can }),
    begin: (cwd, mcpServers = []) => agent.request('session/new', { cwd, mcpServers }),
    prompt: (sessionId, prompt) => agent.request('session/prompt', { sessionId, prompt }),
    say: (sessionId, text) => agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId) => agent.notify('session/cancel', { sessionId }),
  }
}

function views(updates: TestClient['updates'], watching: Set<(update: SessionUpdate) => void>): Pick<TestClient, 'of' | 'text' | 'until'> {
  const of: TestClient['of'] = (type, sessionId) =>
    updates
      .filter((each) => sessionId === undefined || each.sessionId === sessionId)
      .flatMap(({ update }) => (update.sessionUpdate === type ? [update as never] : []))
  return {
    of,
    text: (sessionId) =>
      of('agent_message_chunk', sessionId)
        .map(({ content }) => (content.type === 'text' ? content.text : ''))
        .join(''),
    until: (is) =>
      new Promise((resolve) => {
        const found = updates.find(({ update }) => is(update))
        if (found) return resolve(found.update)
        const look = (update: SessionUpdate): void => {
          if (!is(update)) return
          watching.delete(look)
          resolve(update)
        }
        watching.add(look)
      }),
  }
}
