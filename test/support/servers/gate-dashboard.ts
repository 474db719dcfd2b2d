import type { Gate, Log, OpenGate } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import type { DashboardOptions } from '../../../host/src/dashboard/boot/open-dashboard.ts'
import type { TestHome } from '../test-home.ts'
import { openTestDashboard, type TestDashboard } from './open-test-dashboard.ts'

/** A gate of a plugin of somebody else, `gate-<id>:<id>`. */
export interface MadeUpGate extends OpenGate {
  readonly way: 'password' | 'redirect'
}

export interface GateDashboard extends AsyncDisposable {
  readonly dashboard: TestDashboard
  readonly clock: FakeClock
  /** Ids of the gates whose code was taken. */
  readonly imported: readonly string[]
  /** What the dashboard has written into its log. */
  log(): string
  audit(): string
  /** Names others in the setting, or none. */
  name(gates: readonly string[]): void
}

export type GateOptions = Partial<DashboardOptions> & {
  /** What the setting names; all of them unless told. */
  readonly named?: readonly string[]
  readonly settings?: Readonly<Record<string, unknown>>
}

export const nameOf = (id: string): string => `gate-${id}:${id}`

/** Puts the manifest of a gate into a home; `code` is its entry. */
export function addGate(home: TestHome, id: string, way: MadeUpGate['way'], code?: string): void {
  const folder = `plugins/local/gate-${id}`
  const about = { manifestVersion: 1, id: `gate-${id}`, name: id, description: 'made up', version: '1.0.0', license: 'MIT' }
  const gates = [{ id, entry: 'dist/gate.js', label: `The ${id}`, way }]
  home.write(`${folder}/agent.plugin.json`, JSON.stringify({ ...about, api: { gate: 1 }, contributes: { gates } }))
  home.write(`${folder}/package.json`, '{ "type": "module" }')
  home.write(`${folder}/dist/gate.js`, code ?? 'export default {}')
}

/** Switches gates on, and names some of them. */
export function nameGates(home: TestHome, ids: readonly string[], gates: readonly string[], settings: object = {}): void {
  const entries = Object.fromEntries(ids.map((id) => [`gate-${id}`, { enabled: true }]))
  home.write('config.yaml', `${JSON.stringify({ plugins: { entries }, dashboard: { ...settings, gates } })}\n`)
}

/** A dashboard beyond this machine, with gates that run in the process of the test; its time stands still. */
export async function openGateDashboard(made: Readonly<Record<string, MadeUpGate>>, options: GateOptions = {}): Promise<GateDashboard> {
  const { named = Object.keys(made).map(nameOf), settings, ...more } = options
  const [clock, imported, lines] = [createFakeClock(), [] as string[], [] as string[]]
  const take = (...line: readonly unknown[]): void => void lines.push(JSON.stringify(line))
  const log: Log = { debug: take, info: take, warn: take, error: take }
  const importEntry = async ({ id }: { readonly id: string }): Promise<{ readonly default: Gate }> => {
    imported.push(id)
    const { way: _way, ...gate } = made[id] ?? { way: 'password' }
    return { default: { open: async () => gate } }
  }
  const dashboard = await openTestDashboard({
    ...{ host: '0.0.0.0', log, clock, gates: { importEntry, clock }, page: '<meta name="agent-token" content="">' },
    prepare: (home) => {
      for (const [id, { way }] of Object.entries(made)) addGate(home, id, way)
      nameGates(home, Object.keys(made), named, settings)
    },
    ...more,
    environment: { AGENT_DASHBOARD_SESSION_TOKEN: undefined, ...more.environment },
  })
  return {
    ...{ dashboard, clock, imported },
    log: () => lines.join('\n'),
    audit: () => dashboard.home.read('logs/dashboard-auth.log'),
    name: (gates) => nameGates(dashboard.home, Object.keys(made), gates, settings),
    [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose](),
  }
}
