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

/** Why npm failed, from what it printed on its two outputs. */
export function explainFailure(out: string, note: string): string {
  const { error } = (readJson(out) ?? {}) as { readonly error?: { readonly code?: string; readonly summary?: string } }
  const summary = error?.summary ?? ''
  const [, name] = / - GET https?:\/\/[^/]+\/([^\s]+?)\.?(?:\s|$)/.exec(summary) ?? []
  const isVersion = /^No match(?:ing version)? found/.test(summary)
  const known = plainWords[isVersion ? 'ETARGET' : (error?.code ?? '')]
  if (known !== undefined) return name === undefined ? known : `${known} (${decodeURIComponent(name)})`
  const lines = note.split('\n').filter((line) => line.startsWith('npm error') && !/A complete log|code E/.test(line))
  const text = summary || lines.map((line) => line.replace(/^npm error ?/, '')).join(' ') || 'npm gave no reason'
  // The first sentence says it; the rest is advice for people who write packages.
  return `${error?.code ? `${error.code}: ` : ''}${text.trim().split('\n')[0]}`
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
