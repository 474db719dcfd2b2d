import type { AgentContext, ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk'

/** The editor at the other end. */
export type Client = Pick<AgentContext, 'notify' | 'request'>

export interface EditorPeer {
  readonly client: Client
  /** What it said that it can do. */
  readonly can: ClientCapabilities
}

/** Tells the editor something of a session; an editor that is gone hears nothing. */
export function tellClient({ client }: EditorPeer, sessionId: string, update: SessionUpdate): void {
  client.notify('session/update', { sessionId, update }).catch(() => undefined)
}
