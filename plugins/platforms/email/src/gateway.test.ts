// @module-tag process
import { fileURLToPath } from 'node:url'
import { type Attachment, type Clock, type Connection, type InboundMessage, manifestSchema } from '@agent/plugin-sdk'
import { openTestContext, type TestContext } from '@agent/plugin-sdk/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openAgent } from '../../../../host/src/agent/open-agent.ts'
import type { Cli } from '../../../../host/src/cli/console/cli.ts'
import { type Gateway, openGateway } from '../../../../host/src/gateway/gateway.ts'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { createSlashServices } from '../../../../host/src/rpc/slash/slash-services.ts'
import { readJson } from '../../../../test/repo/source-files.ts'
import { needs } from '../../../../test/support/needs.ts'
import { startAgent } from '../../../../test/support/run-agent.ts'
import { importSourceEntry } from '../../../../test/support/source-entry.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { type MailServers, mailServersMissing, openMailServers } from '../test/real-mail-servers.ts'
import { config as mailConfig } from './config.ts'
import email from './connection.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
const agentAddress = 'agent@agents.test'
const ann = 'ann@people.test'
const mallory = 'mallory@people.test'

/** Connects again soon: the pauses between two attempts are 2, 5, 10 and more seconds. */
const eager: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep([2000, 5000].includes(ms) ? ms / 20 : ms, signal) }

interface Running extends AsyncDisposable {
  readonly gateway: Gateway
  /** How the platform is doing. */
  state(): string
}

async function openRunning(home: TestHome, variables: Readonly<Record<string, string>>): Promise<Running> {
  const agent = await openAgent({
    installRoot,
    clock: eager,
    environment: {
      ...home.environment,
      AGENT_INFERENCE_PROVIDER: 'offline',
      EMAIL_ADDRESS: agentAddress,
      EMAIL_PASSWORD: 'right-password',
      EMAIL_IMAP_HOST: '127.0.0.1',
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_ALLOWED_USERS: ann,
      ...variables,
    },
    profile: undefined,
    workspace: home.work,
    logName: 'gateway',
    note: () => undefined,
    importEntry: importSourceEntry,
  })
  const gateway = await openGateway({
    ...agent,
    services: createSlashServices({ installRoot, environment: home.environment } as unknown as Cli, agent),
    random: () => 0,
  })
  return {
    gateway,
    state: () => {
      const { state, error } = gateway.platforms().find(({ platform }) => platform === 'email') ?? {}
      return error ? `${state} ${error.code}` : `${state}`
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.close()
      await agent.close()
    },
  }
}

const settings = (lines: readonly string[]): string =>
  `platforms:\n  email:\n    extra:\n${lines.map((line) => `      ${line}\n`).join('')}`
const plain = ['imap_security: plain', 'smtp_security: plain', 'authserv_id: mx.agents.test']
const ports = ({ imapPort, smtpPort }: MailServers) => ({ EMAIL_IMAP_PORT: String(imapPort), EMAIL_SMTP_PORT: String(smtpPort) })

const tokens = (count: number): string => Array.from({ length: count }, (_, index) => `offline-${index + 1}`).join(' ')
const bounded = { timeout: 25_000, interval: 20 }
const header = (mail: string, name: string): string =>
  new RegExp(`^${name}: (.*(?:\\n[ \\t].*)*)$`, 'im').exec(mail)?.[1]?.replace(/\s+/g, ' ') ?? ''
const body = (mail: string): string => mail.slice(mail.indexOf('\n\n')).replace(/=\n/g, '').trim()

/** A letter as the receiving server hands it on: it writes down what it found about the sender. */
const letter = (from: string, subject: string, text: string, head: readonly string[] = []): readonly string[] => [
  `Authentication-Results: mx.agents.test; dmarc=${from === ann ? 'pass' : 'none'} header.from=people.test`,
  `From: ${from}`,
  `To: ${agentAddress}`,
  `Subject: ${subject}`,
  ...head,
  '',
  text,
]

