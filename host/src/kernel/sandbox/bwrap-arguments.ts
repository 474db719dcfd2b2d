import { lstatSync, realpathSync } from 'node:fs'
import type { SandboxPlan } from './sandbox-plan.ts'

/** Where bwrap tells the number of the process in it. */
export const infoPipe = 3

export interface BwrapOptions {
  readonly plan: SandboxPlan
  readonly flags: readonly string[]
  /** An empty file, which is seen in the place of a hidden one. */
  readonly empty: string
}

/** The arguments of bwrap for a command, in order: later mounts win. */
export function formatBwrapArguments({ plan, flags, empty }: BwrapOptions): readonly string[] {
  const { mounts, network, temporary, workspace } = plan
  return [
    ...flags,
    // No foreign processes, queues, names; the terminal of the host is out of reach, and nothing outlives the host.
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--new-session', '--die-with-parent'],
    // Root would mount the disk writable again.
    ...['--cap-drop', 'ALL', ...(network ? [] : ['--unshare-net']), '--info-fd', String(infoPipe)],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    // Root may write there without any capability.
    ...['--ro-bind', '/proc/sys', '/proc/sys'],
    // A socket can be connected to however it is mounted: D-Bus, Docker.
    ...['--tmpfs', '/run', ...seenInRun()],
    ...['--bind', temporary, '/tmp', '--bind', temporary, '/var/tmp'],
    ...mounts.flatMap(({ path, as, isFolder }) => {
      if (as === 'writable') return ['--bind', path, path]
      if (as === 'fixed' || as === 'readable') return ['--ro-bind', path, path]
      return isFolder ? ['--tmpfs', path] : ['--ro-bind', empty, path]
    }),
    ...mounts.flatMap(({ path, as, isFolder }) => (as === 'hidden' && isFolder ? ['--remount-ro', path] : [])),
    ...['--chdir', workspace],
  ]
}

/** The addresses of name servers, and the programs of a NixOS; /var/run where it is no link. */
function seenInRun(): readonly string[] {
  const servers = realPath('/etc/resolv.conf')
  const shown = [...(servers?.startsWith('/run/') ? [servers] : []), '/run/current-system']
  const old = lstatSync('/var/run', { throwIfNoEntry: false })?.isDirectory() ? ['--tmpfs', '/var/run'] : []
  return [...old, ...shown.flatMap((path) => ['--ro-bind-try', path, path])]
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
