import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { bundledProviders } from '../../../../test/providers/bundled.ts'
import { startFakeBedrock } from '../../../../test/support/fakes/fake-bedrock.ts'
import { readAuthorization } from '../../../../test/support/fakes/sigv4.ts'
import { openBedrockConverse } from '../protocols/bedrock-converse/bedrock-converse.ts'
import { collect, createDeps, createRequest, createTestCall } from '../testing/model-call.ts'
import { openProvedEndpoint } from './open-proved.ts'

const userFolder = mkdtempSync(join(tmpdir(), 'agent-aws-'))
afterAll(() => rmSync(userFolder, { recursive: true }))
mkdirSync(join(userFolder, '.aws'))
const write = (name: string, text: string) => writeFileSync(join(userFolder, '.aws', name), text)
write(
  'config',
  '# mine\n[default]\nregion = eu-west-1\n\n[profile work]\nregion=eu-north-1\nsource_profile = default\nrole_arn = arn:x\nstray\n  region = of-something-nested\n[profile  keys ]\naws_access_key_id = AKIDCONFIG\ns3 =\n  aws_access_key_id = nested\nAWS_SECRET_ACCESS_KEY = in=config  \n',
)
write('credentials', '[default]\naws_access_key_id = AKIDFILE\naws_secret_access_key = secret-of-file\naws_session_token = tok\n')

const spec = bundledProviders(join(import.meta.dirname, '../../../..')).find(({ id }) => id === 'bedrock')

function open(env: Record<string, string>) {
  if (!spec) throw new Error('there is no provider bedrock')
  const source = {
    config: { model: {} },
    environment: { get: (name: string) => env[name] },
    environmentFile: '.env',
    clock: systemClock,
    userFolder,
  }
  return openProvedEndpoint({ id: 'bedrock', spec }, source)
}

async function ask(env: Record<string, string>, key: string, model = 'fake-model') {
  await using server = await startFakeBedrock({ key, models: [model] })
  const endpoint = await open({ BEDROCK_BASE_URL: server.url, ...env })
  const events = await collect(openBedrockConverse(createDeps({ ...endpoint }))(createRequest({ model }), createTestCall()))
  const headers = server.requests[0]?.headers ?? {}
  return { last: events.at(-1), headers, ...readAuthorization({ headers }) }
}

test('keys and region come from the environment, else from the profile of both files', async () => {
  expect(await ask({}, 'secret-of-file')).toMatchObject({
    last: { type: 'end' },
    accessKeyId: 'AKIDFILE',
    scope: expect.stringContaining('/eu-west-1/bedrock/'),
    headers: { 'x-amz-security-token': 'tok' },
  })
  const keys = { AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'secret-of-env', AWS_REGION: 'us-west-2' }
  expect(await ask(keys, 'secret-of-env')).toMatchObject({ last: { type: 'end' }, scope: expect.stringContaining('/us-west-2/') })
  expect(await ask({ AWS_PROFILE: 'keys' }, 'in=config')).toMatchObject({ last: { type: 'end' }, accessKeyId: 'AKIDCONFIG' })
})

test('half a key in the environment is none', async () => {
  expect(await ask({ AWS_ACCESS_KEY_ID: 'AKIDENV' }, 'secret-of-file')).toMatchObject({ last: { type: 'end' }, accessKeyId: 'AKIDFILE' })
  expect(await ask({ AWS_SECRET_ACCESS_KEY: 'x' }, 'secret-of-file')).toMatchObject({ last: { type: 'end' }, accessKeyId: 'AKIDFILE' })
})

test('a key of Bedrock is a bearer token and nothing is signed', async () => {
  const { last, headers } = await ask({ AWS_BEARER_TOKEN_BEDROCK: 'bearer-key' }, 'bearer-key')
  expect([last?.type, headers.authorization]).toEqual(['end', 'Bearer bearer-key'])
})

test('a whole ARN is one part of the path, which is signed', async () => {
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0'
  expect((await ask({}, 'secret-of-file', arn)).last).toMatchObject({ type: 'end' })
})

test('a wrong secret is refused as a wrong key, and is never told', async () => {
  const { last } = await ask({ AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'a-wrong-secret' }, 'the-right-one')
  expect(last).toMatchObject({ type: 'failed', class: 'auth' })
  expect(JSON.stringify(last)).not.toContain('a-wrong-secret')
})

test('a profile that only the vendor follows, and one that is not there, say what to do', async () => {
  expect((await ask({ AWS_PROFILE: 'work' }, 'k')).last).toMatchObject({
    class: 'auth',
    error: { code: 'MODEL_AUTH', params: { detail: expect.stringMatching(/work needs role_arn.*export-credentials --profile work/) } },
  })
  expect((await ask({ AWS_PROFILE: 'gone' }, 'k')).last).toMatchObject({
    error: { params: { detail: expect.stringContaining('the profile gone has no keys') } },
  })
})

test('the address is of the region, and a region is the first of variable, profile and standard', async () => {
  const addressOf = async (env: Record<string, string>) => (await open(env)).baseUrl
  expect(await addressOf({})).toBe('https://bedrock-runtime.eu-west-1.amazonaws.com')
  expect(await addressOf({ AWS_PROFILE: 'work' })).toBe('https://bedrock-runtime.eu-north-1.amazonaws.com')
  expect(await addressOf({ AWS_DEFAULT_REGION: 'sa-east-1' })).toBe('https://bedrock-runtime.sa-east-1.amazonaws.com')
  expect(await addressOf({ AWS_PROFILE: 'gone' })).toBe('https://bedrock-runtime.us-east-1.amazonaws.com')
})

test('an address of the vendor is signed for the region that it names, keys that were renewed in the file hold at once', async () => {
  const { credential } = await open({ AWS_REGION: 'us-east-1' })
  const request = { method: 'GET' as const, headers: {}, body: undefined }
  const prove = async (host: string) =>
    (await credential?.authorize({ ...request, url: new URL(`https://${host}/`) }, new AbortController().signal, () => ({})))?.authorization
  expect(await prove('bedrock-runtime.ap-south-1.amazonaws.com')).toContain('/ap-south-1/bedrock/')
  expect(await prove('gateway.test')).toContain('/us-east-1/bedrock/')
  write('credentials', '[default]\naws_access_key_id = AKIDNEW\naws_secret_access_key = new\n')
  expect(await prove('gateway.test')).toContain('Credential=AKIDNEW/')
})