describe('a gateway and people on real dovecot and opensmtpd', needs(mailServersMissing), () => {
  let servers: MailServers
  let home: TestHome
  let running: Running

  beforeAll(async () => {
    servers = await openMailServers([agentAddress, ann, mallory])
    process.stdout.write(`${servers.banner}\n`)
    // Lies there before the agent comes, and is not answered.
    await servers.write(ann, agentAddress, letter(ann, 'Old', 'stream 11 tokens'))
    await vi.waitFor(() => expect(servers.read(agentAddress)).toHaveLength(1), bounded)
    home = openTestHome()
    home.write('config.yaml', settings(plain))
    running = await openRunning(home, ports(servers))
  })
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]()
    home?.[Symbol.dispose]()
    await servers?.[Symbol.asyncDispose]()
  })

  test('a conversation of two letters is answered in its thread', async () => {
    expect(running.state()).toBe('connected')
    await servers.write(ann, agentAddress, letter(ann, 'Counting', 'stream 2 tokens', ['Message-ID: <one@people.test>']))
    await expect.poll(() => servers.read(ann).length, bounded).toBe(1)
    const [first = ''] = servers.read(ann)
    expect(body(first)).toContain('You said: [Subject: Counting]\n\nstream 2 tokens')
    expect(header(first, 'Subject')).toBe('Re: Counting')
    expect(header(first, 'In-Reply-To')).toBe('<one@people.test>')
    expect(header(first, 'Auto-Submitted')).toBe('auto-replied')
    const answered = header(first, 'Message-ID')
    expect(answered).toMatch(/^<agent\.[0-9a-f]{32}@agents\.test>$/)
    const head = ['Message-ID: <two@people.test>', `In-Reply-To: ${answered}`, `References: <one@people.test> ${answered}`]
    await servers.write(ann, agentAddress, letter(ann, 'Re: Counting', 'stream 3 tokens', head))
    await expect.poll(() => servers.read(ann).length, bounded).toBe(2)
    const second = servers.read(ann).find((mail) => header(mail, 'In-Reply-To') === '<two@people.test>') ?? ''
    expect(body(second)).toContain(tokens(3))
    expect(header(second, 'Subject')).toBe('Re: Counting')
    expect(header(second, 'References')).toBe(`<one@people.test> ${answered} <two@people.test>`)
  })

  test('nobody else is answered: no forged sender, no stranger, no machine, no old mail', async () => {
    const before = servers.read(ann).length
    const forged = letter(ann, 'Forged', 'stream 9 tokens').map((line) => line.replace('mx.agents.test', 'mx.elsewhere.test'))
    await servers.write(mallory, agentAddress, forged)
    await servers.write(mallory, agentAddress, letter(mallory, 'Hello', 'stream 9 tokens'))
    await servers.write(ann, agentAddress, letter(ann, 'Away', 'stream 9 tokens', ['Auto-Submitted: auto-replied']))
    await servers.write('', agentAddress, ['From: mailer-daemon@people.test', 'Subject: Undelivered', '', 'stream 9 tokens'])
    await servers.write(ann, agentAddress, letter(ann, 'Last', 'hello'))
    await expect.poll(() => servers.read(ann).length, bounded).toBe(before + 1)
    expect(servers.read(ann).filter((mail) => body(mail).includes('[Subject: Last]'))).toHaveLength(1)
    expect(servers.read(mallory)).toEqual([])
    expect(home.read('logs/gateway.log')).toContain('nobody vouches for the sender of a letter')
  })

  test('when the mailbox goes away and comes back, mail that came meanwhile is answered', async () => {
    const before = servers.read(ann).length
    await servers.killImap()
    await expect.poll(running.state, bounded).toBe('retrying PLATFORM_LOST')
    await servers.write(ann, agentAddress, letter(ann, 'Meanwhile', 'hello'))
    await servers.restartImap()
    await expect.poll(() => servers.read(ann).length, { timeout: 50_000, interval: 50 }).toBe(before + 1)
    expect(servers.read(ann).some((mail) => body(mail).includes('[Subject: Meanwhile]'))).toBe(true)
  }, 70_000)
})

const call = () => ({ id: 'call_1', signal: new AbortController().signal, deadline: 60_000 })

