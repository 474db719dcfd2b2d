import { setTimeout as sleep } from 'node:timers/promises'
import { openPlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { type Journey, startRecording } from '../../../../test/support/record-journey.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { openIrcServer } from './irc-server.ts'

/** The second message of a conversation, from the line that comes in until its receipt is written down. */
export async function travel(): Promise<Journey> {
  using home = openTestHome()
  const server = await openIrcServer()
  const variables = { IRC_SERVER: '127.0.0.1', IRC_PORT: `${server.port}`, IRC_USE_TLS: 'false', IRC_ALLOWED_USERS: 'ann' }
  const gateway = await openPlatformGateway(home, variables)
  const answered = async (last: string): Promise<void> => {
    while (!server.lines.some((line) => line.includes(last)) || !(await gateway.isIdle())) await sleep(2)
  }
  try {
    server.say('ann', 'agent', 'stream 2 tokens')
    await answered('offline-2')
    const stop = startRecording()
    server.say('ann', 'agent', 'stream 3 tokens')
    await answered('offline-3')
    return stop()
  } finally {
    await gateway[Symbol.asyncDispose]()
    await server.close()
  }
}
