/** One finding of a receiving server, such as `dkim=pass header.d=example.org`. */
interface Finding {
  readonly method: string
  readonly result: string
  readonly properties: ReadonlyMap<string, string>
}

/** Without comments, which may stand anywhere and hold anything; a separator inside quotes separates nothing. */
function withoutComments(text: string): string {
  const signs = text.match(/\\.|"(?:\\.|[^"\\])*"|[\s\S]/g) ?? []
  let depth = 0
  let kept = ''
  for (const sign of signs) {
    if (sign === '(') depth += 1
    else if (sign === ')') depth = Math.max(depth - 1, 0)
    else if (depth === 0) kept += sign.length > 1 ? sign.replace(/^"|"$/g, '').replace(/[;=\s\\]/g, '_') : sign
  }
  return kept
}

/** The name of the server that wrote an Authentication-Results header, and what it found. */
export function parseResults(value: string): { readonly authservId: string; readonly findings: readonly Finding[] } {
  const [name = '', ...rest] = withoutComments(value).toLowerCase().split(';')
  const findings = rest.flatMap((text) => {
    const pairs = text
      .trim()
      .split(/\s+/)
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] as const)
    const [[method, result] = ['', ''], ...properties] = pairs
    return method === '' ? [] : [{ method: method.replace(/\/\d+$/, ''), result, properties: new Map(properties) }]
  })
  return { authservId: name.trim().split(/\s+/)[0] ?? '', findings }
}

/** Whether `domain` speaks for `from`: it is the same, or stands above it. */
function isAligned(domain: string, from: string): boolean {
  const name = domain.slice(domain.lastIndexOf('@') + 1).replace(/\.$/, '')
  return name.includes('.') && (from === name || from.endsWith(`.${name}`))
}

/**
 * Whether the receiving server vouches for the domain of a From. Everybody can write From and such headers;
 * only the topmost one that bears the server's own name counts.
 */
export function isVouched(headers: readonly string[], authservId: string, fromAddress: string): boolean {
  const domain = fromAddress.slice(fromAddress.lastIndexOf('@') + 1)
  const own = headers.map(parseResults).find((results) => results.authservId === authservId)
  if (!own) return false
  const dmarc = own.findings.find(({ method }) => method === 'dmarc')
  if (dmarc?.result === 'fail') return false
  return own.findings.some(({ method, result, properties }) => {
    if (result !== 'pass') return false
    if (method === 'dmarc') return (properties.get('header.from') ?? domain) === domain
    if (method === 'dkim') return isAligned(properties.get('header.d') ?? properties.get('header.i') ?? '', domain)
    return method === 'spf' && isAligned(properties.get('smtp.mailfrom') ?? '', domain)
  })
}
