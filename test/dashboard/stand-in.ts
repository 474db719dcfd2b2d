import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Action } from '../../host/src/dashboard/api.ts'
import type { EventFrame, PromptFile, SessionEvent, ShownFile } from '../../host/src/rpc/protocol.ts'
import { root } from '../repo/source-files.ts'
import { spoil } from './hostile.ts'
import { answers, panelAnswers, type StandInState } from './stand-in-answers.ts'
import { longChat, veryLongChat } from './stand-in-chat.ts'
import { fillPanel } from './stand-in-panels.ts'
import { serveTerminal } from './stand-in-terminal.ts'

const dist = join(root, 'host', 'web', 'dist')
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html; charset=utf-8' }
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-stand-in'; style-src-attr 'none'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self'"

export interface StandIn {
  readonly url: string
  /** Changes that were asked for: method, path and body. */
  readonly changes: readonly string[]
  /** Methods of the panel that were asked to change something, with what was given. */
  readonly panelRuns: readonly string[]
  /** What was filled in to see less of its list. */
  readonly panelFilters: readonly string[]
  /** Tells that the panel shows something else now: this, where something is filled in. */
  tellPanel(filtered: object): void
  /** Texts of the prompts that were accepted. */
  readonly prompts: readonly string[]
  /** The files that came with them. */
  readonly files: readonly PromptFile[]
  /** Ends an action that was begun, with its last line. */
  endAction(name: string, state: 'done' | 'failed', line: string): void
  /** Goes on with the answer of the turn. */
  say(text: string): void
  /** Ends the turn that goes on. */
  endTurn(): void
  /** Cuts every connection, as a server that dies does. */
  cut(): void
  /** Closes every connection, and each that comes, as one from an address that is not served. */
  refuse(): void
  close(): Promise<void>
}

