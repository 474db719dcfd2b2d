import type { SandboxMount, SandboxPlan } from './sandbox-plan.ts'

/** The rules of macOS for a command; the last rule that fits decides. */
export function formatSeatbeltProfile({ mounts, network, temporary }: SandboxPlan): string {
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${subpath(temporary)} (subpath "/dev"))`,
    ...mounts.map(formatRule),
    // Signals reach what was started in this sandbox.
    '(deny signal)',
    '(allow signal (target self) (target children) (target same-sandbox))',
    // Keychain and clipboard are asked by messages.
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd") (global-name "com.apple.pasteboard.1"))',
    ...(network ? [] : ['(deny network*)']),
  ].join('\n')
}

function formatRule({ path, as, isFolder }: SandboxMount): string {
  const where = isFolder ? subpath(path) : `(literal ${quoted(path)})`
  if (as === 'readable') return `(allow file-read* ${where})`
  if (as === 'writable') return `(allow file-read* file-write* ${where})`
  return as === 'fixed' ? `(deny file-write* ${where})` : `(deny file-read* file-write* ${where})`
}

const subpath = (path: string): string => `(subpath ${quoted(path)})`

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
