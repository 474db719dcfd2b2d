import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestInput } from '@agent/plugin-sdk'
import { pluginFolders } from '../../repo/plugin-folders.ts'
import { runAgent } from '../../support/run-agent.ts'
import type { TestHome } from '../../support/test-home.ts'
import type { Drill } from './drill.ts'
import { faultyFolder, faultyPlugin } from './faulty-folder.ts'
import { deleteInstalled, installOnFullDisk, installPacked, killInstalls, modifyInstalled, pack, updateToBroken } from './packaged.ts'
import { crashOften, jump, liftQuarantine, withJumps } from './quarantine.ts'

const crash = { strikes: 'message', detected: /a child ended/, recovered: 'answers' } as const
const connecting = { strikes: 'start', recovered: 'detected' } as const
const blocked = { strikes: 'start', recovered: 'detected' } as const

const whyWords = ['plugins', 'why', faultyPlugin, '--json']

function because(code: string): Drill['detected'] {
  return { words: whyWords, says: new RegExp(`"reason": "${code}"`) }
}

/** Every drill; the ones that take long come first, so that the others run beside them. */
export const drills: readonly Drill[] = [
  {
    ...{ name: 'process.exit at every connect', fault: 'connect-exits', strikes: 'start' },
    // From the fifth time within ten minutes on it is not tried again; the pauses until then are longer than a drill.
    ...{ detected: /a child ended/, recovered: /"retryInMs":30000/, withinMs: 60_000 },
  },
  {
    ...{ name: 'quarantine', fault: 'connect-exits', strikes: 'start', environment: withJumps, act: crashOften, mend: liftQuarantine },
    ...{ detected: because('quarantined'), recovered: 'answers', withinMs: 60_000 },
  },
  { name: 'send never settles', fault: 'send-hangs', strikes: 'message', detected: 'nothing', recovered: 'answers', withinMs: 60_000 },
  {
    ...{ name: 'half-open connection', fault: 'half-open', strikes: 'message', withinMs: 60_000 },
    ...{ detected: /has been silent|is silent|degraded/, recovered: 'answers' },
  },
  { name: 'endless loop', fault: 'loop', ...crash, detected: /does not answer/ },
  { name: 'wait without end', fault: 'waits', ...crash, detected: /does not answer/ },
  { name: 'close never settles', fault: 'close-hangs', strikes: 'end', detected: /did not close/, recovered: 'detected' },
  { name: 'throw in a timer', fault: 'timer-throws', ...crash },
  { name: 'unhandled rejection', fault: 'rejection', ...crash },
  { name: 'process.exit', fault: 'exit', ...crash },
  { name: 'process.abort', fault: 'abort', ...crash },
  { name: 'buffer growth', fault: 'buffers', ...crash },
  { name: 'heap out of memory', fault: 'heap', ...crash },
  { name: 'garbage over the border', fault: 'garbage', ...crash },
  { name: 'frame of 2 GiB announced', fault: 'huge-frame', ...crash },
  { name: 'flood of log lines', fault: 'logs', strikes: 'message', detected: /lines of one second were left out/, recovered: 'answers' },
  { name: 'flood of output', fault: 'output', strikes: 'message', detected: /"msg":"x+"/, recovered: 'answers' },
  { name: '10,000 events at once', fault: 'events', strikes: 'message', detected: 'nothing', recovered: 'answers', withinMs: 60_000 },
  { name: 'lost told 1000 times', fault: 'lost', strikes: 'message', detected: /"state":"retrying"/, recovered: 'answers' },
  { name: 'throw in send', fault: 'send-throws', strikes: 'message', detected: 'nothing', recovered: 'answers' },
  { name: 'endless loop in a hook', manifest: addGate, prepare: gateThat('for (;;) Math.random()'), ...crash, detected: /does not answer/ },
  {
    ...{ name: 'hook never settles', manifest: addGate, prepare: gateThat('await new Promise(() => undefined)'), strikes: 'message' },
    ...{ detected: /timed out at message.inbound/, recovered: 'answers' },
  },
  {
    ...{ name: 'gate throws', manifest: addGate, prepare: gateThat("throw new Error('thrown in a gate')"), strikes: 'message' },
    ...{ detected: /failed at message.inbound/, recovered: 'answers' },
  },
  {
    ...{ name: 'undeclared tool', manifest: addTool, prepare: provideAnother, strikes: 'message', recovered: 'answers' },
    detected: { words: ['chat', '-z', 'call faulty_tool {}'], says: /faulty_tool/ },
  },
  {
    ...{ name: 'clock jump', environment: withJumps, act: jumpAhead, strikes: 'message' },
    ...{ detected: 'nothing', recovered: 'answers' },
  },
  { name: 'throw at import', prepare: (home) => spoilEntry(home), detected: /thrown at import/, ...connecting },
  { name: 'endless loop at import', prepare: loopAtImport, detected: /does not answer/, ...connecting },
  { name: 'throw in connect', fault: 'connect-throws', detected: /thrown while it connects/, ...connecting },
  { name: 'reject after a while', fault: 'connect-rejects', detected: /rejected after a while/, ...connecting },
  { name: 'connect never settles', fault: 'connect-hangs', detected: /took longer than|Connecting Faulty/, ...connecting },
  { name: 'handles left open', fault: 'handles', strikes: 'end', detected: 'nothing', recovered: 'detected' },
  { name: 'disable during a send', act: pausePlatform, strikes: 'message', detected: /faulty is paused/, recovered: 'detected' },
  {
    name: 'folder deleted while it runs',
    act: deleteFolder,
    strikes: 'message',
    detected: { words: whyWords, says: /There is no plugin/ },
    recovered: 'detected',
  },
  { name: 'broken manifest', prepare: spoilManifest, detected: because('manifest-invalid'), ...blocked },
  { name: 'invalid configuration', settings: { port: 'none' }, detected: because('config-invalid'), ...blocked },
  { name: 'missing variable', manifest: askVariable, detected: because('env-missing'), ...blocked },
  { name: 'platform id of another', manifest: takeId, detected: because('duplicate-owner'), ...blocked },
  { name: 'installed file modified', prepare: modifyInstalled, detected: because('integrity-modified'), ...blocked },
  { name: 'store folder deleted', prepare: deleteInstalled, detected: because('store-missing'), ...blocked },
  {
    ...{ name: 'update to a version that fails', prepare: installPacked, act: updateToBroken, strikes: 'message' },
    ...{ detected: 'nothing', recovered: 'answers' },
  },
  { name: 'disk full during an install', prepare: (home) => pack(home), act: installOnFullDisk, detected: 'nothing', ...blocked },
  { name: 'installs killed', prepare: (home) => pack(home), act: killInstalls, detected: 'nothing', ...blocked },
  {
    name: 'lock edited by hand',
    prepare: spoilLock,
    detected: { words: ['plugins', 'list', '--json'], says: /"lock-damaged"/ },
    ...blocked,
  },
]