describe('letters as a real server describes them', needs(mailServersMissing), () => {
  let servers: MailServers
  let host: TestContext
  let connection: Connection

  beforeAll(async () => {
    servers = await openMailServers([agentAddress, ann])
    const manifest = manifestSchema.parse(readJson('plugins/platforms/email/agent.plugin.json'))
    const extra = { imap_security: 'plain', smtp_security: 'plain', imap_port: servers.imapPort, smtp_port: servers.smtpPort }
    host = openTestContext({
      ...{ manifest, contribution: 'email', config: mailConfig.parse({ ...extra, trust_from: true }) },
      secrets: {
        ...{ EMAIL_ADDRESS: agentAddress, EMAIL_PASSWORD: servers.password },
        ...{ EMAIL_IMAP_HOST: '127.0.0.1', EMAIL_SMTP_HOST: '127.0.0.1' },
      },
    })
    connection = await email.connect(host.context as never, call())
  })
  afterAll(async () => {
    await connection?.close(call())
    await host?.close()
    await servers?.[Symbol.asyncDispose]()
  })

  const arrived = async (lines: readonly string[]): Promise<InboundMessage> => {
    const before = host.received.length
    await servers.write(ann, agentAddress, [`From: ${ann}`, 'In-Reply-To: <0@people.test>', ...lines])
    await expect.poll(() => host.received.length, bounded).toBe(before + 1)
    return host.received.at(-1) as InboundMessage
  }
  const read = async (file: Attachment | undefined): Promise<string> => {
    const chunks: Uint8Array[] = []
    if (file) for await (const chunk of connection.fetchMedia?.(file, call()) ?? []) chunks.push(chunk)
    return Buffer.concat(chunks).toString('latin1')
  }

  test('of two forms the plain one is read, and files lie beside it with their names', async () => {
    const { text, media = [] } = await arrived([
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=outer',
      '',
      '--outer',
      'Content-Type: multipart/alternative; boundary=inner',
      '',
      '--inner',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'caf=E9',
      '--inner',
      'Content-Type: text/html',
      '',
      '<p>other</p>',
      '--inner--',
      '--outer',
      'Content-Type: application/pdf',
      "Content-Disposition: attachment; filename*=utf-8''pl%C3%A4ne.pdf",
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from([0, 255, 1, 254]).toString('base64'),
      '--outer',
      'Content-Type: image/png; name="=?utf-8?Q?p=C3=BCnkt.png?="',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('picture').toString('base64'),
      '--outer--',
    ])
    expect(text).toBe('café')
    expect(media.map(({ kind, name, mime }) => [kind, name, mime])).toEqual([
      ['document', 'pläne.pdf', 'application/pdf'],
      ['image', 'pünkt.png', 'image/png'],
    ])
    expect([await read(media[0]), await read(media[1])]).toEqual(['\u0000ÿ\u0001þ', 'picture'])
  })

  test('a letter of HTML alone is read, and one of a single file has it', async () => {
    expect((await arrived(['Content-Type: text/html; charset=utf-8', '', '<style>p{}</style><p>Hello <b>there</b></p>'])).text).toBe(
      'Hello there',
    )
    const { text, media = [] } = await arrived(['Content-Type: image/png', 'Content-Transfer-Encoding: base64', '', 'cGljdHVyZQ=='])
    expect([text, await read(media[0])]).toEqual(['', 'picture'])
  })

  test('a forwarded letter is read with its files', async () => {
    const forwarded = (body: readonly string[]): readonly string[] => [
      ...['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'See below.', '--b', 'Content-Type: message/rfc822', ''],
      ...['From: bob@people.test', 'Subject: Plan', ...body],
      '--b--',
    ]
    expect((await arrived(forwarded(['', 'The plan.']))).text).toBe('See below.\n\nThe plan.')
    const { text, media = [] } = await arrived(
      forwarded([
        ...['Content-Type: multipart/mixed; boundary=c', '', '--c', '', 'The plan.', '--c', 'Content-Type: text/csv'],
        ...['Content-Disposition: attachment; filename=plan.csv', '', 'a,b', '--c--'],
      ]),
    )
    expect(text).toBe('See below.\n\nThe plan.')
    expect(media.map(({ name }) => name)).toEqual(['plan.csv'])
    expect((await read(media[0])).trim()).toBe('a,b')
  })

  test('what no decoder knows does not stand before the next letter', async () => {
    await servers.write(ann, agentAddress, [`From: ${ann}`, 'Content-Type: multipart/mixed; boundary=nowhere', '', 'no part at all'])
    expect((await arrived(['Content-Type: text/plain; charset=x-unheard-of', '', 'caf\u00e9'])).text).toMatch(/^caf/)
  })

  test('a file goes out with a letter', async () => {
    const blob = await host.putFile(Buffer.from('the plan'), { mime: 'text/csv', name: 'pläne.csv' })
    const message = { key: 'k', account: agentAddress, conversation: ann, text: 'Here.', part: { index: 0, total: 1 } }
    const receipt = await connection.send?.({ ...message, media: [{ blob, kind: 'document' }] }, call())
    expect(receipt?.status).toBe('sent')
    await expect.poll(() => servers.read(ann).length, bounded).toBe(1)
    const [mail = ''] = servers.read(ann)
    expect(mail).toContain(Buffer.from('the plan').toString('base64'))
    expect(mail).toContain("filename*0*=utf-8''pl%C3%A4ne.csv")
  })
})

describe('real mail servers that are not let down', needs(mailServersMissing), () => {
  let servers: MailServers
  beforeAll(async () => {
    servers = await openMailServers([agentAddress])
  })
  afterAll(() => servers?.[Symbol.asyncDispose]())

  // Before the one with a password, because the server writes down who tried any.
  test('a server that offers no encryption gets no password', async () => {
    using home = openTestHome()
    home.write('config.yaml', settings(['imap_security: starttls', 'smtp_security: starttls']))
    await using running = await openRunning(home, ports(servers))
    expect(running.state()).toBe('retrying PLATFORM_UNREACHABLE')
    expect(servers.log()).toContain('no auth attempts')
    expect(servers.log()).not.toContain('auth failed')
  })

  test('a wrong password is final', async () => {
    using home = openTestHome()
    home.write('config.yaml', settings(plain))
    await using running = await openRunning(home, { ...ports(servers), EMAIL_PASSWORD: 'wrong-password' })
    expect(running.state()).toBe('fatal PLATFORM_AUTH')
  })
})

describe('real mail servers with a certificate', needs(mailServersMissing), () => {
  let servers: MailServers
  beforeAll(async () => {
    servers = await openMailServers([agentAddress, ann], { tls: true })
  })
  afterAll(() => servers?.[Symbol.asyncDispose]())

  test('a certificate that nobody vouches for is not believed', async () => {
    using home = openTestHome()
    home.write('config.yaml', settings(['imap_security: starttls', 'smtp_security: starttls']))
    await using running = await openRunning(home, { ...ports(servers), EMAIL_IMAP_HOST: 'localhost' })
    expect(running.state()).toBe('retrying PLATFORM_UNREACHABLE')
    expect(home.read('logs/gateway.log')).toMatch(/self-signed certificate/)
  })

  test('with a certificate that is known, mail is read encrypted', async () => {
    using home = openTestHome()
    home.write('config.yaml', settings(['imap_security: starttls', 'smtp_security: plain', 'trust_from: true']))
    const agent = startAgent(home, ['gateway', 'run'], {
      timeoutMs: 60_000,
      environment: {
        ...ports(servers),
        ...{ EMAIL_ADDRESS: agentAddress, EMAIL_PASSWORD: servers.password, EMAIL_ALLOWED_USERS: ann },
        ...{ EMAIL_IMAP_HOST: 'localhost', EMAIL_SMTP_HOST: 'localhost', AGENT_INFERENCE_PROVIDER: 'offline' },
        NODE_EXTRA_CA_CERTS: servers.certificate,
      },
    })
    try {
      await agent.heard(/listens at \S+\n/)
      await expect.poll(() => servers.log(), bounded).toMatch(/Login: user=<agent@agents\.test>.*TLS/)
      await expect.poll(() => home.read('logs/gateway.log'), bounded).toContain('connected to the mailbox')
      await servers.write(ann, agentAddress, letter(ann, 'Secret', 'hello'))
      await expect.poll(() => servers.read(ann).length, bounded).toBe(1)
      expect(body(servers.read(ann)[0] ?? '')).toContain('[Subject: Secret]')
    } finally {
      agent.child.kill('SIGTERM')
      await agent.ended
    }
  })
})
