import { createHash, createHmac } from 'node:crypto'

export interface SignedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly raw: string
}

/** Signature Version 4 as the vendor checks it: the signature that this secret makes for the headers which a request says that it signs. */
export function signatureOf(request: SignedRequest, secret: string): string {
  const { scope, signedHeaders } = readAuthorization(request)
  const canonical = [
    request.method,
    request.path.split('/').map(encode).join('/'),
    canonicalQuery(request.query),
    ...signedHeaders.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    signedHeaders.join(';'),
    createHash('sha256').update(request.raw).digest('hex'),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = scope
    .split('/')
    .reduce<Buffer | string>((before, part) => createHmac('sha256', before).update(part).digest(), `AWS4${secret}`)
  return createHmac('sha256', key).update(toSign).digest('hex')
}

/** What the header says: who, for which day, region and service, over which headers, and the signature. */
export function readAuthorization({ headers }: Pick<SignedRequest, 'headers'>) {
  const text = String(headers.authorization ?? '')
  const [, accessKeyId = '', scope = '', signed = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(text) ?? []
  return { accessKeyId, scope, signedHeaders: signed.split(';'), signature }
}

/** A path that is encoded already is encoded once more. */
const encode = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

function canonicalQuery(query: string): string {
  return [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
}
