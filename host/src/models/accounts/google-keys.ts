import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { asRecord, parseJson } from '../request/refusal.ts'
import type { AccountDeps } from './account.ts'

/** What the file of Application Default Credentials holds, as far as it is followed. */
export interface GoogleKeys {
  readonly tokenUrl: URL
  readonly project: string | undefined
  readonly quotaProject: string | undefined
  readonly proof:
    | { readonly type: 'service_account'; readonly email: string; readonly privateKey: string; readonly keyId: string | undefined }
    | { readonly type: 'authorized_user'; readonly clientId: string; readonly clientSecret: string; readonly refreshToken: string }
}

const googleTokens = 'https://oauth2.googleapis.com/token'

export function defaultCredentialsPath({ environment, userFolder }: Pick<AccountDeps, 'environment' | 'userFolder'>): string {
  const folder = environment.get('CLOUDSDK_CONFIG') || join(userFolder, '.config', 'gcloud')
  return environment.get('GOOGLE_APPLICATION_CREDENTIALS') || join(folder, 'application_default_credentials.json')
}

/** Throws MODEL_AUTH where the file is absent, broken, or of a kind that is not followed. */
export async function readGoogleKeys(path: string, provider = ''): Promise<GoogleKeys> {
  const refuse = (detail: string): never => {
    throw fail('MODEL_AUTH', { provider, detail })
  }
  const text = await readFile(path, 'utf8').catch(() =>
    refuse(
      `${path} cannot be read: \`gcloud auth application-default login\` writes it, and GOOGLE_APPLICATION_CREDENTIALS names the file of a service account`,
    ),
  )
  const file = asRecord(parseJson(text)) ?? refuse(`${path} is no JSON object`)
  const tokenUrl = checkTokenUrl(textOf(file.token_uri) ?? googleTokens)
  const proof = proofOf(file)
  if (!tokenUrl) return refuse(`the token_uri of ${path} is not an https address`)
  if (!proof)
    return refuse(
      `${path} is of the type ${textOf(file.type) ?? 'unknown'} or lacks a part; service_account and authorized_user are followed`,
    )
  return { tokenUrl, proof, project: textOf(file.project_id) ?? textOf(file.quota_project_id), quotaProject: textOf(file.quota_project_id) }
}

function proofOf(file: Readonly<Record<string, unknown>>): GoogleKeys['proof'] | undefined {
  const { type } = file
  const [email, privateKey] = [textOf(file.client_email), textOf(file.private_key)]
  if (type === 'service_account' && email && privateKey) return { type, email, privateKey, keyId: textOf(file.private_key_id) }
  const [clientId, clientSecret, refreshToken] = [textOf(file.client_id), textOf(file.client_secret), textOf(file.refresh_token)]
  if (type === 'authorized_user' && clientId && clientSecret && refreshToken) return { type, clientId, clientSecret, refreshToken }
  return undefined
}

/** A secret goes to no address in the clear, but for one on this machine. */
function checkTokenUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && (url.protocol === 'https:' || url.hostname === '127.0.0.1') ? url : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
