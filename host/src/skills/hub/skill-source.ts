import { fail } from '@agent/plugin-sdk/errors'
import { parseSpec, type Spec } from '#kernel/package/parse-spec.ts'
import { isSkillName } from '../skill-name.ts'

/** Where skills of others are fetched from. `text` is what the lock keeps. */
export type SkillSource =
  | { readonly type: 'git'; readonly text: string; readonly url: string; readonly reference: string }
  | { readonly type: 'index'; readonly text: string; readonly url: URL }
  | { readonly type: 'optional'; readonly text: string; readonly name: string }
  | { readonly type: 'package'; readonly text: string; readonly spec: Exclude<Spec, { type: 'link' | 'git' }> }

const wellKnown = '/.well-known/skills/index.json'
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Reads `git+<url>[#<branch, tag or commit>]`, `https://…` of an index, `npm:<name>[@range]`, `file:x.tgz` or `optional:<name>`. */
export function parseSource(word: string, cwd: string): SkillSource {
  if (word.startsWith('git+')) return parseGit(word)
  if (word.startsWith('optional:')) return parseOptional(word)
  if (/^https?:\/\//.test(word)) return parseIndex(word)
  if (/^(?:npm|file):/.test(word)) {
    const spec = parseSpec(word, cwd)
    if (spec.type === 'npm') return { type: 'package', text: `npm:${spec.text}`, spec }
    if (spec.type === 'file') return { type: 'package', text: spec.text, spec }
  }
  throw misused(`${word} is no source of skills: optional:<name>, git+<url>, https://<host>, npm:<package> and file:x.tgz are.`)
}

function parseGit(word: string): SkillSource {
  const [address = '', reference = 'HEAD'] = word.slice('git+'.length).split('#')
  if (!/^(?:https|ssh|file):\/\/\S+$/.test(address)) throw misused(`${word} has no address that git is used with here.`)
  if (!/^[\w][\w./-]{0,200}$/.test(reference) || reference.includes('..')) throw misused(`"${reference}" is no branch, tag or commit.`)
  return { type: 'git', text: word, url: address, reference }
}

function parseOptional(word: string): SkillSource {
  const name = word.slice('optional:'.length)
  if (!isSkillName(name)) throw misused(`"${name}" is no name of a skill.`)
  return { type: 'optional', text: word, name }
}

/** What is fetched over plain HTTP could be changed on its way. */
function parseIndex(word: string): SkillSource {
  const url = URL.canParse(word) ? new URL(word) : undefined
  if (!url || (url.protocol === 'http:' && !loopback.has(url.hostname)))
    throw misused(`${word} is not an address that begins with https://.`)
  if (url.pathname === '/') url.pathname = wellKnown
  url.hash = ''
  return { type: 'index', text: word, url }
}

function misused(problem: string): Error {
  return fail('USAGE', { problem, try: 'agent skills install git+https://example.com/skills.git' })
}
