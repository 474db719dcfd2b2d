import { resolve } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'

/** What somebody wants installed. `text` is what the lock keeps. */
export type Spec =
  | { readonly type: 'npm'; readonly text: string; readonly name: string }
  | { readonly type: 'git'; readonly text: string; readonly url: string; readonly commit: string }
  | { readonly type: 'file'; readonly text: string; readonly path: string }
  | { readonly type: 'link'; readonly text: string; readonly path: string }

const npmName = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@[^/:\s]+)?$/

/** Reads `name[@range]`, `git+<url>#<commit>`, `file:x.tgz` or `link:folder`; nothing else is guessed at. */
export function parseSpec(word: string, cwd: string): Spec {
  const [, scheme = '', rest = ''] = /^(npm|file|link):(.*)$/.exec(word) ?? ['', 'npm', word]
  if (word.startsWith('git+')) return parseGit(word)
  if (scheme === 'link' && rest !== '') return { type: 'link', text: word, path: resolve(cwd, rest) }
  if (scheme === 'file') {
    if (!/\.(tgz|tar\.gz)$/.test(rest)) throw misused(`file: takes a package as npm pack makes it, not ${rest || 'nothing'}.`, 'file:x.tgz')
    const path = resolve(cwd, rest)
    return { type: 'file', text: `file:${path}`, path }
  }
  const name = npmName.exec(rest)?.[1]
  if (name !== undefined && !name.startsWith('-') && !/\.(tgz|tar\.gz)$/.test(rest)) return { type: 'npm', text: rest, name }
  if (/\.(tgz|tar\.gz)$/.test(rest)) throw misused(`${word} is no package of a registry.`, `file:${word}`)
  if (/^[./~]/.test(rest)) throw misused(`${word} is no package of a registry.`, `link:${word}`)
  throw misused(
    `${word} cannot be installed: a package of the registry, git+<url>#<commit>, file:x.tgz or link:<folder> can.`,
    'NAME@1.2.3',
  )
}

function parseGit(word: string): Spec {
  const [url = '', commit = ''] = word.split('#')
  if (!/^git\+(https|ssh|file):\/\//.test(url))
    throw misused(`${word} has no address that git is used with here.`, 'git+https://…#<commit>')
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw misused('A plugin from git is named with its full commit, since a branch or a tag can be moved.', `${url}#<40 digits>`)
  }
  return { type: 'git', text: word, url, commit }
}

function misused(problem: string, example: string): Error {
  return fail('USAGE', { problem, try: `agent plugins install ${example}` })
}
