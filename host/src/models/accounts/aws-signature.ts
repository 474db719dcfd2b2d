import type { UnprovedRequest } from '../request/credential.ts'
import type { AwsKeys } from './aws-profile.ts'

interface Signing extends AwsKeys {
  readonly service: string
  readonly region: string
  readonly now: number
  /** Keys of a day, which are made of the secret once. */
  readonly signingKeys?: Map<string, ArrayBuffer>
}

/** The headers of Signature Version 4 for this request. */
export async function signRequest(
  request: UnprovedRequest,
  { now, signingKeys, sessionToken, ...signing }: Signing,
): Promise<Record<string, string>> {
  const { AwsV4Signer } = await import('aws4fetch')
  const { method, url, headers, body } = request
  const signer = new AwsV4Signer({
    ...{ method, url: url.href, headers, ...signing },
    ...(body === undefined ? {} : { body }),
    ...(sessionToken ? { sessionToken } : {}),
    ...(signingKeys ? { cache: signingKeys } : {}),
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const signed = (await signer.sign()).headers
  const proof: Record<string, string> = {}
  for (const name of ['authorization', 'x-amz-date', 'x-amz-security-token']) {
    const value = signed.get(name)
    if (value !== null) proof[name] = value
  }
  return proof
}
