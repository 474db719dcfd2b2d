import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { WorkingSandbox } from '../sandbox/sandbox-level.ts'
import { isWithin } from '../sandbox/sandbox-plan.ts'
import { listTemporary } from './declared-paths.ts'

/** What a process sees in its sandbox beside the programs and libraries of the system. */
export interface SandboxView {
  /** Files and folders. */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Out of sight, even where `reads` or `writes` cover it; what these name within it stays in sight. */
  readonly hidden?: readonly string[] | undefined
  /** Folder with the one way out. */
  readonly door?: string | undefined
  /** The network of the machine. */
  readonly network?: boolean | undefined
  readonly cwd: string
  /** On this descriptor the sandbox says how it starts and ends. */
  readonly statusPipe?: number | undefined
}

/** Where the folder of the door is in the sandbox. */
export const doorPlace = '/run/egress'

/** Of /etc only what programs look up; none of it is secret. */
const etc = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'group', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'],
  ...['localtime', 'mime.types', 'nsswitch.conf', 'passwd', 'pki', 'protocols', 'services', 'ssl', 'timezone'],
]
/** A folder that ends with the sandbox, of 64 MiB. */
const temporary = ['--size', String(64 * 1024 * 1024), '--tmpfs']

/** The arguments of bwrap, up to the program that it is to start. */
export function formatSandboxArguments({ flags }: Pick<WorkingSandbox, 'flags'>, view: SandboxView): readonly string[] {
  const { network, cwd, statusPipe } = view
  const own = ownMounts(view)
  return [
    ...flags,
    // As the sandbox was tried out, name by name: in another user namespace /proc cannot be mounted everywhere.
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', ...(network ? [] : ['--unshare-net'])],
    ...['--as-pid-1', '--new-session', '--die-with-parent', '--cap-drop', 'ALL'],
    ...(statusPipe === undefined ? [] : ['--json-status-fd', String(statusPipe)]),
    // The shorter path first: what is mounted later lies over it.
    ...[...(own.some(isRoot) ? diskMounts() : programMounts(network === true)), ...systemMounts(view), ...own]
      .sort((left, right) => left.path.length - right.path.length)
      .flatMap(({ path, mount }) => [...mount, path]),
    // Root has files there that are written without any capability, and a namespace in this one needs to write there.
    ...['--remount-ro', '/proc', '--remount-ro', '/run', ...(own.some(isRoot) ? [] : ['--remount-ro', '/']), '--chdir', cwd],
  ]
}

interface Mount {
  readonly path: string
  /** Its arguments, up to the path. */
  readonly mount: readonly string[]
}

const isRoot = ({ path }: Mount): boolean => path === '/'

/** What programs need; who is shown all of the disk has it already. */
function programMounts(network: boolean): readonly Mount[] {
  const files = [...etc, ...(network ? ['resolv.conf'] : [])].map((name) => `/etc/${name}`)
  return [
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].filter((path) => existsSync(path)).map(systemFolder),
    ...['/usr', '/nix/store', ...files].map((path) => ({ path, mount: ['--ro-bind-try', path] })),
    { path: '/tmp', mount: temporary },
  ]
}

/** What even he does not see who is shown all of the disk: places where programs meet, and settings of the kernel to write. */
function diskMounts(): readonly Mount[] {
  const old = lstatSync('/var/run', { throwIfNoEntry: false })?.isDirectory() ? ['/var/run'] : []
  return [...[...listTemporary(), ...old].map((path) => ({ path, mount: temporary })), { path: '/sys', mount: ['--ro-bind', '/sys'] }]
}

function systemMounts({ door }: SandboxView): readonly Mount[] {
  return [
    { path: '/dev', mount: ['--dev'] },
    { path: '/proc', mount: ['--proc'] },
    // Without this, root writes the settings of the whole machine, even without capabilities.
    { path: '/proc/sys', mount: ['--ro-bind', '/proc/sys'] },
    ...['/run', '/dev/shm'].map((path) => ({ path, mount: temporary })),
    ...(door === undefined ? [] : [{ path: doorPlace, mount: ['--ro-bind', door] }]),
  ]
}

/** A link where the system has one, as most have today. */
function systemFolder(path: string): Mount {
  return { path, mount: lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path)] : ['--ro-bind', path] }
}

function ownMounts({ reads, writes, hidden = [] }: SandboxView): readonly Mount[] {
  const bind = (kind: string, paths: readonly string[]): readonly Mount[] =>
    paths.filter(isMountable).map((path) => ({ path, mount: [kind, realpathSync(path)] }))
  const written = bind('--bind', writes)
  const shown = [...bind('--ro-bind', reads), ...written]
  const covered = hidden.filter((path) => existsSync(path)).map((path) => realpathSync(path))
  const covers = covered.filter((path) => shown.some((mount) => isWithin(path, mount.path)))
  return [...shown, ...covers.flatMap((path) => between(path, shown, written)), ...covers.map(cover)]
}

/** A file becomes one that cannot be opened. */
const cover = (path: string): Mount => ({ path, mount: statSync(path).isDirectory() ? ['--tmpfs'] : ['--ro-bind', '/dev/null'] })

/** Folders on the way to what is hidden: without their own mount they could be renamed, and the next sandbox would not find it. */
function between(hidden: string, shown: readonly Mount[], written: readonly Mount[]): readonly Mount[] {
  const around = shown.filter(({ path }) => isWithin(hidden, path)).sort((left, right) => right.path.length - left.path.length)[0]
  if (around === undefined || !written.includes(around)) return []
  const found: Mount[] = []
  for (let path = dirname(hidden); path.length > around.path.length; path = dirname(path)) found.push({ path, mount: ['--bind', path] })
  return found
}

/** A socket is a way to another program, and a mount that is read-only does not close it. */
function isMountable(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isSocket()
}
