import { resolve } from 'node:path'
import type { EndedCommand } from '@agent/plugin-sdk'
import { isWithin, type SandboxMount, type SandboxPlan } from './sandbox-plan.ts'

/** What a failed command says of what it missed, and what the sandbox has to do with it; the first that fits is told. */
const signs: readonly { readonly said: RegExp; readonly tells: (plan: SandboxPlan, said: string) => string | undefined }[] = [
  {
    said: /Network is unreachable|ENETUNREACH|could not resolve|name resolution|Name or service not known|EAI_AGAIN|ENOTFOUND|Connection refused|ECONNREFUSED|unable to resolve/i,
    tells: ({ network }) => (network ? undefined : 'The sandbox has no network (terminal.network is off).'),
  },
  { said: /Read-only file system|EROFS/, tells: tellWritable },
  {
    said: /Operation not permitted|EPERM|no new privileges|must be setuid root|must be superuser|effective uid is not 0|^mount: .*permission denied/im,
    tells: () => 'The sandbox takes the rights of root, and programs that give rights do not work in it.',
  },
  {
    said: /(?:No such file|ENOENT|annot connect|ailed to connect)[^\n]*(?:\/run\/|\.sock)|(?:\/run\/|\.sock)[^\n]*(?:No such file|ENOENT|annot connect|ailed to connect)/,
    tells: () => 'The sandbox does not show the sockets of services of this machine.',
  },
  {
    said: /(?:No such file|ENOENT|not found|annot find)/,
    tells: (plan, said) => {
      const isForeign = said
        .split('\n')
        .some((line) => missing.test(line) && wordsOf(plan, '', line).some(({ path }) => isInTmp(plan, path)))
      return isForeign ? 'The sandbox has its own /tmp: files of the machine in /tmp are not in it.' : undefined
    },
  },
]

const missing = /No such file|ENOENT|not found|annot find/
const mostRead = 20_000

/** What the sandbox probably stopped, in one sentence; nothing where a command ended for another reason. */
export function explainStop(plan: SandboxPlan, userHome: string, { command, output, failed }: EndedCommand): string | undefined {
  if (mountOf(plan, plan.workspace)?.as === 'hidden') return `The workspace ${plan.workspace} is hidden, and a command sees nothing in it.`
  const said = output.slice(-mostRead)
  const isHidden = ({ path }: Word): boolean => mountOf(plan, path)?.as === 'hidden'
  const hidden = [...wordsOf(plan, userHome, command), ...(failed ? wordsOf(plan, userHome, said) : [])].find(isHidden)
  if (hidden) return `The sandbox does not show ${hidden.word}.`
  if (!failed) return undefined
  for (const sign of signs) {
    const sentence = sign.said.test(said) ? sign.tells(plan, said) : undefined
    if (sentence !== undefined) return sentence
  }
  return undefined
}

function tellWritable(plan: SandboxPlan, said: string): string {
  const lines = said.split('\n').filter((line) => /Read-only file system|EROFS/.test(line))
  const fixed = lines.flatMap((line) => wordsOf(plan, '', line)).find(({ path }) => mountOf(plan, path)?.as === 'fixed')
  if (fixed) return `The sandbox keeps ${fixed.word} as it is.`
  const folders = plan.mounts.filter(({ path, as }) => as === 'writable' && (path === plan.workspace || !isCovered(plan, path)))
  const outer = folders.map(({ path }) => path).filter((path, _, all) => !all.some((other) => other !== path && isWithin(path, other)))
  return `The sandbox lets commands write to ${[...outer, '/tmp'].join(', ')} and nowhere else; terminal.writable adds folders.`
}

/** It lies in a folder that nobody sees, like the caches. */
const isCovered = ({ mounts }: SandboxPlan, path: string): boolean =>
  mounts.some((mount) => mount.as === 'hidden' && isWithin(path, mount.path))

/** The mount that decides about a path. */
function mountOf({ mounts }: SandboxPlan, path: string): SandboxMount | undefined {
  return mounts.findLast((mount) => isWithin(path, mount.path))
}

const isInTmp = (plan: SandboxPlan, path: string): boolean => /^\/(?:var\/)?tmp\//.test(path) && mountOf(plan, path) === undefined

interface Word {
  /** As somebody wrote it. */
  readonly word: string
  readonly path: string
}

/** What may be a path in a text. */
function wordsOf({ workspace }: SandboxPlan, userHome: string, text: string): readonly Word[] {
  return [...text.matchAll(/[^\s'"`;|&<>()=:,]+/g)].map(([word]) => ({
    word,
    path: resolve(workspace, word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, userHome)),
  }))
}