function spoilEntry(home: TestHome): void {
  writeFileSync(join(faultyFolder(home), 'dist', 'platform.js'), "throw new Error('thrown at import')")
}

function loopAtImport(home: TestHome): void {
  writeFileSync(join(faultyFolder(home), 'dist', 'platform.js'), 'for (;;) Math.random()')
}

function spoilManifest(home: TestHome): void {
  appendFileSync(join(faultyFolder(home), 'agent.plugin.json'), ',')
}

function spoilLock(home: TestHome): void {
  home.write('plugins/plugins.lock.json', '{ "plugins": ')
}

function deleteFolder(home: TestHome): void {
  rmSync(faultyFolder(home), { recursive: true })
}

async function pausePlatform(home: TestHome): Promise<void> {
  await runAgent(home, ['gateway', 'pause', 'faulty'])
}

/** Three hours, as after a night asleep. */
function jumpAhead(home: TestHome): void {
  jump(home, 3 * 3_600_000)
}

/** Asks the plugin's hook about every message on its own platform. */
function addGate(manifest: ManifestInput): ManifestInput {
  const hooks = [{ name: 'message.inbound' as const, filter: { platform: ['faulty'] } }]
  return {
    ...manifest,
    api: { ...manifest.api, hooks: 1 },
    contributes: { ...manifest.contributes, hooks: [{ id: 'faulty', label: 'Faulty', entry: 'dist/hooks.js', hooks }] },
  }
}

function gateThat(fault: string): NonNullable<Drill['prepare']> {
  const gate = `async ({ message }) => { if (message.text === 'now') ${fault} }`
  return (home) =>
    writeFileSync(
      join(faultyFolder(home), 'dist', 'hooks.js'),
      `export default { open: async () => ({ hooks: { 'message.inbound': ${gate} } }) }`,
    )
}

function addTool(manifest: ManifestInput): ManifestInput {
  const parameters = { type: 'object', properties: {}, additionalProperties: false }
  const tools = [{ name: 'faulty_tool', description: 'made up', parameters, effect: 'none' as const }]
  return {
    ...manifest,
    api: { ...manifest.api, toolset: 1 },
    contributes: { ...manifest.contributes, toolsets: [{ id: 'faulty', label: 'Faulty', entry: 'dist/toolset.js', tools }] },
  }
}

function provideAnother(home: TestHome): void {
  const code = "export default { open: async () => ({ tools: { other_tool: async () => ({ ok: true, text: 'here' }) } }) }"
  writeFileSync(join(faultyFolder(home), 'dist', 'toolset.js'), code)
}

function askVariable(manifest: ManifestInput): ManifestInput {
  const env = [{ name: 'FAULTY_TOKEN', prompt: 'Token', required: true, secret: true } as const]
  const platforms = (manifest.contributes?.platforms ?? []).map((platform) => ({ ...platform, env: ['FAULTY_TOKEN'] }))
  return { ...manifest, env, contributes: { platforms } }
}

/** The id of a platform that came with agent. */
function takeId(manifest: ManifestInput): ManifestInput {
  const bundled = pluginFolders.find(({ kind }) => kind === 'platforms')?.name
  const platforms = (manifest.contributes?.platforms ?? []).map((platform) => ({ ...platform, id: bundled ?? '' }))
  return { ...manifest, contributes: { platforms } }
}
