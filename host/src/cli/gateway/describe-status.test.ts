import { expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import type { FoundGatewayStatus } from '#rpc/gateway/read-status.ts'
import { describeStatus } from './describe-status.ts'

const link = (platform: string, more: Partial<LinkStatus>): LinkStatus => ({
  ...{ platform, state: 'connected', since: Date.now() - 7_300_000, attempts: 1, lastHeard: null, silences: 0, needsAttention: false },
  ...more,
})
const instance = { pid: 7, boot: 'boot_1', url: 'http://127.0.0.1:1', startedAt: '1' } as unknown as FoundGatewayStatus['instance']

function say(status: Partial<FoundGatewayStatus>): readonly string[] {
  const lines: string[] = []
  const cli = { out: (text: string) => lines.push(...text.split('\n')), colour: false }
  describeStatus(cli as never, {
    home: homeOf('/h', 'default'),
    instance,
    platforms: [],
    queues: [],
    unknown: [],
    failures: [],
    stale: [],
    writtenAt: undefined,
    profiles: [],
    sandbox: 'In a box.',
    ...status,
  })
  return lines
}

test('each platform says how it is, what waits for it and what to do', () => {
  const error = { code: 'PLATFORM_AUTH', params: { platform: 'Post', detail: 'wrong token' } }
  const platforms = [
    link('steady', { lastHeard: Date.now() - 3000, silences: 1, attempts: 4 }),
    link('tired', { state: 'retrying', attempts: 40, needsAttention: true }),
    link('post', { state: 'fatal', error }),
    {
      ...link('mail', { state: 'fatal', error }),
      mend: { command: 'agent gateway setup mail', variables: ['MAIL_NAME', 'MAIL_PASSWORD'] },
    },
    link('quiet', { state: 'paused' }),
  ]
  const queues = [
    { platform: 'gone', inbox: 0, outbox: 1, unknown: 0 },
    { platform: 'steady', inbox: 2, outbox: 3, unknown: 1 },
  ]
  expect(say({ platforms, queues })).toEqual([
    'The gateway runs (pid 7, http://127.0.0.1:1).',
    '  steady: connected for 2 h, heard 3 s ago, 1 silent connection replaced, 2 to answer, 3 to send, 1 of unknown fate',
    '  tired: retrying for 2 h, attempt 40, needs attention',
    '    agent gateway resume tired tries it now.',
    '  post: fatal for 2 h',
    '    PLATFORM_AUTH: Post refused the credentials: wrong token.',
    '    No waiting mends it: correct it, then agent gateway resume post.',
    '  mail: fatal for 2 h',
    '    PLATFORM_AUTH: Post refused the credentials: wrong token.',
    '    No waiting mends it: agent gateway setup mail asks for another MAIL_NAME or MAIL_PASSWORD and connects it; agent gateway resume mail tries the old one again.',
    '  quiet: paused for 2 h',
    '    agent gateway resume quiet connects it again.',
    '  gone: does not run, 1 to send',
    '    agent plugins why gone says why.',
    'In a box.',
  ])
})

test('without a gateway it says what would run, and what somebody wrote cannot steer the terminal', () => {
  const platforms = [
    { platform: 'post', state: 'stopped', needsAttention: false },
    { platform: 'quiet', state: 'paused', needsAttention: false },
  ] as const
  const unknown = [
    {
      seq: 9,
      platform: 'post',
      account: 'b',
      conversation: 'ann',
      text: 'a\n\u001b[2Jb',
      error: { code: 'X', params: {} },
      at: Date.now() - 61_000,
    },
  ]
  expect(say({ instance: undefined, platforms, unknown })).toEqual([
    'No gateway runs for /h. Start one with agent gateway start.',
    '  post: stopped',
    '  quiet: paused',
    '    agent gateway resume quiet connects it again.',
    'Nobody can tell whether these answers arrived:',
    '  9  post ann  1 min ago  a b',
    'agent gateway resend NUMBER sends one again.',
    'agent gateway settle NUMBER arrived takes one off this list, as does lost for one that is given up.',
    'In a box.',
  ])
})

test('what failed is told with its place and its reason', () => {
  const place = { platform: 'post', account: 'b', conversation: 'room' }
  const auth = { code: 'MODEL_AUTH', params: { provider: 'acme', detail: '401' } }
  const refused = { code: 'SEND_REFUSED', params: { platform: 'Post', detail: 'no such room' } }
  const at = Date.now() - 61_000
  const failures = [
    { type: 'turn', ...place, seq: 3, text: 'hi\n\u001b[2Jthere', sender: 'ann', error: auth, at },
    { type: 'send', ...place, seq: 4, text: 'An answer', sender: '', error: refused, at },
  ] as const
  const [, intro, first, why, second] = say({ failures })
  expect(intro).toContain('agent gateway failures')
  expect(first).toBe('  1 min ago, post room: ann wrote "hi there"')
  expect(why).toMatch(/^ {4}acme refused the key: 401/)
  expect(second).toBe('  1 min ago, post room: the agent said "An answer"')
})

test('a gateway that goes on with old variables, or does not answer, says so', () => {
  const [, silent, stale] = say({ stale: ['A_API_KEY'], writtenAt: Date.now() - 61_000 })
  expect(silent).toBe('It does not answer. This is what it wrote down 1 min ago:')
  expect(stale).toBe('It goes on with the old A_API_KEY of /h/.env: agent gateway reload takes over what stands there now.')
})

test('the gateway that serves profiles says how each of them is, and one that is served by whom', () => {
  const error = { code: 'CONFIG_INVALID', params: { file: '/h/config.yaml', line: 3, key: 'model', problem: 'is a list' } } as const
  const profiles = [
    { profile: 'home', state: 'served', url: 'http://127.0.0.1:1/p/home' },
    { profile: 'work', state: 'failed', url: '', error },
    { profile: 'rest', state: 'stopped', url: '' },
    { profile: 'late', state: 'opening', url: '' },
  ] as const
  expect(say({ profiles }).slice(1, -1)).toEqual([
    '  Profile home is served at http://127.0.0.1:1/p/home.',
    expect.stringMatching(/^ {2}Profile work is not served \(CONFIG_INVALID\)\. .*is a list/),
    '  Profile rest was stopped on purpose. agent -p rest gateway start serves it.',
    '  Profile late is still being opened.',
  ])
  const served = { ...instance, servedBy: 'default' } as FoundGatewayStatus['instance']
  expect(say({ instance: served })[1]).toBe('It is that of the profile default, which serves this one too.')
})
