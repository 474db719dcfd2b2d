import { resolve } from 'node:path'
import type { EndedCommand } from '@agent/plugin-sdk'
import { isWithin, type SandboxPlan } from './sandbox-plan.ts'

/** What the sandbox probably stopped, in one sentence; nothing where a command ended for reasons of its own. */
export function explainStop(plan: SandboxPlan, userHome: string, { command, output, failed }: EndedCommand): string | undefined {
  const hidden = findHidden(plan, userHome, command) ?? (failed ? findHidden(plan, userHome, output) : undefined)
  if (hidden !== undefined) return `The sandbox does not show ${hidden}.`
  if (!failed) return undefined
  const said = output.slice(-20_000)
  if (!plan.network && noNetwork.test(said)) return 'The sandbox has no network (terminal.network is off).'
  if (/Read-only file system|EROFS/.test(said)) {
    const folders = plan.mounts.filter(({ as }) => as === 'writable').map(({ path }) => path)
    const outer = folders.filter((path) => !folders.some((other) => other !== path && isWithin(path, other)))
    return `The sandbox lets commands write to ${[...outer, '/tmp'].join(', ')} and nowhere else.`
  }
  if (noRights.test(said)) return 'The sandbox takes the rights of root, and programs that give rights do not work in it.'
  if (/\/tmp\/[^\n]*(?:No such file|ENOENT|not found|cannot find)|(?:No such file|ENOENT)[^\n]*\/tmp\//.test(said)) {
    return 'The sandbox has a /tmp of its own: files of the machine in /tmp are not in it.'
  }
  if (/\/run\/|\/tmp\/[^\n]*sock/.test(said) && /No such file|Cannot connect|Failed to connect|ENOENT/.test(said)) {
    return 'The sandbox does not show the sockets of services of this machine.'
  }
  return undefined
}

const noNetwork =
  /Network is unreachable|ENETUNREACH|ould not resolve|name resolution|Name or service not known|EAI_AGAIN|ENOTFOUND|Connection refused|ECONNREFUSED|unable to resolve/i
const noRights =
  /Operation not permitted|EPERM|no new privileges|must be setuid root|must be superuser|effective uid is not 0|Cannot open audit|^mount: .*permission denied/im

/** The first path in a text that the sandbox covers. */
function findHidden({ mounts, workspace }: SandboxPlan, userHome: string, text: string): string | undefined {
  const known = mounts.filter(({ as }) => as === 'hidden')
  for (const [word] of text.slice(-20_000).matchAll(/(?:~|\$HOME|\$\{HOME\})?\/[^\s'"`;|&<>()=:,]*/g)) {
    const path = resolve(workspace, word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, userHome))
    if (!known.some((mount) => isWithin(path, mount.path))) continue
    if (mounts.findLast((mount) => isWithin(path, mount.path))?.as === 'hidden') return word
  }
  return undefined
}
