import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import type { Cli } from '../../host/src/cli/cli.ts'
import { createSlashServices } from '../../host/src/cli/slash-services.ts'
import { type Gateway, openGateway } from '../../host/src/gateway/gateway.ts'
import { type MailServers, mailServersMissing, openMailServers } from '../support/mail-servers.ts'
import { importSourceEntry } from '../support/source-entry.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const installRoot = fileURLToPath(new URL('../..', import.meta.url))
const agentAddress = 'agent@agents.test'
const ann = 'ann@people.test'
const mallory = 'mallory@people.test'

interface Running extends AsyncDisposable {
  readonly gateway: Gateway
  /** How the platform is doing. */
  state(): string
}

async function openRunning(home: TestHome, variables: Readonly<Record<string, string>>): Promise<Running> {
  const agent = await openAgent({
    installRoot,
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
    offlineByDefault: agent.isOfflineByDefault(),
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

describe.skipIf(mailServersMissing)(mailServersMissing ?? 'a gateway and people on real dovecot and opensmtpd', () => {
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

describe.skipIf(mailServersMissing)(mailServersMissing ?? 'real mail servers that are not let down', () => {
  test('a wrong password is final', async () => {
    await using servers = await openMailServers([agentAddress])
    using home = openTestHome()
    home.write('config.yaml', settings(plain))
    await using running = await openRunning(home, { ...ports(servers), EMAIL_PASSWORD: 'wrong-password' })
    expect(running.state()).toBe('fatal PLATFORM_AUTH')
  })

  test('a server that offers no encryption gets no password', async () => {
    await using servers = await openMailServers([agentAddress])
    using home = openTestHome()
    home.write('config.yaml', settings(['imap_security: starttls', 'smtp_security: starttls']))
    await using running = await openRunning(home, ports(servers))
    expect(running.state()).toBe('retrying PLATFORM_UNREACHABLE')
    expect(servers.log()).toContain('no auth attempts')
  })

  test('a certificate that nobody vouches for is not believed', async () => {
    await using servers = await openMailServers([agentAddress], { tls: true })
    using home = openTestHome()
    home.write('config.yaml', settings(['imap_security: starttls', 'smtp_security: starttls']))
    await using running = await openRunning(home, { ...ports(servers), EMAIL_IMAP_HOST: 'localhost' })
    expect(running.state()).toBe('retrying PLATFORM_UNREACHABLE')
    expect(home.read('logs/gateway.log')).toMatch(/self-signed certificate/)
  })
})
