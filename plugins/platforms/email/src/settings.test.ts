import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadSettings } from './settings.ts'

const needed = {
  EMAIL_ADDRESS: ' Agent@Example.org ',
  EMAIL_PASSWORD: ' pass word ',
  EMAIL_IMAP_HOST: 'imap.example.org',
  EMAIL_SMTP_HOST: 'smtp.example.org',
}

function load(values: Readonly<Record<string, string>>, extra: unknown = {}) {
  const all: Record<string, string> = { ...needed, ...values }
  return loadSettings(config.parse(extra), { get: async (name) => all[name] ?? '', find: async (name) => all[name] || undefined })
}

test('four variables are enough, and everything is encrypted', async () => {
  expect(await load({})).toEqual({
    address: 'agent@example.org',
    username: 'agent@example.org',
    password: ' pass word ',
    imap: { host: 'imap.example.org', port: 993, security: 'tls' },
    smtp: { host: 'smtp.example.org', port: 587, security: 'starttls' },
    mailboxes: ['INBOX'],
    pollMs: 15_000,
    authservId: undefined,
    config: config.parse({}),
  })
})

test('a variable beats its key', async () => {
  const values = { EMAIL_IMAP_PORT: '143', EMAIL_SMTP_PORT: '465', EMAIL_POLL_INTERVAL: '60', EMAIL_MAILBOXES: 'INBOX, Work' }
  const settings = await load(values, { imap_port: 1, smtp_port: 2, poll_interval: 3, mailboxes: ['X'], authserv_id: ' MX.example.org' })
  expect(settings).toMatchObject({
    imap: { port: 143, security: 'tls' },
    smtp: { port: 465, security: 'tls' },
    pollMs: 60_000,
    mailboxes: ['INBOX', 'Work'],
    authservId: 'mx.example.org',
  })
})

test.each([
  ['EMAIL_ADDRESS', 'nobody'],
  ['EMAIL_ADDRESS', 'a@b.org, c@d.org'],
  ['EMAIL_PASSWORD', '  '],
  ['EMAIL_IMAP_HOST', ''],
  ['EMAIL_SMTP_HOST', 'smtp example'],
  ['EMAIL_IMAP_PORT', '70000'],
  ['EMAIL_POLL_INTERVAL', '0'],
])('%s = "%s" is refused', async (name, value) => {
  await expect(load({ [name]: value })).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name } })
})

test('a security that nobody knows is no downgrade', () => {
  expect(config.safeParse({ smtp_security: 'none' }).success).toBe(false)
})
