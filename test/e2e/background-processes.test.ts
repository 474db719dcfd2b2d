// @module-tag process
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { openTestHome } from '../support/test-home.ts'

const bounded = { timeout: 10_000 }
const start = (command: string): string => `call terminal ${JSON.stringify({ command, background: true })}`

interface Conversation extends AsyncDisposable {
  /** What was told of processes so far. */
  told(): readonly string[]
  /** Says something and resolves with what was answered to it. */
  ask(text: string): Promise<string>
}

const isNotice = (text: string): boolean => /^(?:Started|Ended) in the background/.test(text)

async function openConversation(wanted: string): Promise<Conversation> {
  const home = openTestHome()
  addTalk(home, `background_process_notifications: ${wanted}`)
  home.write('.env', 'SOME_TOKEN=hush-hush-hush\n')
  const gateway = await openTalkGateway(home, createSystemClock())
  const heard: string[] = []
  const listen = async (): Promise<never> => {
    for (;;) heard.push(await gateway.answer())
  }
  void listen()
  const answers = (): readonly string[] => heard.filter((text) => !isNotice(text))
  return {
    told: () => heard.filter(isNotice),
    async ask(text) {
      const before = answers().length
      await gateway.say(`${before}`, text)
      await expect.poll(() => answers().length, bounded).toBeGreaterThan(before)
      return answers().at(-1) ?? ''
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      home[Symbol.dispose]()
    },
  }
}

const started = (command: string): unknown => expect.stringMatching(`^Started in the background: .*${command}`)
const ended = (command: string, code: number): unknown => expect.stringMatching(`^Ended in the background .*${command}.*exit code ${code}`)

proves('error.background-result', 'a conversation hears of what its session left in the background as the setting says', async () => {
  const expected = {
    all: [started('exit 3'), ended('exit 3', 3), started('true'), ended('true', 0)],
    result: [ended('exit 3', 3), ended('true', 0)],
    error: [ended('exit 3', 3)],
    off: [],
  } as const
  for (const [wanted, told] of Object.entries(expected)) {
    await using talk = await openConversation(wanted)
    for (const [at, command] of ['exit 3', 'true'].entries()) {
      expect(await talk.ask(start(command))).toMatch(/Started proc_/)
      await expect.poll(async () => (await talk.ask('call process {"action":"list"}')).match(/ finished/g), bounded).toHaveLength(at + 1)
    }
    expect(talk.told(), wanted).toEqual(told)
  }
})

test('what is told shows the last lines, and no secret', async () => {
  await using talk = await openConversation('result')
  await talk.ask(start('seq 1 30; echo hush-hush-hush'))
  await expect.poll(() => talk.told(), bounded).toHaveLength(1)
  const text = talk.told()[0] ?? ''
  expect(text).toMatch(/\n23\n[\s\S]*\n30\n/)
  expect(text).not.toMatch(/hush|\n21\n/)
})

test('what a task beside the conversation leaves is told in the conversation', async () => {
  await using talk = await openConversation('all')
  await talk.ask(`/background ${start('sleep 0.1; exit 4')}`)
  await expect.poll(() => talk.told(), bounded).toContainEqual(ended('exit 4', 4))
})
