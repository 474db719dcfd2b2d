import { createHash } from 'node:crypto'
import { fail } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import { allocatorEnvironment } from '#kernel/allocator.ts'
import { noDebugger } from '#kernel/no-debugger.ts'

/** What a service needs to know to start the gateway of one home. */
export interface ServicePlan {
  readonly home: Home
  /** The Node that runs it. */
  readonly node: string
  /** The program of this checkout. */
  readonly program: string
  /** Where tools find programs: a service manager brings a shorter list than a login. */
  readonly path: string | undefined
}

/** Name of the unit: the usual home has the plain one, every other home and profile its own. */
export function nameUnit(home: Home, usualRoot: string): string {
  const root = home.root === usualRoot ? [] : [createHash('sha256').update(home.root).digest('hex').slice(0, 8)]
  const profile = home.profile === defaultProfile ? [] : [home.profile]
  return `${['agent-gateway', ...root, ...profile].join('-')}.service`
}

/** The line by which a unit is known to belong to a home. */
export function homeLine(home: Home): string {
  return `Environment=${quote(`AGENT_HOME=${home.path}`)}`
}

/** A systemd user unit. The colon keeps `$` in a path from being read as a variable. */
export function formatUnit({ home, node, program, path }: ServicePlan): string {
  for (const each of [home.path, node, program, path ?? ''])
    if (hasControl(each))
      throw fail('HOME_UNUSABLE', { path: JSON.stringify(each), reason: 'a service cannot name a path with such characters' })
  // Any Node knows this flag, also one that takes the place of today's.
  const flags = noDebugger({ has: () => false })
  const variables = Object.entries(allocatorEnvironment)
    .map((pair) => `Environment=${pair.join('=')}`)
    .join('\n')
  return `# Written by agent gateway install, which replaces it when it is run again.
[Unit]
Description=agent gateway of ${home.path.replaceAll('%', '%%')}

[Service]
Type=exec
ExecStart=:${quote(node)} ${flags.join(' ')} ${quote(program)} gateway run --boot
${homeLine(home)}
${variables}
${path ? `Environment=${quote(`PATH=${path}`)}\n` : ''}Environment=AGENT_GATEWAY_BOOTSTRAP_STATE=running
# Exit codes of agent: 0 done, 1 failed, 2 wrong usage, 75 start me again, 130 interrupted.
Restart=on-failure
RestartSec=10
RestartForceExitStatus=75
RestartPreventExitStatus=2
SuccessExitStatus=130
# The gateway ends what it started, in its own order; what is left after that is killed.
KillMode=mixed
TimeoutStopSec=90

[Install]
WantedBy=default.target
`
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f')
}
