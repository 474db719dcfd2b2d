import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import type {
  ClientCapabilities,
  InitializeRequest,
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionRequest,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
} from '@agentclientprotocol/sdk'
import { readVersion } from '#config/version.ts'
import { readModelState } from '#rpc/model/read-model.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import type { Cli } from '../console/cli.ts'
import type { Client } from './client.ts'
import { readClientServers } from './client-servers.ts'
import type { EditorAgent, EditorAgents } from './editor-agents.ts'
import { type EditorSession, openEditorSession } from './editor-session.ts'
import { refusalOf, refuseParams } from './refusals.ts'
import type { SessionChoices } from './session-options.ts'

/** The version of the protocol that is spoken. */
const protocolVersion = 1
const listed = 50

/** What an editor may ask; one for each connection. */
export interface EditorDoor {
  initialize(request: InitializeRequest): InitializeResponse
  authenticate(): Promise<void>
  begin(request: NewSessionRequest, client: Client): Promise<NewSessionResponse>
  /** Goes on with a stored session. */
  open(request: LoadSessionRequest | ResumeSessionRequest, client: Client, options: { readonly replay: boolean }): Promise<SessionChoices>
  list(folder: string | undefined, cursor: string | undefined): Promise<ListSessionsResponse>
  /** One that is open; refused where it is not. */
  session(id: string): EditorSession
  close(id: string): void
}

interface State {
  readonly cli: Cli
  readonly agents: EditorAgents
  can: ClientCapabilities
  readonly sessions: Map<string, EditorSession>
}

export function createEditorDoor(cli: Cli, agents: EditorAgents): EditorDoor {
  const state: State = { cli, agents, can: {}, sessions: new Map() }
  const { sessions } = state
  return {
    initialize: ({ clientCapabilities = {} }) => {
      state.can = clientCapabilities
      return describeAgent(state)
    },
    authenticate: async () => {
      const { problem } = await readModelState(cli)
      if (problem !== undefined) throw refusalOf({ code: 'NO_PROVIDER', message: problem })
    },
    begin: async (request, client) => {
      const place = await openPlace(state, request)
      await place.hub.checkRuntime()
      const session = await take(state, { ...place, id: place.hub.create(undefined), replay: false }, client)
      return { sessionId: session.id, ...(await session.choices()) }
    },
    open: async (request, client, { replay }) => {
      const place = await openPlace(state, request)
      const { sessionId: id } = request
      const found = await place.ground.agent.store.sessions.find(id)
      // Those of messaging platforms belong to the people there.
      if (found && found.owner !== profileOwner) throw fail('SESSION_NOT_FOUND', { session: id })
      return (await take(state, { ...place, id, replay }, client)).choices()
    },
    list: (folder, cursor) => listSessions(state, folder, cursor),
    session: (id) => {
      const found = sessions.get(id)
      if (!found) throw refuseParams(`The session ${id} is not open here. session/load opens it.`)
      return found
    },
    close: (id) => {
      sessions.get(id)?.close()
      sessions.delete(id)
    },
  }
}

function describeAgent({ cli, can }: State): InitializeResponse {
  const setup = { id: 'setup', name: 'Choose a model', description: 'Run agent setup model in a terminal, then try again.' }
  return {
    protocolVersion,
    agentInfo: { name: 'agent', title: 'agent', version: readVersion(cli.installRoot) },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [can.auth?.terminal ? { ...setup, type: 'terminal', args: ['--setup'] } : setup],
  }
}

async function openPlace({ agents }: State, { cwd, mcpServers = [] }: LoadSessionRequest | ResumeSessionRequest | NewSessionRequest) {
  const folder = folderOf(cwd)
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw refuseParams(`There is no folder ${folder} on this machine.`)
  return agents.at({ folder, servers: readClientServers(mcpServers ?? []) })
}

/** Two spellings of a folder are one. */
function folderOf(cwd: string): string {
  if (!isAbsolute(cwd)) throw refuseParams(`cwd is the absolute path of a folder, not "${cwd}".`)
  return resolve(cwd)
}

type Taken = EditorAgent & { readonly id: string; readonly replay: boolean }

/** A session that is opened again is shown once. */
async function take({ sessions, can }: State, taken: Taken, client: Client): Promise<EditorSession> {
  sessions.get(taken.id)?.close()
  const session = await openEditorSession({ ...taken, client, can })
  sessions.set(session.id, session)
  // An editor knows the session when it has its answer.
  setImmediate(() => session.greet())
  return session
}

/** Sessions of the owner of this machine, whatever the door; those of messaging platforms belong to the people there. */
async function listSessions({ agents, cli }: State, cwd: string | undefined, cursor: string | undefined): Promise<ListSessionsResponse> {
  const folder = cwd === undefined ? undefined : folderOf(cwd)
  const offset = Number(cursor ?? 0)
  if (!Number.isSafeInteger(offset) || offset < 0) throw refuseParams('The cursor is none that was given out.')
  // Every agent here has the same store: that one is asked about a folder opens none for it.
  const { ground } = await agents.at({ folder: cli.cwd, servers: {} })
  const found = await ground.agent.store.sessions.list({ limit: listed, offset })
  const own = found.filter(({ workspace, owner }) => workspace !== null && owner === profileOwner && (folder ?? workspace) === workspace)
  return {
    sessions: own.map(({ id, workspace, title, preview, lastAt }) => ({
      ...{ sessionId: id, cwd: workspace ?? '', title: title ?? preview, updatedAt: new Date(lastAt).toISOString() },
    })),
    ...(found.length < listed ? {} : { nextCursor: String(offset + listed) }),
  }
}
