import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import type { ServerTrial } from '../../../../test/support/servers/server-trials.ts'
import { waitUntil } from '../../../../test/support/servers/wait-until.ts'
import { makeCertificate } from './certificate.ts'
import { openInspircd } from './inspircd.ts'
import { openIrcPerson } from './irc-person.ts'

/** The agent on TLS, known by the fingerprint of its certificate. */
export async function openCertificateTrial(tree: DebianTree): Promise<ServerTrial> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-irc-'))
  const [ours, theirs] = [makeCertificate(folder, 'ours'), makeCertificate(folder, 'theirs')]
  const server = await openInspircd(tree, 20, theirs.pem)
  const ann = await openIrcPerson(server.port, 'ann', ['#room'])
  return {
    what: 'TLS with a certificate of the agent',
    config: { channels: ['#room'] },
    environment: {
      ...{ IRC_SERVER: 'localhost', IRC_PORT: String(server.tlsPort), IRC_CLIENT_CERTIFICATE: ours.file, IRC_ALLOWED_USERS: 'ann' },
      NODE_EXTRA_CA_CERTS: theirs.file,
    },
    async talk() {
      ann.say('#room', 'agent: stream 3 tokens')
      await waitUntil('the agent answers', 20_000, () => ann.text('agent', '#room').includes('offline-3'))
      ann.write('WHOIS agent')
      await waitUntil('the server has said who the agent is', 20_000, () => ann.lines.some((line) => line.includes(' 318 ')))
      const said = ann.lines.find((line) => line.includes(' 276 '))
      const wanted = ours.fingerprint.replaceAll(':', '').toLowerCase()
      const isKnown = said?.toLowerCase().includes(wanted) === true
      return {
        figures: isKnown ? 'answered, and known by its fingerprint' : 'answered',
        problems: isKnown ? [] : [`the server does not know the certificate: ${said ?? 'it says nothing of one'}`],
      }
    },
    async [Symbol.asyncDispose]() {
      await ann[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}
