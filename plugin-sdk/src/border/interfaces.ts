/** How a member crosses: a call answers once, a note never, a stream item by item. */
export interface Member {
  readonly how: 'call' | 'note' | 'stream'
  /** Interfaces of the arguments that are more than data, by position. */
  readonly takes?: readonly (InterfaceName | undefined)[]
  /** Interface of the answer, where it is more than data. */
  readonly gives?: InterfaceName
}

export interface Interface {
  readonly members: Readonly<Record<string, Member>>
  /** Pushed with the object, as plain data. */
  readonly data?: readonly string[]
  /** Provided on the side of the plugin and never sent. */
  readonly local?: readonly string[]
  /** Ends with the call that it was handed to; others live as long as the border. */
  readonly perCall?: true
}

export type InterfaceName =
  | 'platform'
  | 'connection'
  | 'provider'
  | 'modelSource'
  | 'toolset'
  | 'openToolset'
  | 'web-backend'
  | 'webSource'
  | 'hooks'
  | 'openHooks'
  | 'commands'
  | 'openCommands'
  | 'toolCall'
  | 'context'
  | 'httpHandler'
  | 'bytes'
  | 'control'
  | 'child'
  | 'parent'

const call = { how: 'call' } as const
const note = { how: 'note' } as const
const stream = { how: 'stream' } as const

/**
 * Everything that is not data and crosses the border between host and plugin, by interface and member.
 * `*` stands for any name. A member that is not listed does not exist on the other side.
 */
export const interfaces: Readonly<Record<InterfaceName, Interface>> = {
  platform: { members: { connect: { how: 'call', takes: ['context'], gives: 'connection' } } },
  connection: {
    members: {
      send: call,
      identity: call,
      edit: call,
      findSent: call,
      typing: call,
      react: call,
      fetchMedia: stream,
      setCommands: call,
      listConversations: call,
      lastHeard: call,
      close: call,
    },
  },
  provider: { members: { open: { how: 'call', takes: ['context'], gives: 'modelSource' } } },
  modelSource: { members: { stream, models: call } },
  toolset: { members: { open: { how: 'call', takes: ['context'], gives: 'openToolset' } } },
  openToolset: { members: { 'tools.*': { how: 'call', takes: ['toolCall'] } } },
  'web-backend': { members: { open: { how: 'call', takes: ['context'], gives: 'webSource' } } },
  webSource: { members: { search: call, extract: call, crawl: call } },
  hooks: { members: { open: { how: 'call', takes: ['context'], gives: 'openHooks' } } },
  openHooks: { members: { 'hooks.*': call } },
  commands: { members: { open: { how: 'call', takes: ['context'], gives: 'openCommands' } } },
  openCommands: { members: { run: call } },
  toolCall: { data: ['id', 'args', 'session', 'turn', 'workspace'], members: { progress: note, ask: call }, perCall: true },
  httpHandler: { members: { '': call } },
  bytes: { members: { '': stream } },
  control: { members: { dispose: call, busy: call, resources: call, violations: call } },
  child: { members: { load: call, unload: call, end: call, ping: call, busy: call, resources: call } },
  parent: { members: { blame: note, fault: note } },
  context: {
    data: ['about', 'config'],
    local: ['clock', 'signal', 'fetch', 'effect'],
    members: {
      'log.debug': note,
      'log.info': note,
      'log.warn': note,
      'log.error': note,
      'secrets.get': call,
      'secrets.find': call,
      'secrets.set': call,
      'state.get': call,
      'state.set': call,
      'state.delete': call,
      environment: call,
      notify: note,
      'skills.list': call,
      'skills.view': call,
      'web.search': call,
      'web.extract': call,
      'web.crawl': call,
      receive: call,
      press: call,
      lost: note,
      'http.route': { how: 'call', takes: [undefined, 'httpHandler'] },
      'http.listen': { how: 'call', takes: [undefined, 'httpHandler'] },
      'files.put': { how: 'call', takes: ['bytes'] },
      'files.read': stream,
      'turns.run': stream,
      'turns.answer': call,
    },
  },
}
