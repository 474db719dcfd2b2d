import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import type { ServerTrial } from '../../../../test/support/servers/server-trials.ts'
import { waitUntil } from '../../../../test/support/servers/wait-until.ts'
import { openCertificateTrial } from './certificate-trial.ts'
import { openInspircd } from './inspircd.ts'
import { openIrcPerson } from './irc-person.ts'

export const debianPackage = 'inspircd'

const threshold = 20
const lines = 45

/** An answer of many lines on a server that throws out who writes faster than it wants. */
async function openServerTrial(tree: DebianTree): Promise<ServerTrial> {
  const server = await openInspircd(tree, threshold)
  const ann = await openIrcPerson(server.port, 'ann', ['#room'])
  return {
    what: `${lines} lines where threshold is ${threshold}`,
    config: { channels: ['#room'] },
    environment: {
      ...{ IRC_SERVER: '127.0.0.1', IRC_PORT: String(server.port), IRC_USE_TLS: 'false', IRC_ALLOWED_USERS: 'ann' },
    },
    async talk() {
      const asked = Array.from({ length: lines }, (_, line) => `line ${line}`)
      ann.say('#room', `agent: run seq -f 'line %g' 0 ${lines - 1}`)
      const heard = (): readonly string[] =>
        ann.heard.filter(({ from }) => from === 'agent').flatMap(({ text }) => text.match(/line \d+/g) ?? [])
      const since = performance.now()
      await waitUntil('the last line is there', 120_000, () => heard().includes(asked.at(-1) ?? ''))
      const seconds = (performance.now() - since) / 1000
      const missing = asked.filter((line) => heard().filter((one) => one === line).length !== 1)
      const cuts = ann.joins('agent') - 1
      return {
        figures: `${lines - missing.length} of ${lines} lines once, after ${seconds.toFixed(0)} s, ${cuts} cuts`,
        problems: [...missing.map((line) => `"${line}" did not arrive once`), ...(cuts > 0 ? [`thrown out ${cuts} times`] : [])],
      }
    },
    async [Symbol.asyncDispose]() {
      await ann[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

export const serverTrials = [openServerTrial, openCertificateTrial]