/** Serves the built page with answers of the contract's types, and a chat whose turns the test ends. */
export async function openStandIn(shown: StandInState = 'full'): Promise<StandIn> {
  const changes: string[] = []
  const actions = new Map<string, Action>()
  const state = { configured: false, shown }
  const server = createServer((request, response) => void respond(request, response, { changes, actions, state }))
  const chat = openChat(new WebSocketServer({ server }), shown)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ...{
      url: `http://127.0.0.1:${port}/`,
      changes,
      endAction: (name, state, line) => void actions.set(name, { name, state, startedAt: 0, tail: [line] }),
      prompts: chat.prompts,
      files: chat.files,
      panelRuns: chat.panelRuns,
      panelFilters: chat.panelFilters,
      tellPanel: chat.tellPanel,
      say: chat.say,
      endTurn: chat.endTurn,
      cut: chat.cut,
      refuse: chat.refuse,
    },
    close: () =>
      new Promise((resolve) => {
        chat.cut()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const failure = 'Another program holds the store. End it, or wait until it is done: agent gateway status tells which.'

interface Ground {
  readonly changes: string[]
  readonly actions: Map<string, Action>
  readonly state: { configured: boolean; readonly shown: StandInState }
}

async function respond(request: IncomingMessage, response: ServerResponse, { changes, actions, state }: Ground): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://here')
  const { method = 'GET' } = request
  if (!pathname.startsWith('/api/')) return sendFile(response, pathname === '/' ? '/index.html' : pathname)
  response.setHeader('content-type', 'application/json')
  if (request.headers['x-agent-session-token'] !== 'secret') return void response.writeHead(401).end('{}')
  const path = pathname.slice('/api/'.length)
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  if (method !== 'GET' && path !== 'auth/ticket') changes.push(`${method} ${path} ${body}`)
  if (path === 'model/set') state.configured = true
  if (state.shown === 'failing' && path !== 'auth/ticket' && path !== 'panels' && path !== 'status')
    return void response.writeHead(500).end(`{"error":{"code":"STORE_BUSY","message":"${failure}"}}`)
  const action = actionOf(actions, method, path)
  if (action) return void response.end(JSON.stringify(action))
  const found = path === 'setup' ? { configured: state.configured, offline: true } : answers(method, path, state.shown)
  if (found === undefined) response.writeHead(404).end('{"error":{"code":"HTTP_NOT_FOUND","message":"There is nothing here."}}')
  else response.end(JSON.stringify(found))
}

/** Commands that go on until the test ends them. */
function actionOf(actions: Map<string, Action>, method: string, path: string): Action | undefined {
  if (method === 'GET') return actions.get(/^actions\/([^/]+)\/status$/.exec(path)?.[1] ?? '')
  if (method !== 'POST' || !path.startsWith('agent/update')) return undefined
  const name = path.replaceAll('/', '-')
  const begun: Action = { name, state: 'running', startedAt: 0, tail: ['Asking the server …'] }
  actions.set(name, begun)
  return begun
}

function sendFile(response: ServerResponse, path: string): void {
  const file = join(dist, path)
  if (!existsSync(file)) return void response.writeHead(404).end()
  response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').setHeader('content-security-policy', policy)
  const text = readFileSync(file, 'utf8')
  const filled = text.replace('name="agent-token" content=""', 'name="agent-token" content="secret"')
  response.end(filled.replace('name="csp-nonce" content=""', 'name="csp-nonce" content="stand-in"'))
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: { readonly session_id?: string; readonly seq?: number; readonly text?: string; readonly id?: string } & {
    readonly panel?: string
    readonly method?: string
    readonly input?: object
    readonly item?: string
    readonly files?: readonly PromptFile[]
  }
}

function shownFile(file: PromptFile): ShownFile {
  if ('text' in file) return { name: file.name, kind: 'text' }
  return { name: file.name, kind: 'image', ...(file.preview === undefined ? {} : { preview: file.preview }) }
}

function openChat(sockets: WebSocketServer, shown: StandInState) {
  const log: EventFrame[] = []
  const prompts: string[] = []
  const files: PromptFile[] = []
  const panelRuns: string[] = []
  const panelFilters: string[] = []
  let filtered: object = { rows: [] }
  const tellPanels = (): void => {
    for (const socket of sockets.clients) send(socket, { method: 'panel.changed', params: { panel: 'toy' } })
  }
  const seen = new Set<string>()
  let working = false
  const session_id = 'ses_1'
  const send = (socket: WebSocket, message: object): void => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const tell = (...events: readonly SessionEvent[]): void => {
    for (const event of events) {
      const params: EventFrame = { seq: log.length + 1, session_id, at: 0, event }
      log.push(params)
      for (const socket of sockets.clients) send(socket, { method: 'event', params })
    }
  }
  const begin = (id: string, text: string, given: readonly PromptFile[] = []): void => {
    if (seen.has(id)) return
    seen.add(id)
    files.push(...given)
    const more = given.length > 0 ? { files: given.map(shownFile) } : {}
    tell({ type: 'prompt.accepted', id, text, ordinal: prompts.length, ...more }, { type: 'session.status', status: 'working' })
    prompts.push(text)
    working = true
    tell({ type: 'message.start', turn: 't', session: session_id, provider: 'offline', model: 'offline' })
    tell({ type: 'message.delta', text: 'You said **' }, { type: 'message.delta', text: `${text}**. <img src=x onerror=alert(1)>` })
  }
  const results: Readonly<Record<string, (params: Call['params']) => object>> = {
    'session.create': () => ({ session_id }),
    'session.resume': ({ session_id: id }) => {
      const past = [longChat, veryLongChat].find(({ session }) => session === id)
      return past ? { session_id: id, ...past } : { session_id, events: log, status: working ? 'working' : 'idle' }
    },
    'session.events.since': ({ seq = 0 }) => ({ events: log.filter((frame) => frame.seq > seq), gap: false }),
    'panel.run': ({ panel = '', method = '', input, item }) => {
      if (['add', 'remove', 'rename'].includes(method)) {
        panelRuns.push(`${method} ${JSON.stringify(input)} ${item ?? ''}`)
        tellPanels()
      }
      if (method === 'list' && input && Object.keys(input).length > 0) {
        panelFilters.push(JSON.stringify(input))
        return filtered
      }
      if (shown === 'empty') return { rows: [], lines: [], events: [], points: [], item: {}, values: {}, text: '' }
      return fillPanel(panel, method) ?? panelAnswers[method] ?? {}
    },
    'prompt.submit': () => ({ accepted: true, ordinal: prompts.length }),
  }
  let isRefusing = false
  const refuse = (socket: WebSocket): void => socket.close(4403, 'the Origin is another host')
  sockets.on('connection', (socket, { url }) => {
    if (url?.includes('/api/pty')) return serveTerminal(socket, shown)
    if (isRefusing) refuse(socket)
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data)) as Call
      if (shown === 'failing') return send(socket, { id, error: { code: -32000, message: failure, data: { code: 'STORE_BUSY' } } })
      const result = results[method]?.(params) ?? {}
      send(socket, { id, result: shown === 'hostile' ? spoil(result) : result })
      if (method === 'prompt.submit') begin(params.id ?? '', params.text ?? '', params.files)
    })
  })
  return {
    prompts,
    files,
    panelRuns,
    panelFilters,
    tellPanel: (rows: object) => {
      filtered = rows
      tellPanels()
    },
    say: (text: string) => tell({ type: 'message.delta', text }),
    endTurn: () => {
      working = false
      tell({ type: 'message.complete', text: '', status: 'complete', stop: 'stop' }, { type: 'session.status', status: 'idle' })
    },
    cut: () => {
      for (const socket of sockets.clients) socket.terminate()
    },
    refuse: () => {
      isRefusing = true
      for (const socket of sockets.clients) refuse(socket)
    },
  }
}
