import { createInterface } from 'node:readline'
import { joinRows } from '#commands/say-rows.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'
import { type Cli, paint } from '../console/cli.ts'
import { describeWays, parseAnswer } from './ask-person.ts'
import type { ChatOptions } from './conversation/chat-options.ts'
import { createConversation, type Talk } from './conversation/conversation.ts'
import { findChatSession, openChat, readWish } from './conversation/open-chat.ts'
import { createPlainRenderer } from './render/plain.ts'
import { questionRows } from './render/question-rows.ts'

/** Talks over lines: from a pipe, or with a person at a terminal that shows nothing but lines. */
export async function runLineChat(cli: Cli, first: string, options: ChatOptions): Promise<void> {
  const agent = await openChat(cli, options)
  const leave = new AbortController()
  const left = new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve(), { once: true }))
  let isRead = false
  let conversation: Talk | undefined
  try {
    const session = await findChatSession(cli, agent, options)
    const renderer = createPlainRenderer(cli, { showReasoning: () => conversation?.reasoning().show === true })
    const talk = createConversation({
      ...{ agent, services: createSlashServices(cli, agent), session, wish: await readWish(agent, options), folder: cli.cwd },
      canAnswer: cli.input.isTTY === true,
      audience: {
        begins: () => undefined,
        hear: (event) => {
          renderer.show(event)
          if (event.type === 'message.complete' && event.status === 'failed') cli.exit(1)
        },
        ask: (question) => cli.out([...questionRows(question, cli), ...describeWays(question)].join('\n')),
        say: cli.out,
        sayRows: (rows) => cli.out(joinRows(rows)),
        report: cli.out,
        note: cli.note,
        complain: (text) => {
          cli.note(paint(cli, 'red', text))
          cli.exit(1)
        },
        changed: () => {
          if (isRead && isDone(conversation)) leave.abort()
        },
        leave: () => leave.abort(),
      },
    })
    conversation = talk
    const deaf = agent.onNotice(({ text }) => cli.note(paint(cli, 'dim', text)))
    cli.signal.addEventListener('abort', () => leave.abort(), { once: true })
    talk.start(first === '' ? [] : [{ text: first, shown: first }])
    const lines = createInterface({ input: cli.input, terminal: false })
    lines.on('line', (line) => takeLine(talk, line))
    lines.on('close', () => {
      isRead = true
      if (isDone(talk)) leave.abort()
    })
    await left
    deaf()
    lines.close()
    await talk.close()
  } finally {
    await agent.close()
  }
}

function takeLine(conversation: Talk, line: string): void {
  const question = conversation.question()
  const value = question && parseAnswer(question, line)
  if (question && value !== undefined) void conversation.answer(question, value)
  else conversation.enter({ text: line, shown: line })
}

function isDone(conversation: Talk | undefined): boolean {
  return conversation !== undefined && !conversation.isBusy() && conversation.background().length === 0
}
