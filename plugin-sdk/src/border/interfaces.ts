import { type CodeKind, kinds } from '../kinds/kinds.ts'
import type { Crossing, Handed, KindRow } from '../kinds/row.ts'

export interface Member extends Crossing {
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

type Given = (typeof kinds)[CodeKind]['gives']
type Common = Handed | 'control' | 'child' | 'parent'
export type InterfaceName = CodeKind | Given | Common

const call = { how: 'call' } as const
const note = { how: 'note' } as const
const stream = { how: 'stream' } as const

/** The entry of each kind, and what it gives. */
const ofKinds = Object.fromEntries(
  Object.entries<KindRow>(kinds).flatMap(([kind, row]) =>
    row.code === 'none'
      ? []
      : [
          [kind, { members: { [row.method]: { how: 'call', takes: ['pluginContext'], gives: row.gives } } }],
          [row.gives, { members: row.members }],
        ],
  ),
) as Record<CodeKind | Given, Interface>

const common: Readonly<Record<Common, Interface>> = {
  toolCall: {
    data: ['id', 'args', 'session', 'turn', 'workspace', 'folder', 'secrets'],
    members: {
      ...{ progress: note, ask: call, 'memory.change': call, 'memory.recall': call, 'sessions.find': call, 'sessions.read': call },
      ...{ 'skills.change': call, 'agents.run': call, 'agents.start': call, 'tools.call': call },
      ...{ 'jobs.create': call, 'jobs.list': call, 'jobs.edit': call, 'jobs.act': call },
    },
    perCall: true,
  },
  memoryOwner: { data: ['key', 'folder'], members: { search: call }, perCall: true },
  httpHandler: { members: { '': call } },
  bytes: { members: { '': stream } },
  control: { members: { dispose: call, busy: call, resources: call, violations: call } },
  child: { members: { load: call, unload: call, end: call, ping: call, busy: call, resources: call } },
  parent: { members: { blame: note, fault: note, request: note } },
  pluginContext: {
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
      raise: call,
      login: call,
      'sandbox.prepare': call,
      'sandbox.explain': call,
      'skills.list': call,
      'skills.view': call,
      changed: note,
      'logs.read': call,
      'toolsets.list': call,
      'toolsets.turn': call,
      'toolsets.setUp': call,
      ...{ 'jobs.create': call, 'jobs.list': call, 'jobs.edit': call, 'jobs.act': call, 'jobs.due': call, 'jobs.runs': call },
      ...{ 'checkpoints.list': call, 'checkpoints.compare': call, 'checkpoints.diff': call, 'checkpoints.restore': call },
      'checkpoints.prune': call,
      ...{ 'skillHub.installed': call, 'skillHub.inspect': call, 'skillHub.check': call, 'skillHub.install': call },
      'skillHub.remove': call,
      ...{ 'skillProposals.list': call, 'skillProposals.diff': call, 'skillProposals.decide': call },
      ...{ 'conversations.list': call, 'conversations.look': call, 'conversations.compress': call },
      ...{ 'memory.blocks': call, 'memory.change': call, 'memoryProposals.list': call, 'memoryProposals.decide': call },
      ...{ 'mcp.list': call, 'mcp.catalog': call, 'mcp.install': call, 'mcp.add': call, 'mcp.turn': call },
      ...{ 'mcp.remove': call, 'mcp.test': call, 'mcp.login': call, 'mcp.answer': call, 'mcp.cancel': call, 'mcp.logout': call },
      ...{ 'agents.list': call, 'agents.stop': call },
      'web.search': call,
      'web.extract': call,
      'web.crawl': call,
      'web.resolve': call,
      'images.generate': stream,
      'images.describe': call,
      'models.ask': call,
      receive: call,
      press: call,
      invited: call,
      lost: note,
      'http.route': { how: 'call', takes: [undefined, 'httpHandler', undefined, 'httpHandler'] },
      'http.listen': { how: 'call', takes: [undefined, 'httpHandler', 'httpHandler'] },
      'files.put': { how: 'call', takes: ['bytes'] },
      'files.read': stream,
      'turns.run': stream,
      'turns.answer': call,
    },
  },
}

/**
 * Everything that is not data and crosses the border between host and plugin, by interface and member.
 * `*` stands for any name. A member that is not listed does not exist on the other side.
 */
export const interfaces: Readonly<Record<InterfaceName, Interface>> = { ...ofKinds, ...common }
