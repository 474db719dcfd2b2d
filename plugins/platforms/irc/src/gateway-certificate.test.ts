// @module-tag process
import { expect, test } from 'vitest'
import { startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { makeCertificate } from '../test/certificate.ts'
import { openIrcServer } from '../test/irc-server.ts'

/** What the gateway says of a network that knows this fingerprint, and what it told the network. */
async function connect(known: 'ours' | 'another' | 'none'): Promise<{ readonly said: string; readonly lines: readonly string[] }> {
  using home = openTestHome()
  const [ours, theirs] = ['ours', 'theirs'].map((name) => makeCertificate(home.folder, name))
  if (!ours || !theirs) throw new Error('no certificates')
  const fingerprint = { ours: ours.fingerprint, another: theirs.fingerprint, none: undefined }[known]
  const server = await openIrcServer({ tls: { pem: theirs.pem, ...(fingerprint !== undefined && { fingerprint }) } })
  const variables = { IRC_SERVER: 'localhost', IRC_PORT: `${server.port}`, IRC_CHANNEL: '#room', IRC_CLIENT_CERTIFICATE: ours.file }
  const environment = { ...variables, NODE_EXTRA_CA_CERTS: theirs.file, AGENT_INFERENCE_PROVIDER: 'offline' }
  const gateway = startAgent(home, ['gateway', 'run'], { environment })
  try {
    const said = await gateway.heard(/irc: connected|irc: .*PLATFORM_AUTH.*/)
    return { said, lines: server.lines.filter((line) => /^(CAP|AUTH|JOIN)/.test(line)) }
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
    await server.close()
  }
}

test('an account that knows the certificate of the agent lets it in without a password', async () => {
  const { said, lines } = await connect('ours')
  expect(said).toContain('irc: connected')
  expect(lines).toEqual(['CAP LS :302', 'CAP REQ :sasl', 'AUTHENTICATE EXTERNAL', 'AUTHENTICATE +', 'CAP END', 'JOIN #room'])
})

test('where no account knows it, the agent stays outside and says what to do', async () => {
  const { said, lines } = await connect('another')
  expect(said).toContain('CERT ADD')
  expect(lines).not.toContain('JOIN #room')
})

test('a network that asks nobody for a certificate sees it all the same, and the agent comes in', async () => {
  const { said, lines } = await connect('none')
  expect(said).toContain('irc: connected')
  expect(lines).toEqual(['CAP LS :302', 'CAP END', 'JOIN #room'])
})
