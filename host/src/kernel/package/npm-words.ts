import { basename } from 'node:path'

const unreachable = 'the registry cannot be reached; look at the network and at npm config get registry'

/** What npm means by its codes, for people who do not write packages. */
const plainWords: Readonly<Record<string, string>> = {
  E404: 'the registry has no such package',
  ETARGET: 'the registry has no version of it that fits',
  E401: 'the registry wants a login (npm login)',
  E403: 'the registry does not give it to you',
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  FETCH_ERROR: unreachable,
  EINVALIDPACKAGENAME: 'no package can have this name',
  EINVALIDTAGNAME: 'what stands behind the @ is neither a version nor a tag',
}

/** What the same codes mean where something is sent to a registry. */
export const uploadWords: Readonly<Record<string, string>> = {
  ...plainWords,
  E401: 'the registry does not know this login any more (npm login)',
  ENEEDAUTH: 'the registry wants a login (npm login)',
  EOTP: 'the registry wants a one-time code: put npm_config_otp=CODE before the command',
  E403: 'the registry does not let this login publish it, or has had this version before',
  E404: 'the registry does not let this login publish under this name',
  E409: 'the registry has this version already',
  EPUBLISHCONFLICT: 'the registry has this version already',
}

interface NpmError {
  readonly code?: string
  readonly summary?: string
}

/** The code and the sentence of the error that npm printed as JSON. */
export function readError(out: string): NpmError {
  const { error } = (readJson(out) ?? {}) as { readonly error?: NpmError }
  return error ?? {}
}

/** Why npm failed, from what it printed on its two outputs. */
export function explainFailure(out: string, note: string, words = plainWords): string {
  const error = readError(out)
  const summary = error.summary ?? ''
  const [, name] = / - GET https?:\/\/[^/]+\/([^\s]+?)\.?(?:\s|$)/.exec(summary) ?? []
  const isVersion = /^No match(?:ing version)? found/.test(summary)
  const known = words[isVersion ? 'ETARGET' : (error.code ?? '')]
  if (known !== undefined) return name === undefined ? known : `${known} (${decodeURIComponent(name)})`
  const lines = note.split('\n').filter((line) => line.startsWith('npm error') && !/A complete log|code E/.test(line))
  const text = summary || lines.map((line) => line.replace(/^npm error ?/, '')).join(' ') || 'npm gave no reason'
  // The first sentence says it; the rest is advice for people who write packages.
  return `${error.code ? `${error.code}: ` : ''}${text.trim().split('\n')[0]}`
}

/** A version as a registry tells it. */
export interface RegistryVersion {
  readonly name: string
  readonly version: string
  /** Where its tarball is. */
  readonly resolved: string
  readonly integrity: string
}

/** The version that `npm view` has told; of a range, which is answered with every version that fits, the newest. It comes last. */
export function readVersion(answer: unknown): RegistryVersion | undefined {
  const newest = (Array.isArray(answer) ? answer.at(-1) : answer) as Readonly<Record<string, unknown>> | undefined
  const { name, version, 'dist.tarball': resolved, 'dist.integrity': integrity = '' } = newest ?? {}
  if (typeof name !== 'string' || typeof version !== 'string' || typeof resolved !== 'string') return undefined
  return { name, version, resolved, integrity: String(integrity) }
}

/** The file that `npm pack` has written. Scoped names come with a slash, the file has none. */
export function readPacked(answer: unknown): string | undefined {
  const filename = (answer as readonly { readonly filename?: unknown }[] | undefined)?.[0]?.filename
  return typeof filename === 'string' ? basename(filename.replace(/^@/, '').replaceAll('/', '-')) : undefined
}

/** What `npm config get` prints for several names; without those that are not set. */
export function readSettings(out: string): ReadonlyMap<string, string> {
  const rows = out.split('\n').map((line): [string, string] => [line.split('=', 1).join(), line.slice(line.indexOf('=') + 1).trim()])
  return new Map(rows.filter(([, value]) => !['', 'null', 'undefined'].includes(value)))
}

/** Undefined where it is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // npm prints nothing at all when it fails early.
    return undefined
  }
}
