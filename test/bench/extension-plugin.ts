import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema } from '@agent/plugin-sdk'
import { createContext } from '../../host/src/kernel/activation/plugin-context.ts'
import type { Contribution, Installed } from '../../host/src/kernel/catalog/catalog.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { createExtensionHosts, type ExtensionHosts } from '../../host/src/kernel/extension-host/extension-hosts.ts'
import { openLedger } from '../../host/src/kernel/ledger.ts'
import { silentLog } from '../../host/src/observe/silent-log.ts'
import type { Bench } from './figure.ts'

const platform = `export default { connect: async () => ({
  send: async (message) => ({ status: 'sent', platformId: message.key }),
  lastHeard: async () => 0,
  close: async () => undefined,
}) }
`
const provider = `export default { open: async () => ({ async *stream(request) {
  for (let n = 0; n < request.maxTokens; n++) yield { type: 'text', delta: 'word ' }
  yield { type: 'end', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
} }) }
`

const manifest = (id: string) =>
  manifestSchema.parse({
    ...{ manifestVersion: 1, id, name: id, description: 'made up', version: '1.0.0', license: 'MIT', api: { platform: 1, provider: 1 } },
    contributes: {
      platforms: [{ id, entry: 'platform.js', label: id, door: 'messaging', reach: 'owner', capabilities: {}, limits: {} }],
      providers: [{ id, entry: 'provider.js', label: id, auth: 'none' }],
    },
  })

/** Extension hosts for one made-up plugin. */
export interface BenchPlugin extends AsyncDisposable {
  readonly hosts: ExtensionHosts
  contribution(kind: 'platform' | 'provider'): Contribution
  context(kind: 'platform' | 'provider'): ReturnType<typeof createContext>
}

/** In a plain child unless told. */
export function openBenchPlugin(bench: Pick<Bench, 'root' | 'folder'>, id: string, sandbox: 'required' | 'off' = 'off'): BenchPlugin {
  const root = join(realpathSync(bench.folder), id)
  mkdirSync(root, { recursive: true })
  for (const [file, text] of [
    ['package.json', '{ "type": "module" }'],
    ['platform.js', platform],
    ['provider.js', provider],
  ] as const)
    writeFileSync(join(root, file), text)
  const plugin: Installed = { manifest: manifest(id), root, source: 'local', warnings: [] }
  const hosts = createExtensionHosts({
    program: join(bench.root, 'host', 'dist', 'extension-host.mjs'),
    ...{
      homes: () => [bench.folder],
      userHome: bench.folder,
      data: join(bench.folder, 'data'),
      memories: join(bench.folder, 'memories'),
      workspace: bench.folder,
      settings: { entries: {}, sandbox },
      plugins: [plugin],
      clock: systemClock,
      log: silentLog,
    },
    quarantine: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
  })
  const contribution = (kind: 'platform' | 'provider'): Contribution => {
    const [spec] = plugin.manifest.contributes[`${kind}s`]
    return { kind, id, plugin, spec, settings: { key: '', value: {} } } as Contribution
  }
  return {
    hosts,
    contribution,
    context: (kind) =>
      createContext({
        ...{ contribution: contribution(kind), config: {}, log: silentLog, clock: systemClock, profile: 'default', agentVersion: '0.0.0' },
        ledger: openLedger(id, silentLog),
        secrets: { get: async () => '', find: async () => undefined, set: async () => undefined },
        state: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
        models: { ask: async () => '' },
      }),
    [Symbol.asyncDispose]: () => hosts.close(),
  }
}
