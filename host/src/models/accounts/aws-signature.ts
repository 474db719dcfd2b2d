import { createHash, createHmac } from 'node:crypto'
import type { UnprovedRequest } from '../request/credential.ts'
import type { AwsKeys } from './aws-profile.ts'

interface Signing extends AwsKeys {
  readonly service: string
  readonly region: string
  readonly now: number
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The headers of Signature Version 4 for this request. The library says what is signed; its own hashes take ten times as long as Node's. */
export async function signRequest(request: UnprovedRequest, { now, sessionToken, ...signing }: Signing): Promise<Record<string, string>> {
  const { AwsV4Signer } = await import('aws4fetch')
  const { method, url, headers, body = '' } = request
  const datetime = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const token = sessionToken ? { sessionToken } : {}
  const signer = new AwsV4Signer({ ...{ method, url: url.href, headers, datetime }, ...signing, ...token })
  signer.hexBodyHash = async () => hash(body)
  const { credentialString: scope, signedHeaders } = signer
  const toSign = ['AWS4-HMAC-SHA256', datetime, scope, hash(await signer.canonicalString())].join('\n')
  const key = scope.split('/').reduce<Buffer | string>((before, part) => hmac(before, part), `AWS4${signing.secretAccessKey}`)
  const signature = hmac(key, toSign).toString('hex')
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=${signing.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    'x-amz-date': datetime,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  }
}

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
