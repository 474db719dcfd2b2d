import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { skillFileLimit, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'
import { extractPackage } from '#kernel/package/extract-package.ts'
import { fetchPackage } from '#kernel/package/fetch-package.ts'
import { readAnswer } from '#kernel/read-answer.ts'
import { findSkills, skillFile } from '../find-skills.ts'
import { fetchOptional } from './optional-skills.ts'
import type { SkillSource } from './skill-source.ts'

export interface FetchOptions {
  /** A folder that is gone when the command ends. */
  readonly staging: string
  /** Folder of the program, whose optional skills are a source too. */
  readonly installRoot: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
}

/** Skills of a source in the staging folder, not judged yet. */
export interface FetchedSkills {
  readonly folders: readonly string[]
  /** Commit, version or address. */
  readonly resolved: string
}

/** Brings the skills of a source into the staging folder. What would write outside of it, or is a link, is refused before it is written. */
export async function fetchSkills(source: SkillSource, options: FetchOptions): Promise<FetchedSkills> {
  const cwd = mkdtempSync(join(options.staging, 'source-'))
  const folder = join(cwd, 'package')
  const resolved = await fetchInto(source, folder, { ...options, cwd })
  const folders = listFolders(folder)
  if (folders.length === 0) throw fail('PLUGIN_FETCH', { what: source.text, detail: `there is no ${skillFile} in it` })
  return { folders, resolved }
}

type Into = FetchOptions & { readonly cwd: string }

async function fetchInto(source: SkillSource, folder: string, options: Into): Promise<string> {
  if (source.type === 'index') return fetchIndex(source, folder, options)
  if (source.type === 'git') return fetchGit(source, folder, options)
  if (source.type === 'optional') return fetchOptional(source.name, folder, options.installRoot)
  const { cwd, environment, signal } = options
  const fetched = await fetchPackage(source.spec, { cwd, cache: join(cwd, 'npm'), environment, signal })
  await extractPackage(fetched.tarball, folder, source.text, signal)
  return fetched.resolved
}

/** One skill, several, or several in folders by what they are for. */
function listFolders(folder: string): readonly string[] {
  const roots = findSkills(dirname(folder)).filter((place) => place.folder === folder)
  if (roots.length > 0) return [folder]
  return [...new Set([...findSkills(folder), ...findSkills(join(folder, 'skills'))].map((place) => place.folder))]
}

const patience = 120_000

/** Takes a commit as an archive: nothing of it is checked out, so that no hook and no filter runs. */
async function fetchGit(
  { url, reference, text }: Extract<SkillSource, { type: 'git' }>,
  folder: string,
  { cwd, environment, signal }: Into,
): Promise<string> {
  const repository = join(cwd, 'repository')
  const tarball = join(cwd, 'archive.tar.gz')
  const env = { ...environment, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' }
  const git = async (...words: readonly string[]): Promise<string> => {
    try {
      return (await promisify(execFile)('git', ['-c', 'core.hooksPath=/dev/null', ...words], { cwd, env, signal, timeout: patience }))
        .stdout
    } catch (error) {
      signal.throwIfAborted()
      const lines = detailOf(error).split('\n')
      throw fail(
        'PLUGIN_FETCH',
        { what: text, detail: lines.find((line) => line.startsWith('fatal:')) ?? lines[0] ?? '' },
        { cause: error },
      )
    }
  }
  await git('init', '--bare', '--quiet', repository)
  await git('--git-dir', repository, 'fetch', '--quiet', '--depth=1', '--', url, reference)
  const commit = (await git('--git-dir', repository, 'rev-parse', 'FETCH_HEAD^{commit}')).trim()
  await git('--git-dir', repository, 'archive', '--format=tar.gz', '--prefix=package/', `--output=${tarball}`, commit)
  await extractPackage(tarball, folder, text, signal)
  return commit
}

const most = { skills: 200, files: 200, indexBytes: 1024 * 1024, allBytes: 20 * 1024 * 1024 } as const

/** `{skills: [{name, description, files: ["SKILL.md", …]}]}`, with the files of each below `<name>/`. */
async function fetchIndex({ url, text }: Extract<SkillSource, { type: 'index' }>, folder: string, options: Into): Promise<string> {
  const wrong = (detail: string): Error => fail('PLUGIN_FETCH', { what: text, detail })
  const read = (from: URL, limit: number): Promise<Buffer> => readAddress(from, limit, { ...options, wrong })
  const skills = parseIndex((await read(url, most.indexBytes)).toString('utf8'), wrong)
  let bytes = 0
  for (const { name, files } of skills) {
    for (const file of files) {
      if (!isInside(file)) throw wrong(`its index names a file outside of the skill: ${name}/${file}`)
      const target = join(folder, name, file)
      const content = await read(
        new URL(`${encodeURIComponent(name)}/${file.split('/').map(encodeURIComponent).join('/')}`, url),
        skillFileLimit,
      )
      bytes += content.byteLength
      if (bytes > most.allBytes) throw wrong(`its skills are larger than ${most.allBytes / 1024 / 1024} MiB together`)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, content, { mode: 0o644 })
    }
  }
  return url.href
}

type Reading = Pick<FetchOptions, 'fetch' | 'signal'> & { readonly wrong: (detail: string) => Error }

/** A redirect could lead to another host than the one that somebody named. */
async function readAddress(from: URL, limit: number, { fetch, signal, wrong }: Reading): Promise<Buffer> {
  try {
    return await withTimeLimit({ clock: systemClock, signal, ms: patience, what: from.href }, async (within) => {
      const response = await fetch(from, { signal: within, redirect: 'error' })
      if (!response.ok) throw wrong(`${from.pathname} is answered with ${response.status}`)
      const bytes = await readAnswer(response, limit)
      if (!bytes) throw wrong(`${from.pathname} is larger than ${limit / 1024} KiB`)
      return bytes
    })
  } catch (error) {
    if (signal.aborted || isAgentError(error)) throw error
    // The words of `fetch` are in its cause.
    throw wrong(`${from.pathname}: ${detailOf(error instanceof Error ? (error.cause ?? error) : error)}`)
  }
}

const isInside = (file: string): boolean => file.split('/').every((part) => /^[\w][\w .-]*$/.test(part)) && !file.includes('..')

interface Listed {
  readonly name: string
  readonly files: readonly string[]
}

function parseIndex(text: string, wrong: (detail: string) => Error): readonly Listed[] {
  let skills: unknown
  try {
    skills = (JSON.parse(text) as { readonly skills?: unknown } | null)?.skills
  } catch {
    throw wrong('its index is not JSON')
  }
  if (!Array.isArray(skills) || skills.length > most.skills || !skills.every(isListed))
    throw wrong('its index is no list of skills with their files')
  return skills
}

function isListed(raw: unknown): raw is Listed {
  const { name, files } = (raw ?? {}) as Readonly<Record<string, unknown>>
  const isNamed = typeof name === 'string' && /^[a-zA-Z0-9][\w-]{0,63}$/.test(name)
  return isNamed && Array.isArray(files) && files.length <= most.files && files.every((file) => typeof file === 'string')
}
