import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import type { AccountDeps } from './account.ts'

export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

type Section = Readonly<Record<string, string>>
type Source = Pick<AccountDeps, 'provider' | 'environment' | 'userFolder'>

/** What a profile needs that only the vendor's own programs do. */
const elsewhere = ['role_arn', 'sso_session', 'sso_start_url', 'credential_process', 'web_identity_token_file', 'login_session']

/** Keys of the environment, else those of the profile. Throws MODEL_AUTH where there are none. */
export async function readKeys(source: Source): Promise<AwsKeys> {
  const { environment } = source
  const own = keysOf(environment.get('AWS_ACCESS_KEY_ID'), environment.get('AWS_SECRET_ACCESS_KEY'), environment.get('AWS_SESSION_TOKEN'))
  if (own) return own
  const section = await readProfile(source)
  const found = keysOf(section.aws_access_key_id, section.aws_secret_access_key, section.aws_session_token)
  if (found) return found
  const name = nameOf(source)
  const needs = elsewhere.find((field) => section[field])
  const reason = needs
    ? `the profile ${name} needs ${needs}, which only the AWS command line follows: \`aws configure export-credentials --profile ${name} --format env\` prints its keys`
    : `there is neither AWS_BEARER_TOKEN_BEDROCK nor AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, and the profile ${name} has no keys in ~/.aws`
  throw fail('MODEL_AUTH', { provider: source.provider, detail: reason })
}

/** What the two files say of the profile; an absent file says nothing. */
export async function readProfile(source: Source): Promise<Section> {
  const { environment, userFolder } = source
  const name = nameOf(source)
  const [config, credentials] = await Promise.all([
    readSections(environment.get('AWS_CONFIG_FILE') || join(userFolder, '.aws', 'config')),
    readSections(environment.get('AWS_SHARED_CREDENTIALS_FILE') || join(userFolder, '.aws', 'credentials')),
  ])
  return { ...(config[`profile ${name}`] ?? (name === 'default' ? config.default : undefined)), ...credentials[name] }
}

const nameOf = ({ environment }: Pick<Source, 'environment'>): string => environment.get('AWS_PROFILE') || 'default'

function keysOf(accessKeyId?: string, secretAccessKey?: string, sessionToken?: string): AwsKeys | undefined {
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined } : undefined
}

async function readSections(path: string): Promise<Readonly<Record<string, Section>>> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const sections: Record<string, Record<string, string>> = {}
  let current: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1]
    const [, key, value] = /^([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (heading !== undefined) {
      current = sections[heading.replace(/\s+/g, ' ')] ?? {}
      sections[heading.replace(/\s+/g, ' ')] = current
    } else if (key !== undefined && value !== undefined) current[key.toLowerCase()] = value
  }
  return sections
}
