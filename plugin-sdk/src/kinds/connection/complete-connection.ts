import { fail } from '../../contract/errors.ts'
import type { Connection, PlatformManifest } from '../platform.ts'

/** Methods that a connection has exactly where its manifest declares the capability of the same name. */
export const optionalMethods = [
  'edit',
  'findSent',
  'typing',
  'endTyping',
  'react',
  'fetchMedia',
  'setCommands',
  'listConversations',
] as const

/** A connection that can be asked for everything: what is not declared answers UNSUPPORTED. */
export type CompleteConnection = Required<Connection>

/** A connection with every method: what it lacks or has not declared rejects with UNSUPPORTED. */
export function completeConnection(
  connection: Connection,
  { label, capabilities }: Pick<PlatformManifest, 'label' | 'capabilities'>,
): CompleteConnection {
  const refuse = (what: string): Error => fail('UNSUPPORTED', { what, by: label })
  const { send, identity, edit, findSent, typing, endTyping, react, fetchMedia, setCommands, listConversations } = connection
  const or = <Method extends (...args: never[]) => Promise<unknown>>(declared: boolean, own: Method | undefined, name: string): Method =>
    declared && own ? (own.bind(connection) as Method) : ((() => Promise.reject(refuse(name))) as unknown as Method)
  return {
    send: or(true, send, 'send'),
    identity: or(true, identity, 'identity'),
    edit: or(capabilities.edit, edit, 'edit'),
    findSent: or(capabilities.findSent, findSent, 'findSent'),
    typing: or(capabilities.typing, typing, 'typing'),
    endTyping: or(capabilities.endTyping, endTyping, 'endTyping'),
    react: or(capabilities.react, react, 'react'),
    setCommands: or(capabilities.setCommands, setCommands, 'setCommands'),
    listConversations: or(capabilities.listConversations, listConversations, 'listConversations'),
    fetchMedia: capabilities.fetchMedia && fetchMedia ? fetchMedia.bind(connection) : () => refuseStream(refuse('fetchMedia')),
    lastHeard: connection.lastHeard.bind(connection),
    close: connection.close.bind(connection),
  }
}

// biome-ignore lint/correctness/useYield: it has nothing to give
async function* refuseStream(error: Error): AsyncGenerator<Uint8Array> {
  throw error
}
