import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../../../../test/support/free-port.ts'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import type { ServerTrial } from '../../../../test/support/servers/server-trials.ts'
import { waitUntil } from '../../../../test/support/servers/wait-until.ts'

export const debianPackage = 'ntfy'

const messages = 12
const everyMs = 5000
const withinMs = 10_000

/** One message every five seconds for a minute, on the limits that ntfy comes with. */
async function openServerTrial(tree: DebianTree): Promise<ServerTrial> {
  const data = mkdtempSync(join(tmpdir(), 'agent-ntfy-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const child = tree.start(data, [
    'ntfy',
    'serve',
    '--listen-http',
    `127.0.0.1:${port}`,
    '--base-url',
    url,
    '--cache-file',
    '/data/cache.db',
  ])
  child.stdout?.resume()
  child.stderr?.resume()
  let isThere = false
  const knock = (): boolean => {
    fetch(`${url}/v1/health`).then(
      ({ ok }) => {
        isThere ||= ok
      },
      () => undefined,
    )
    return isThere
  }
  await waitUntil('ntfy answers', 20_000, knock)
  const answers = async (): Promise<readonly string[]> => {
    const lines = (await (await fetch(`${url}/answers/json?poll=1`)).text()).trim().split('\n')
    return lines.flatMap((line) => (line === '' ? [] : String((JSON.parse(line) as { message?: string }).message ?? '')))
  }
  return {
    what: `a message each ${everyMs / 1000} s on ntfy's own limits`,
    config: {},
    environment: { NTFY_SERVER_URL: url, NTFY_TOPIC: 'questions', NTFY_PUBLISH_TOPIC: 'answers', NTFY_ALLOW_ALL_USERS: 'true' },
    async talk() {
      const waits: number[] = []
      for (let number = 0; number < messages; number += 1) {
        const since = performance.now()
        const text = `message ${number}.`
        await fetch(`${url}/questions`, { method: 'POST', body: text })
        while (performance.now() - since < 2 * withinMs && !(await answers()).some((answer) => answer.includes(text))) await pause(500)
        waits.push(performance.now() - since)
        await pause(Math.max(0, everyMs - (performance.now() - since)))
      }
      const slowest = Math.max(...waits)
      const count = (await answers()).length
      const problems = [
        ...waits.flatMap((wait, number) => (wait > withinMs ? [`message ${number} was not answered within 10 s`] : [])),
        ...(count === messages ? [] : [`${count} answers to ${messages} messages`]),
      ]
      return { figures: `${messages} asked, ${count} answers, slowest ${(slowest / 1000).toFixed(1)} s`, problems }
    },
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(data, { recursive: true, force: true })
    },
  }
}

export const serverTrials = [openServerTrial]
