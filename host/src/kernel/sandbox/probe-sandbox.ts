import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Clock } from '@agent/plugin-sdk'
import { withTimeLimit } from '@agent/plugin-sdk'
import { findBwrap } from './find-bwrap.ts'
import type { SandboxLevel } from './sandbox-level.ts'

export interface SandboxProbe {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  readonly platform?: NodeJS.Platform | undefined
  /** Path of bwrap, looked for where absent. */
  readonly bwrap?: string | undefined
  /** Starts a process unless told otherwise. */
  readonly runProgram?: RunProgram | undefined
}

/** Runs a program to its end; answers what it printed for errors, as it stands, and nothing where it worked. */
export type RunProgram = (program: string, args: readonly string[], signal: AbortSignal) => Promise<string | undefined>

const limitMs = 5000
const seatbelt = '/usr/bin/sandbox-exec'
const own = ['--unshare-user']

/** The arguments that a kernel may refuse: namespaces, mounts, capabilities. Every sandbox is made of these. */
const triedArguments: readonly string[] = [
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--unshare-net'],
  ...['--new-session', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--tmpfs', '/run'],
]

/** What the program said, and what it means. */
const refusals: readonly (readonly [RegExp, string, string])[] = [
  [
    /uid map: Permission denied|RTM_NEWADDR/,
    'AppArmor keeps bwrap from making a sandbox',
    'add an AppArmor profile for bwrap, or set kernel.apparmor_restrict_unprivileged_userns to 0',
  ],
  [/uid map: Operation not permitted/, 'this container has too few rights', 'start the container with the right to make user namespaces'],
  [
    /nesting depth|No space left on device/,
    'user namespaces are off or used up here',
    'raise the setting user.max_user_namespaces of the kernel',
  ],
  [
    /No permissions to create new namespace|Creating new namespace failed/,
    'user namespaces are forbidden here',
    'allow them (sysctl kernel.unprivileged_userns_clone=1), or start the container with that right',
  ],
  [/Can't mount proc/, 'this container masks /proc', 'start the container with an unmasked /proc'],
  [/Failed to make \/ slave/, 'a security module refuses mounts', 'allow bwrap to mount in the security module of this machine'],
]

/** Tries the sandbox program of this machine once, with the arguments that matter and a program that does nothing. */
export async function probeSandbox(options: SandboxProbe): Promise<SandboxLevel> {
  const platform = options.platform ?? process.platform
  if (platform === 'linux') return probeBwrap(options)
  if (platform === 'darwin') return probeSeatbelt()
  return { works: false, reason: 'the agent knows no sandbox for this system', fix: 'run it on Linux, on Windows in WSL 2' }
}

async function probeBwrap(options: SandboxProbe): Promise<SandboxLevel> {
  const program = options.bwrap ?? findBwrap()
  if (program === undefined || !existsSync(program)) {
    return { works: false, reason: 'bwrap is not installed', fix: 'install the package bubblewrap of this system' }
  }
  const problem = await tryOut(options, program, triedArguments)
  if (problem === undefined) return { works: true, kind: 'bwrap', program, flags: [] }
  // Root without the right to mount has it in its own user namespace.
  if ((await tryOut(options, program, [...own, ...triedArguments])) === undefined) {
    return { works: true, kind: 'bwrap', program, flags: own }
  }
  const known = refusals.find(([pattern]) => pattern.test(problem))
  if (known) return { works: false, reason: known[1], fix: known[2] }
  return { works: false, reason: `bwrap says "${problem}"`, fix: 'see that bwrap works for the user of the agent' }
}

function probeSeatbelt(): SandboxLevel {
  if (existsSync(seatbelt)) return { works: true, kind: 'sandbox-exec', program: seatbelt, flags: [] }
  return { works: false, reason: `${seatbelt} is missing`, fix: 'restore this program of macOS' }
}

/** What the program complained about; nothing where it worked. */
async function tryOut(
  { clock, signal, runProgram = run }: SandboxProbe,
  program: string,
  args: readonly string[],
): Promise<string | undefined> {
  return withTimeLimit({ clock, signal, ms: limitMs, what: program }, (limit) => runProgram(program, args, limit)).then(
    (said) => (said === undefined ? undefined : firstComplaint(said)),
    (error: unknown) => {
      if (signal?.aborted) throw error
      return `no end within ${limitMs / 1000} s`
    },
  )
}

/** Its first line, without the name of the program. */
function firstComplaint(said: string): string {
  const [line = ''] = said.trim().split('\n')
  return line.replace(/^bwrap: /, '')
}

const run: RunProgram = (program, args, signal) =>
  new Promise((resolve) => {
    execFile(program, [...args, '/bin/true'], { signal, killSignal: 'SIGKILL', env: {} }, (error, _, said) =>
      resolve(error ? said || error.message : undefined),
    )
  })
