import type { PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { appToken, openSlackServer } from './slack-server.ts'
import { numberPerson } from './slack-store.ts'
import { say } from './slack-world.ts'
import { troublesOf } from './troubles.ts'

/** Many people who write to the app directly. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const slack = await openSlackServer()
  const channelOf = (person: number): string => numberPerson('D', person)
  return {
    config: config.parse({ api_url: `${slack.url}/api` }),
    secrets: { SLACK_BOT_TOKEN: slack.bots[0]?.token ?? '', SLACK_APP_TOKEN: appToken },
    say: (person, text) => void say(slack, { channel: channelOf(person), user: numberPerson('U', person), text }),
    heard: (person) =>
      slack.store.messages.filter(({ bot_id, channel }) => bot_id && channel === channelOf(person)).map(({ text }) => text),
    isTaken: () => slack.door.pending().length === 0,
    connections: () => slack.called.filter((method) => method === 'apps.connections.open').length,
    ...troublesOf(slack),
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  }
}
