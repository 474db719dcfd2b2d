// @module-tag process
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { makeCertificate } from '../test/certificate.ts'
import { config } from './config.ts'
import { loadSettings } from './settings.ts'

function load(variables: Record<string, string>, extra: object = {}) {
  return loadSettings(config.parse(extra), {
    get: async (name) => variables[name] ?? Promise.reject(fail('ENV_MISSING', { name, file: '.env' })),
    find: async (name) => variables[name] || undefined,
  })
}

test('a server is enough', async () => {
  expect(await load({ IRC_SERVER: ' irc.test ' })).toEqual({
    server: 'irc.test',
    port: 6697,
    tls: true,
    nickname: 'agent',
    channels: [],
    password: undefined,
    nickServPassword: undefined,
    sasl: undefined,
    certificate: undefined,
    lineDelayMs: 1000,
  })
})

test('a variable beats its key', async () => {
  const extra = { port: 1, nickname: 'other', channels: ['#other'], use_tls: true, line_delay_ms: 9 }
  const variables = { IRC_SERVER: 'irc.test', IRC_NICKNAME: 'me', IRC_CHANNEL: '#a, b ,,&c', IRC_USE_TLS: 'no', IRC_PORT: '7000' }
  expect(await load(variables, extra)).toMatchObject({
    nickname: 'me',
    channels: ['#a', '#b', '&c'],
    tls: false,
    port: 7000,
    lineDelayMs: 9,
  })
  expect(await load({ IRC_SERVER: 'irc.test' }, extra)).toMatchObject({ nickname: 'other', channels: ['#other'], tls: true, port: 1 })
  expect(await load({ IRC_SERVER: 'irc.test', IRC_USE_TLS: 'false' })).toMatchObject({ tls: false, port: 6667 })
})

test.each([
  ['IRC_SERVER', 'two words'],
  ['IRC_PORT', '70000'],
  ['IRC_PORT', 'irc'],
  ['IRC_USE_TLS', 'maybe'],
  ['IRC_NICKNAME', '1agent'],
  ['IRC_NICKNAME', 'my agent'],
  ['IRC_NICKNAME', 'a\r\nQUIT'],
  ['IRC_NICKNAME', '#agent'],
  ['IRC_CHANNEL', '#a b'],
  ['IRC_CHANNEL', '#a\r\nQUIT'],
])('%s cannot be %j', async (name, value) => {
  await expect(load({ IRC_SERVER: 'irc.test', [name]: value })).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name } })
})

test('an account is called as the nick is, and its password does not go over an open line', async () => {
  const variables = { IRC_SERVER: 'irc.test', IRC_NICKNAME: 'me', IRC_SASL_PASSWORD: 'secret' }
  expect(await load(variables)).toMatchObject({ sasl: { user: 'me', password: 'secret' } })
  expect(await load({ ...variables, IRC_SASL_USERNAME: ' mine ' })).toMatchObject({ sasl: { user: 'mine' } })
  const open = { ...variables, IRC_USE_TLS: 'false' }
  await expect(load(open)).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name: 'IRC_SASL_PASSWORD' } })
  expect(await load({ ...open, IRC_SERVER: '127.0.0.1' })).toMatchObject({ tls: false, sasl: { user: 'me' } })
})

test('a certificate of ours is a whole file with its key, for TLS; a password logs in before it', async () => {
  using home = openTestHome()
  const { file, pem } = makeCertificate(home.folder, 'ours')
  const variables = { IRC_SERVER: 'irc.test', IRC_CLIENT_CERTIFICATE: file }
  expect(await load(variables)).toMatchObject({ certificate: pem, sasl: { mechanism: 'EXTERNAL' } })
  expect(await load({ ...variables, IRC_SASL_PASSWORD: 'secret' })).toMatchObject({ certificate: pem, sasl: { mechanism: 'PLAIN' } })
  const keyless = home.write('keyless.pem', pem.replace(/-----BEGIN PRIVATE[\s\S]*PRIVATE KEY-----/, ''))
  for (const [more, problem] of [
    [{ IRC_USE_TLS: 'false', IRC_SERVER: '127.0.0.1' }, 'IRC_USE_TLS=true'],
    [{ IRC_CLIENT_CERTIFICATE: 'ours.pem' }, 'with / at its beginning'],
    [{ IRC_CLIENT_CERTIFICATE: `${file}.not` }, 'cannot be read'],
    [{ IRC_CLIENT_CERTIFICATE: keyless }, 'no certificate with its key'],
  ] as const)
    await expect(load({ ...variables, ...more })).rejects.toMatchObject({
      code: 'ENV_INVALID',
      params: { name: 'IRC_CLIENT_CERTIFICATE', problem: expect.stringContaining(problem) },
    })
})

test('without a server there is nothing to connect to', async () => {
  await expect(load({})).rejects.toMatchObject({ code: 'ENV_MISSING' })
})
